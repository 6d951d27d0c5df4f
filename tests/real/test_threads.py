"""Programs of several threads and processes: counts, traces, task graphs, memory and races."""

from itertools import islice
from pathlib import Path

import pytest

from tests.real import (
    mapreduce,
    memory,
    mpi,
    openmp,
    orders,
    parallel,
    races,
    random_orders,
    random_threads,
    task_forms,
)
from tests.real.conftest import Found

LEVELS = ("-O0", "-O2")


@pytest.mark.parametrize("name", mapreduce.ITEMS)
def test_mapreduce(name: str, found: Found) -> None:
    found(mapreduce.check(name))


@pytest.mark.parametrize("program", races.PROGRAMS, ids=lambda program: program.name)
def test_races(program: races.Program, home: Path, found: Found) -> None:
    found(races.check(program, home))


def test_calls_of_races(home: Path, found: Found) -> None:
    found(races.check_calls(home))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", orders.PROGRAMS, ids=lambda program: program.name)
def test_order(program: orders.Program, level: str, home: Path, found: Found) -> None:
    found(orders.check(program, level, home))


@pytest.mark.parametrize("allocator", orders.ALLOCATORS)
@pytest.mark.parametrize("program", orders.WITH_ALLOCATORS, ids=lambda program: program.name)
def test_order_with_allocator(
    program: orders.Program, allocator: str, home: Path, found: Found
) -> None:
    if "_of_library" in program.name:
        pytest.skip("of an allocator that is linked in, calls of other code are not known")
    found(orders.check(program, "-O2", home, linked=orders.ALLOCATORS[allocator]))


@pytest.mark.parametrize("program", orders.WITH_ALLOCATORS, ids=lambda program: program.name)
def test_order_with_preloaded_allocator(program: orders.Program, home: Path, found: Found) -> None:
    if "_of_library" in program.name and program.path.suffix == ".cpp":
        pytest.skip("jemalloc has an operator new of its own")
    found(orders.check(program, "-O0", home, preloaded=orders.PRELOADED))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(12))
def test_random_order(seed: int, level: str, home: Path, found: Found) -> None:
    found(random_orders.check(seed, level, home))


@pytest.mark.parametrize("seed", range(12))
def test_random_threads(seed: int, home: Path, found: Found) -> None:
    found(random_threads.check(seed, LEVELS[seed % 2], home))


@pytest.mark.parametrize("seed", islice(random_threads.without_fences(), 3))
def test_random_threads_sanitized(seed: int, home: Path, found: Found) -> None:
    found(random_threads.check_sanitized(seed, home))


@pytest.mark.parametrize("name", openmp.PROGRAMS)
def test_openmp(name: str, home: Path, found: Found) -> None:
    found(openmp.check(name, home, runs=1))


@pytest.mark.full
@pytest.mark.parametrize("name", openmp.PROGRAMS)
def test_openmp_again_and_again(name: str, home: Path, found: Found) -> None:
    """Threads meet in another order each time."""
    found(openmp.check(name, home, runs=5))


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


@pytest.mark.parametrize(
    ("kernel", "level"),
    # `make test` has each at one level, in turn.
    [
        pytest.param(
            kernel,
            level,
            id=f"{kernel.name}{level}",
            marks=[] if level == LEVELS[number % 2] else [pytest.mark.full],
        )
        for number, kernel in enumerate(parallel.KERNELS)
        for level in LEVELS
    ],
)
def test_parallel(kernel: parallel.Kernel, level: str, found: Found) -> None:
    found(parallel.check(kernel, level))
