"""Small programs whose threads are ordered, or are not, each in another way.

Each file of `tests/order` has in its first lines what it is and why: `clean`, `race`, `possible`
(only the turns of locks order the accesses) or `cycle` (of locks). Further
lines say how it is compiled (`flags`), with how many threads of OpenMP it runs (`threads`), the
only level at which it has its race (`level`: the optimiser takes accesses away), and whether it
kills itself (`killed`). A clean program has no race in any of its runs. A program with a race has
one at a line that says so: in each run of an OpenMP program at -O0, whichever thread executed what,
and else in some of them.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

from tests.real import races
from tests.real.tools import PATHCC, PATHFC, ROOT, CheckFailed, environment, run

FOLDER = ROOT / "tests" / "order"
RUNS = 4
# What is shared is ordered as the program says, so that few runs are enough.
RUNS_OF_OPENMP = 2

# What a program may have, each with the table that tells it.
KINDS = {"race": "races", "possible": "possible", "cycle": "lock_orders", "clean": ""}

MARK = re.compile(r"(?://|!) (race|cycle)$")
HEAD = re.compile(r"^(?://|!) (\w+): (.*)$", re.MULTILINE)

# The compilers, by the ends of the programs' names.
COMPILERS = {".c": PATHCC, ".cpp": PATHCC.with_name("pathc++"), ".f90": PATHFC}


@dataclass(frozen=True)
class Program:
    """A program, and what is expected of its races."""

    path: Path
    kind: str
    flags: list[str]
    threads: list[str]
    level: str
    is_killed: bool

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_openmp(self) -> bool:
        return "-fopenmp" in self.flags

    @property
    def racing_lines(self) -> set[int]:
        """The numbers of the lines that may race, or take locks in a cycle."""
        lines = self.path.read_text().splitlines()
        return {number for number, line in enumerate(lines, 1) if MARK.search(line)}


def program(path: Path) -> Program:
    """Reads the first lines of a program."""
    text = path.read_text()
    known = dict(HEAD.findall(text))
    return Program(
        path,
        kind=next(kind for kind in KINDS if kind in known),
        flags=known.get("flags", "").split(),
        threads=known.get("threads", "4").split(),
        level=known.get("level", ""),
        is_killed="killed" in known,
    )


# The programs whose threads hand memory to each other by the allocator.
OF_HEAP = ("heap_", "containers", "queue", "shared_pointer", "future")

# Other allocators: what links them, or the library that is loaded before the program's. With a
# linked one, calls of code that is not traced are unknown. With the other one, only those of its
# `operator new` are.
ALLOCATORS = {
    "jemalloc": ["-ljemalloc"],
    "jemalloc in the program": ["-l:libjemalloc.a", "-lm", "-lstdc++"],
    "mimalloc": ["-lmimalloc"],
    "tcmalloc": ["-ltcmalloc_minimal"],
}
PRELOADED = "libjemalloc.so.2"

PROGRAMS = [program(path) for path in sorted(FOLDER.iterdir()) if path.suffix in COMPILERS]


WITH_ALLOCATORS = [
    program for program in PROGRAMS if program.name.startswith(OF_HEAP) and program.kind == "clean"
]


def check(
    program: Program, level: str, home: Path, linked: Sequence[str] = (), preloaded: str = ""
) -> str:
    """What is told of the races of a program, which may have another allocator."""
    compiler = COMPILERS[program.path.suffix]
    flags = ["-g", level, "-w", "-fpath-mode=trace", *program.flags]
    if program.path.suffix != ".f90":
        flags.append("-pthread")
    run([compiler, *flags, program.path, *linked, "-o", "traced"], home)
    found = []
    runs = RUNS_OF_OPENMP if program.is_openmp else RUNS
    for threads in program.threads:
        for _ in range(runs):
            env = environment(PATHCC_PROFILE=str(home), OMP_NUM_THREADS=threads)
            env |= {"LD_PRELOAD": preloaded} if preloaded else {}
            done = subprocess.run([home / "traced"], cwd=home, env=env, check=False, stderr=PIPE)
            expected = -9 if program.is_killed else 0
            if done.returncode != expected or done.stderr:
                what = f"{done.returncode}: {done.stderr.decode()}"
                raise CheckFailed(f"{program.name}: it ended with {what}")
            (trace,) = home.glob("*.pathtrace")
            tables = races.tables(trace)
            rows = tables.pop(KINDS[program.kind], [])
            if program.kind == "possible":
                # The locks were taken in other turns.
                rows += tables.pop("races")
            elif program.kind == "race":
                tables.pop("possible", None)
            if told := [row for others in tables.values() for row in others]:
                raise CheckFailed(f"{program.name}, {threads} threads: {told[0]} is told")
            if program.kind == "race" and program.is_openmp and level == "-O0":
                expect(program, rows, threads)
            found += rows
            trace.unlink()
    if program.kind != "clean" and program.level in ("", level):
        expect(program, found, " or ".join(program.threads))
    return f"{len(found)} pairs of places in {runs * len(program.threads)} runs"


def expect(program: Program, rows: list[dict], threads: str) -> None:
    """Fails unless one of the rows tells a race at a line that has one."""
    lines = {int(line) for line in re.findall(rf"{program.name}:(\d+)", json.dumps(rows))}
    if not program.racing_lines & lines:
        raise CheckFailed(f"{program.name}, {threads} threads: only {sorted(lines)} are told")
