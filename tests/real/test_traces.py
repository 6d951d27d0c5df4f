"""Traces of kernels against their block logs and clang's own callbacks, and against traces from
which nothing is left out.
"""

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from tests.real import elisions, parallel, traces
from tests.real.programs import KERNELS, PROGRAMS, Program

Found = Callable[[str], None]


def kernels() -> list[object]:
    """Kernels and levels."""
    return [
        pytest.param(kernel, level, id=f"{kernel.name}{level}")
        for kernel in KERNELS
        for level in ("-O0", "-O2")
        if level == "-O2" or kernel.name not in traces.LONG
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
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_elisions_of_program(program: Program, home: Path, found: Found) -> None:
    found(elisions.check_program(program, "-O2", home))


@pytest.mark.parametrize(
    ("kernel", "level"),
    [
        pytest.param(kernel, level, id=f"{kernel.name}{level}")
        for kernel, level in zip(KERNELS, cycle(("-O1", "-O3")), strict=False)
        if kernel.name not in traces.LONG
    ],
)
def test_elisions_of_kernel(kernel: Program, level: str, home: Path, found: Found) -> None:
    found(elisions.check_kernel(kernel, level, home))


@pytest.mark.parametrize(
    "kernel",
    # It has threads in any case, and their stacks hold what is shared.
    [kernel for kernel in parallel.KERNELS if kernel.name != "dedup"],
    ids=lambda kernel: kernel.name,
)
def test_elisions_of_parallel(kernel: parallel.Kernel, home: Path, found: Found) -> None:
    found(elisions.check_parallel(kernel, "-O2", home))


@pytest.mark.parametrize("seed", elisions.SEEDS)
def test_elisions_of_random(seed: int, home: Path, found: Found) -> None:
    found(elisions.check_random(seed, "-O2", home))
