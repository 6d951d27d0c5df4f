"""Every construct of OpenMP orders what it says.

The programs of tests/openmp have one construct each and no race. Traced, they print what they print
without, and nothing is told that races. Which thread runs a task differs from run to run, so each
runs several times.
"""

import json
from pathlib import Path

from tests.real.tools import CLANG, PATHCC, PATHPROF, ROOT, CheckFailed, environment, run

PROGRAMS = sorted(path.stem for path in (ROOT / "tests/openmp").glob("*.c"))
LEVELS = ("-O0", "-O2")
THREADS = (2, 4)


def check(name: str, home: Path, runs: int) -> str:
    """What a program's traces tell."""
    tasks = 0
    source = ROOT / "tests/openmp" / f"{name}.c"
    for level in LEVELS:
        flags = ["-g", level, "-fopenmp", source]
        run([CLANG, *flags, "-o", "plain"], home)
        run([PATHCC, *flags, "-fpath-mode=trace", "-o", "traced"], home)
        for threads in THREADS:
            settings = {"OMP_NUM_THREADS": str(threads), "OMP_CANCELLATION": "true"}
            expected = run([home / "plain"], home, env=environment(**settings))
            traced = environment(PATHCC_PROFILE=str(home), **settings)
            for _ in range(runs):
                if (printed := run([home / "traced"], home, env=traced)) != expected:
                    raise CheckFailed(f"{level}: prints {printed!r} instead of {expected!r}")
                tasks += sum(tasks_of(trace) for trace in home.glob("*.pathtrace"))
    return f"{tasks} tasks"


def tasks_of(trace: Path) -> int:
    """How many tasks a trace has, in which nothing may race or be missing."""
    command = [PATHPROF, "trace", "races", "--format", "json", trace]
    races = json.loads(run(command, trace.parent))
    if rows := races["tables"][0]["rows"]:
        raise CheckFailed(f"races are told: {rows}")
    graph = json.loads(run([PATHPROF, "trace", "graph", "--format", "json", trace], trace.parent))
    if graph["missing"]:
        raise CheckFailed(f"records are missing {graph['missing']} times")
    trace.unlink()
    return len(graph["tasks"])
