"""How many of the labelled OpenMP programs pathprof and ThreadSanitizer judge rightly.

    python3 -m tests.bench.race_scores

The programs are those of `tests/order` in C and C++. A tool is right if it reports a race in a
program with one, and none in a clean one. ThreadSanitizer runs with Archer, which tells it what
OpenMP orders. Prints Markdown.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.bench.tables import markdown, table
from tests.real import orders, races
from tests.real.orders import Program
from tests.real.tools import CLANG, environment, run

ARCHER = Path("/usr/lib/llvm-22/lib/libarcher.so")
LEVELS = ("-O0", "-O2")
THREADS = ("4", "1")


def of_pathprof(program: Program, level: str, threads: str, home: Path) -> bool:
    """Whether pathprof tells a race."""
    flags = ["-g", level, "-w", "-fpath-mode=trace", *program.flags]
    run([orders.COMPILERS[program.path.suffix], *flags, program.path, "-o", "traced"], home)
    run(["./traced"], home, env=environment(PATHCC_PROFILE=str(home), OMP_NUM_THREADS=threads))
    (trace,) = home.glob("*.pathtrace")
    return bool(races.rows(trace))


def of_sanitizer(program: Program, level: str, threads: str, home: Path) -> bool:
    """Whether ThreadSanitizer tells a race."""
    compiler = CLANG if program.path.suffix == ".c" else CLANG.replace("clang", "clang++")
    flags = ["-g", level, "-w", "-fsanitize=thread", *program.flags]
    run([compiler, *flags, program.path, "-o", "checked"], home)
    env = environment(
        OMP_NUM_THREADS=threads,
        OMP_TOOL_LIBRARIES=str(ARCHER),
        TSAN_OPTIONS="ignore_noninstrumented_modules=1",
    )
    done = subprocess.run(["./checked"], cwd=home, env=env, capture_output=True, check=False)
    return b"data race" in done.stderr


TOOLS = {"pathprof": of_pathprof, "ThreadSanitizer, Archer": of_sanitizer}


def judged(tool: str, program: Program, level: str, threads: str) -> tuple[bool, bool]:
    """Whether a program has a race, and whether a tool tells one."""
    with tempfile.TemporaryDirectory() as home:
        return program.kind == "race", TOOLS[tool](program, level, threads, Path(home))


def row(tool: str, programs: list[Program], level: str, threads: str) -> list[str]:
    """A row of the table."""
    with ThreadPoolExecutor(2) as pool:
        found = Counter(pool.map(lambda of: judged(tool, of, level, threads), programs))
    true, false, missed = found[True, True], found[False, True], found[True, False]
    precision = true / (true + false) if true + false else 0
    recall = true / (true + missed)
    score = 2 * true / (2 * true + false + missed)
    shown = [f"{value:.3f}" for value in (precision, recall, score)]
    return [tool, level, threads, str(false), str(missed), *shown]


def main() -> int:
    programs = [of for of in orders.PROGRAMS if of.is_openmp and of.kind in ("race", "clean")]
    programs = [of for of in programs if of.path.suffix != ".f90" and not of.is_killed]
    head = ["tool", "level", "threads", "false alarms", "missed", "precision", "recall", "F1"]
    rows = [
        row(tool, programs, level, threads)
        for level in LEVELS
        for threads in THREADS
        for tool in TOOLS
    ]
    number = sum(of.kind == "race" for of in programs)
    print(
        markdown([f"{len(programs)} programs, {number} of them with a race.", table([head, *rows])])
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
