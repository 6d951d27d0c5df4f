"""A trace tells the calls of MPI that each process makes, in order.

tests/mpi/ring.c runs as two processes, with Open MPI and with MPICH. MPI's own way of looking on
(`PMPI_…`) logs the names of all calls of a build by plain clang: the oracle.
"""

import json
from pathlib import Path

from tests.real.tools import CLANG, PATHCC, PATHFC, PATHPROF, ROOT, CheckFailed, environment, run

SOURCES = ROOT / "tests/mpi"
LIBRARIES = {"openmpi": ["--oversubscribe"], "mpich": []}
# What says which compiler `mpicc` calls.
COMPILERS = {"openmpi": "OMPI_CC", "mpich": "MPICH_CC"}
RANKS = 2


def settings(library: str, compiler: Path | str, **more: str) -> dict[str, str]:
    """The environment of a build by a compiler, and of a run, whoever the user is."""
    allowed = {f"OMPI_ALLOW_RUN_AS_ROOT{end}": "1" for end in ("", "_CONFIRM")}
    return environment(**allowed, **{COMPILERS[library]: str(compiler)}, **more)


def start(library: str) -> list[str | Path]:
    """The command that starts as many processes."""
    return [f"mpirun.{library}", *LIBRARIES[library], "-n", str(RANKS)]


def calls(trace: Path) -> list[str]:
    """The calls of MPI that a trace tells."""
    told = run([PATHPROF, "trace", "cat", "--format", "json", trace], trace.parent)
    events = (json.loads(line) for line in told.splitlines())
    ended = (event for event in events if event.get("after") is not None)
    return [event["function"] for event in ended if event.get("operation") == "message"]


def check_waits(trace: Path) -> None:
    """A process that waits for messages has no task meanwhile, even if MPI asks all the time."""
    told = run([PATHPROF, "trace", "cat", "--format", "json", trace], trace.parent)
    events = (json.loads(line) for line in told.splitlines())
    calls = [event for event in events if event.get("operation") == "message"]
    waits, begun = [], None
    for call in calls:
        if call["after"] is None:
            begun = call["begin"]
        else:
            waits.append((call["begin"] if begun is None else begun, call["end"]))
            begun = None
    graph = json.loads(run([PATHPROF, "trace", "graph", "--format", "json", trace], trace.parent))
    # All work is the first thread's. MPI's own threads wait.
    own = sum(task[4] - task[3] for task in graph["tasks"] if task[0] == 0)
    if graph["time"]["work"] != own or len(graph["parallelism"]["levels"]) > 2:
        raise CheckFailed(f"{trace.name}: {graph['time']}, {graph['parallelism']}")
    tasks = [(task[3], task[4]) for task in graph["tasks"] if task[0] == 0]
    for begin, end in waits:
        if over := [task for task in tasks if max(begin, task[0]) < min(end, task[1])]:
            raise CheckFailed(f"{trace.name}: a task goes on from {begin} to {end}: {over[:3]}")
    if len(waits) < len(calls) / 2 or len(waits) + 1 > len(tasks):
        raise CheckFailed(f"{trace.name}: {len(waits)} waits between {len(tasks)} tasks")


def check(library: str, home: Path) -> str:
    """Compares what the traces tell with the log."""
    logged = settings(library, CLANG, MPI_LOG=str(home / "log"))
    plain: list[str | Path] = [f"mpicc.{library}", "-O2", "-w", SOURCES / "ring.c"]
    run([*plain, SOURCES / "log.c", "-o", "logged"], home, env=logged)
    printed = run([*start(library), home / "logged"], home, env=logged)
    expected = [(home / f"log.{rank}").read_text().split() for rank in range(RANKS)]
    traced = settings(library, PATHCC, PATHCC_PROFILE=str(home))
    run([*plain, "-g", "-fpath-mode=trace", "-o", "traced"], home, env=traced)
    found = run([*start(library), home / "traced"], home, env=traced)
    if sorted(found.splitlines()) != sorted(printed.splitlines()):
        raise CheckFailed(f"prints {found!r} instead of {printed!r}")
    told = [calls(trace) for trace in home.glob("traced.*.pathtrace")]
    if sorted(told) != sorted(expected):
        raise CheckFailed(f"tells {told} instead of {expected}")
    for trace in home.glob("traced.*.pathtrace"):
        check_waits(trace)
    return f"{sum(map(len, told))} calls of {RANKS} processes"


def check_fortran(home: Path) -> str:
    """The forms of Fortran have the names of C."""
    build = [PATHFC, "-fpath-mode=trace", SOURCES / "ring.f90", "-o", "traced"]
    run([*build, "-lmpichfort", "-lmpich"], home)
    traced = settings("mpich", PATHCC, PATHCC_PROFILE=str(home))
    run([*start("mpich"), home / "traced"], home, env=traced)
    expected = [["MPI_Init", "MPI_Barrier", "MPI_Finalize"]] * RANKS
    told = [calls(trace) for trace in home.glob("traced.*.pathtrace")]
    if told != expected:
        raise CheckFailed(f"tells {told} instead of {expected}")
    return f"{sum(map(len, told))} calls"
