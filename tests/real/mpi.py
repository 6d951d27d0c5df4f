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
    return [event["function"] for event in events if event.get("operation") == "message"]


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
        run([PATHPROF, "trace", "graph", trace], home)
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
