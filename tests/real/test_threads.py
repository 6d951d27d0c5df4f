"""Programs of several threads and processes: counts, traces, task graphs, memory and races."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real import mapreduce, memory, mpi, openmp, parallel, races, task_forms

Found = Callable[[str], None]


@pytest.mark.parametrize("name", mapreduce.ITEMS)
def test_mapreduce(name: str, found: Found) -> None:
    found(mapreduce.check(name))


@pytest.mark.parametrize("program", races.PROGRAMS, ids=lambda program: program.name)
def test_races(program: races.Program, home: Path, found: Found) -> None:
    found(races.check(program, home))


@pytest.mark.parametrize("name", openmp.PROGRAMS)
def test_openmp(name: str, home: Path, found: Found) -> None:
    found(openmp.check(name, home))


@pytest.mark.parametrize("name", memory.CHECKS)
def test_memory(name: str, home: Path, found: Found) -> None:
    found(memory.CHECKS[name](home))


@pytest.mark.parametrize("library", mpi.LIBRARIES)
def test_mpi(library: str, home: Path, found: Found) -> None:
    found(mpi.check(library, home))


def test_mpi_in_fortran(home: Path, found: Found) -> None:
    found(mpi.check_fortran(home))


@pytest.mark.parametrize("name", task_forms.KERNELS)
def test_forms_of_task_graphs(name: str, home: Path, found: Found) -> None:
    found(task_forms.check(name, home))


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("kernel", parallel.KERNELS, ids=lambda kernel: kernel.name)
def test_parallel(kernel: parallel.Kernel, level: str, found: Found) -> None:
    found(parallel.check(kernel, level))
