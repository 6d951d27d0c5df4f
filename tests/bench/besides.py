"""What profiling costs besides time in the program: links, starting and ending, threads, memory."""

import os
import re
import statistics
import subprocess
import time
from pathlib import Path

from tests.bench.costs import HOME, fresh_directory, profile_variables
from tests.bench.workloads import WORK
from tests.real.tools import CLANG, PATHCC, PATHPROF, environment, run

# A line of the table: what it is, and the value.
Row = tuple[str, str]


def timed(argv: list[str], cwd: Path, variables: dict) -> tuple[float, float]:
    """Elapsed and user seconds of one command."""
    env = environment(**variables)
    start = time.perf_counter()
    child = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{argv} failed")
    return time.perf_counter() - start, usage.ru_utime


def in_turn(
    commands: dict[str, list[str]], cwd: Path, times: int
) -> dict[str, list[tuple[float, float]]]:
    """Times commands one after the other, so that a change of the machine's mood hits all alike."""
    variables = profile_variables(fresh_directory(HOME / "besides.profiles"))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(times):
        for name, argv in commands.items():
            found[name].append(timed(argv, cwd, variables))
    return found


def more(found: dict[str, list[tuple[float, float]]], less: str, greater: str) -> str:
    """How much longer one takes than the other: minima and medians of elapsed time."""
    elapsed = {name: [run[0] for run in runs] for name, runs in found.items()}
    least = min(elapsed[greater]) - min(elapsed[less])
    middle = statistics.median(elapsed[greater]) - statistics.median(elapsed[less])
    return f"{least * 1000:+.1f} ms ({middle * 1000:+.1f})"


def links(objects: int, times: int) -> Row:
    """A link of so many objects, with functions that call each other."""
    home = fresh_directory(HOME / f"link{objects}")
    for number in range(objects):
        calls = f"extern int f{number + 1}(int); " if number + 1 < objects else ""
        rest = f"f{number + 1}(x - 1)" if number + 1 < objects else "x"
        (home / f"f{number}.c").write_text(
            f"{calls}int f{number}(int x) {{ return x > 0 ? {rest} : x; }}\n"
        )
    (home / "main.c").write_text("extern int f0(int); int main(void) { return f0(3); }\n")
    names = [f"f{number}" for number in range(objects)] + ["main"]
    for kind, compiler in (("plain", CLANG), ("paths", str(PATHCC))):
        for first in range(0, len(names), 100):
            part = names[first : first + 100]
            folder = home / kind
            folder.mkdir(exist_ok=True)
            run([compiler, "-O1", "-c", *(f"../{name}.c" for name in part)], folder)
    commands = {
        kind: [compiler, *(f"{kind}/{name}.o" for name in names), "-o", f"{kind}.out"]
        for kind, compiler in (("plain", CLANG), ("paths", str(PATHCC)))
    }
    return f"linking {objects} object{'s' * (objects > 1)}", more(
        in_turn(commands, home, times), "plain", "paths"
    )


def start_and_exit(times: int) -> Row:
    """A program that does nothing."""
    home = fresh_directory(HOME / "trivial")
    (home / "main.c").write_text("int main(void) { return 0; }\n")
    for kind, compiler in (("plain", CLANG), ("paths", str(PATHCC))):
        run([compiler, "-O2", "main.c", "-o", kind], home)
    found = in_turn({kind: [f"./{kind}"] for kind in ("plain", "paths")}, home, times)
    return "starting and ending a program", more(found, "plain", "paths")


# A program of so many functions, each with 4,096 paths, and how many of them a process runs.
FUNCTIONS, RUN = 600, 80


def large_image(times: int, children: int) -> list[Row]:
    """Processes of an image with many counters, which touch few of them: a start, and a fork."""
    home = fresh_directory(HOME / "large-image")
    diamonds = "".join(f"if (x & {1 << bit}) s += {bit}; " for bit in range(12))
    for unit in range(0, FUNCTIONS, 60):
        (home / f"unit{unit}.c").write_text(
            "".join(
                f"unsigned f{number}(unsigned x) {{ unsigned s = 0; {diamonds}return s; }}\n"
                for number in range(unit, unit + 60)
            )
        )
    names = [f"f{number}" for number in range(0, FUNCTIONS, FUNCTIONS // RUN)]
    (home / "main.c").write_text(
        "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
        + "".join(f"unsigned {name}(unsigned);\n" for name in names)
        + "static unsigned work(unsigned x) { return "
        + " + ".join(f"{name}(x)" for name in names)
        + "; }\n"
        "int main(int n, char **words) {\n"
        "  for (int i = n > 1 ? atoi(words[1]) : 0; i > 0; i--) {\n"
        "    if (fork() == 0) exit(work(i) == 1);\n"
        "    wait(NULL);\n"
        "  }\n"
        "  return n == 1 && work(n) == 1;\n}\n"
    )
    sources = ["main.c", *(f"unit{unit}.c" for unit in range(0, FUNCTIONS, 60))]
    for kind, compiler in (("plain", CLANG), ("paths", str(PATHCC))):
        run([compiler, "-O0", *sources, "-o", kind], home)
    size = region(home / "paths") / (1 << 20)
    what = f"of {size:.0f} MiB of counters, which runs {len(names)} functions"
    start = in_turn({kind: [f"./{kind}"] for kind in ("plain", "paths")}, home, times)
    fork = in_turn({kind: [f"./{kind}", str(children)] for kind in ("plain", "paths")}, home, 5)
    each = {kind: [(run[0] / children, run[1]) for run in runs] for kind, runs in fork.items()}
    return [
        (f"starting and ending a program {what}", more(start, "plain", "paths")),
        ("forking a child from it, which runs and ends", more(each, "plain", "paths")),
    ]


def at_once(processes: int) -> Row:
    """So many processes that end at once, with one profile for all."""
    home = fresh_directory(HOME / "at-once")
    (home / "main.c").write_text("int main(void) { return 0; }\n")
    run([str(PATHCC), "-O2", "main.c", "-o", "paths"], home)
    took = []
    for pattern in ("single:all.pathprof", "own.%p.pathprof"):
        script = f"for i in $(seq {processes}); do ./paths & done; wait"
        took.append(
            min(timed(["sh", "-c", script], home, {"PATHCC_PROFILE": pattern})[0] for _ in range(3))
        )
    records = run([PATHPROF, "runs", "--top", "1", "all.pathprof"], home).decode()
    if f"{3 * processes:,} starts" not in records:
        raise RuntimeError(f"records are missing: {records}")
    return (
        f"{processes:,} processes at once that share a profile, against a profile each",
        f"{took[0] / took[1]:.2f}",
    )


def merging(records: int) -> Row:
    """A profile of so many records, each of thousands of paths, summed."""
    home = fresh_directory(HOME / "merging")
    bits = "".join(f"if (x & {1 << bit}) s += {bit}; " for bit in range(14))
    (home / "main.c").write_text(
        "#include <stdlib.h>\n"
        f"__attribute__((noinline)) unsigned f(unsigned x, unsigned s) {{ {bits}return s; }}\n"
        "int main(int n, char **words) {\n"
        "  unsigned s = 0;\n"
        "  for (unsigned i = 0; i < 6000; i++)\n"
        "    s = f((i * 2654435761u >> i % 7) ^ atoi(words[1]), s);\n"
        "  return s == n;\n}\n"
    )
    run([str(PATHCC), "-O0", "-fpath-limit=100000", "main.c", "-o", "paths"], home)
    script = f"for i in $(seq {records}); do ./paths $i; done"
    run(["sh", "-c", script], home, env=environment(PATHCC_PROFILE="single:all.pathprof"))
    length = (home / "all.pathprof").stat().st_size / records
    start = time.perf_counter()
    child = subprocess.Popen(
        [str(PATHPROF), "merge", "-o", "merged.pathprof", "all.pathprof"], cwd=home
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError("the records cannot be merged")
    took = time.perf_counter() - start
    merged = (home / "merged.pathprof").stat().st_size - 16 * records
    return (
        f"merging {records:,} records of {length / 1024:.0f} KiB",
        (
            f"{took:.1f} s, {usage.ru_maxrss >> 10} MiB; "
            f"the result is as large as {merged / length:.1f} records and 16 bytes for each"
        ),
    )


def threads(times: int) -> list[list[str]]:
    """User time against plain clang with one thread and with eight, in the same hot functions."""
    home = fresh_directory(HOME / "threads")
    generate = "-fprofile-generate"
    atomic = f"{generate} -fprofile-update=atomic"
    compilers = {
        "plain": CLANG,
        "pathcc": str(PATHCC),
        f"clang {generate} (races)": f"{CLANG} {generate}",
        f"clang {atomic}": f"{CLANG} {atomic}",
    }
    rows = [["", "1 thread", "8 threads"]]
    for number, compiler in enumerate(compilers.values()):
        run([*compiler.split(), "-O2", WORK / "threads.c", "-pthread", "-o", str(number)], home)
    ratios: dict[str, list[str]] = {name: [] for name in compilers}
    for count in ("1", "8"):
        # The atomic counters take so long that everybody does less.
        amount = "100000000" if count == "1" else "40000000"
        commands = {name: [f"./{number}", count, amount] for number, name in enumerate(compilers)}
        found = in_turn(commands, home, times)
        least = {name: min(run[1] for run in runs) for name, runs in found.items()}
        for name in compilers:
            ratios[name].append(f"{least[name] / least['plain']:.2f}")
    return rows + [[name, *values] for name, values in ratios.items() if name != "plain"]


def region(image: Path) -> int:
    """Bytes of the counters of an image."""
    table = run(["nm", "-S", str(image)], image.parent).decode()
    return sum(
        int(size, 16)
        for size in re.findall(r"^\w+ (\w+) \w __pathcc\.counters\.", table, re.MULTILINE)
    )


def rows(quick: bool) -> list[Row]:
    """Everything that is one number."""
    times = 15 if quick else 50
    return [
        links(1, times),
        links(500, times),
        start_and_exit(times * 4),
        *large_image(times, 100),
        at_once(1000),
        merging(10_000),
    ]
