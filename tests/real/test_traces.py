"""Traces of kernels against their block logs and clang's own callbacks, and against traces from
which nothing is left out.
"""

from itertools import cycle
from pathlib import Path

import pytest

from tests.real import elisions, parallel, traces
from tests.real.conftest import Found, sample
from tests.real.programs import KERNELS, PROGRAMS, Program


def kernels() -> list[object]:
    """Kernels and levels. `make test` has each kernel at one of two, in turn."""
    levels = ("-O0", "-O2")
    return [
        pytest.param(
            kernel,
            level,
            id=f"{kernel.name}{level}",
            marks=[] if is_long or level == levels[number % 2] else [pytest.mark.full],
        )
        for number, kernel in enumerate(KERNELS)
        for is_long in [kernel.name in traces.LONG]
        for level in levels
        if level == "-O2" or not is_long
    ]


@pytest.mark.parametrize(("kernel", "level"), kernels())
def test_order(kernel: Program, level: str, home: Path, found: Found) -> None:
    """Against the block log."""
    found(traces.check_order(kernel, None, f"-g {level}", home))


@pytest.mark.parametrize(("kernel", "level"), kernels())
def test_accesses(kernel: Program, level: str, home: Path, found: Found) -> None:
    """Against clang's own callbacks."""
    found(traces.check_accesses(kernel, f"-g {level}", home))


# One level: the code of a real program takes all of clang's ways.
@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(program, id=program.name, marks=[pytest.mark.full] if program.is_large else [])
        for program in PROGRAMS
    ],
)
def test_elisions_of_program(program: Program, home: Path, found: Found) -> None:
    found(elisions.check_program(program, "-O2", home))


@pytest.mark.parametrize(
    ("kernel", "level"),
    [
        pytest.param(
            kernel,
            level,
            id=f"{kernel.name}{level}",
            marks=[] if number % 4 < 2 else [pytest.mark.full],
        )
        for number, (kernel, level) in enumerate(zip(KERNELS, cycle(("-O1", "-O3")), strict=False))
        if kernel.name not in traces.LONG
    ],
)
def test_elisions_of_kernel(kernel: Program, level: str, home: Path, found: Found) -> None:
    found(elisions.check_kernel(kernel, level, home))


@pytest.mark.parametrize(
    "kernel",
    # It has threads in any case, and their stacks hold what is shared.
    sample(2, (one for one in parallel.KERNELS if one.name != "dedup"), lambda one: one.name),
)
def test_elisions_of_parallel(kernel: parallel.Kernel, home: Path, found: Found) -> None:
    found(elisions.check_parallel(kernel, "-O2", home))


@pytest.mark.parametrize("seed", sample(2, elisions.SEEDS))
def test_elisions_of_random(seed: int, home: Path, found: Found) -> None:
    found(elisions.check_random(seed, "-O2", home))
