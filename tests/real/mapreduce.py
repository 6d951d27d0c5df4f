"""Counts of many threads in the programs of examples/mapreduce.

They are those of one thread, of clang's coverage, of gcov and of callgrind.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.real import modes, oracle_cov
from tests.real.build import build, work
from tests.real.oracle_calls import callgrinds
from tests.real.programs import Program, Step
from tests.real.tools import CLANG, ROOT, SCRATCH, CheckFailed, run

PLACE = ROOT / "examples/mapreduce"
THREADS = 4

# Items of each program: enough for every thread to have some.
ITEMS = {
    "histogram": 5000,
    "kmeans": 600,
    "linear_regression": 5000,
    "matrix_multiply": 30,
    "pca": 40,
    "reverse_index": 2000,
    "string_match": 3000,
    "word_count": 4000,
}

# What splits the items and handles a share, or joins shares, runs as often as there are threads.
DEPENDS_ON_THREADS = re.compile(r"main|map|start|\w+_part|count_word")


def program(name: str) -> Program:
    def compile_with(tree: Path, cc: str, flags: str) -> None:
        for file in (PLACE / "map.h", PLACE / f"{name}.c"):
            shutil.copy(file, tree)
        run([*cc.split(), *flags.split(), f"{name}.c", "-o", name, "-pthread"], tree)

    def with_threads(threads: int) -> Callable[[Path], list[Step]]:
        return lambda tree: [Step([f"@{name}", str(ITEMS[name]), str(threads)])]

    steps = {"one": with_threads(1), "calm": with_threads(THREADS)}
    return Program(name, compile_with, [name], steps, least_compared=(5, 10, 2))


def callgrind(of: Program, home: Path) -> Counter[str]:
    """How often each function was called in a build that inlines nothing, as callgrind says."""
    place = home / "callgrind"
    place.mkdir()
    of.build(place, CLANG, "-g -O0")
    out = place / "callgrind.out"
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={out}",
        f"./{of.name}",
        str(ITEMS[of.name]),
        str(THREADS),
    ]
    run(command, place)
    calls: Counter[str] = Counter()
    callgrinds(out, home, calls)
    return calls


def check(name: str) -> str:
    """All comparisons for one program."""
    home = SCRATCH / "mapreduce" / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    of = program(name)
    tree = build(of, None, "early", "-g -O0", home)
    found = {}
    for threads, how in ((1, "one"), (THREADS, "calm")):
        work(of, tree, of.work[how](tree), home / f"{threads}.profiles")
        found[threads] = {
            key[2]: counts for key, counts in modes.counts(home / f"{threads}.profiles").items()
        }
    one, many = found.values()
    items = [function for function in one if not DEPENDS_ON_THREADS.fullmatch(function)]
    wrong = [
        f"{function}: {one[function]}, with threads {many[function]}"
        for function in items
        if one[function] != many[function]
    ]
    if wrong or len(items) < 4:
        raise CheckFailed(
            f"of {len(items)} functions some depend on the number of threads:\n" + "\n".join(wrong)
        )
    calls = callgrind(of, home)
    differing = [
        f"{function}: {many[function].entries}, {calls[function]}"
        for function in items
        if many[function].entries != calls[function]
    ]
    if differing:
        raise CheckFailed("callgrind counts other calls:\n" + "\n".join(differing))
    text = oracle_cov.check(of, None, home)
    shutil.rmtree(home)
    return f"{len(items)} functions equal with {THREADS} threads, and for callgrind; {text}"
