"""Real programs and kernels, built by their own build systems at several levels.

A program from pathcc does the same as one from plain clang (output, exit status, files). Its counts
equal those of the block log (oracle 2) and, at -O0, those of clang's two coverage tools, callgrind
and clang's value profile (oracle 3).
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from tests.real import (
    modes,
    oracle_calls,
    oracle_cov,
    oracle_instructions,
    oracle_log,
    overflow,
    sources,
)
from tests.real.build import MODES, Ran, build, difference, work
from tests.real.conftest import Found, place_for
from tests.real.programs import KERNELS, PROGRAMS, Program, Step
from tests.real.tools import PATH_TEXTS, CheckFailed, run

LEVELS = ["-O0", "-O2", "-O3"]


@dataclass(frozen=True)
class Job:
    """A program at a level."""

    program: Program
    level: str

    def __str__(self) -> str:
        return f"{self.program.name}{self.level}"

    @property
    def is_slow(self) -> bool:
        return self.program.is_large and self.level != "-O0"


@dataclass(frozen=True)
class Place:
    """A job, and where it is done."""

    job: Job
    source: Path | None
    home: Path

    @property
    def program(self) -> Program:
        return self.job.program

    @property
    def flags(self) -> str:
        return f"-g {self.job.level}"


JOBS = [
    Job(program, level)
    for program in sorted(PROGRAMS, key=lambda program: not program.is_large) + KERNELS
    for level in program.levels
]

# What `make test` builds: each program at one level, so that each level has a real program and
# kernels. Of sqlite, whose one file takes clang a minute, the output is checked at both levels, the
# texts of its paths at -O2, and blocks against paths at -O0.
QUICK = {
    "lua-O2",
    "bzip2-O3",
    "zlib-O0",
    "sqlite-O0",
    *(f"{kernel.name}{level}" for kernel, level in zip(KERNELS, cycle(LEVELS), strict=False)),
}


def is_any(_: Job) -> bool:
    return True


def is_quick(job: Job) -> bool:
    """Whether it can be built in many ways."""
    return not job.is_slow


def is_plain(job: Job) -> bool:
    """Whether the code is that of the source, line for line."""
    return job.level == "-O0"


def on(
    wanted: Callable[[Job], bool] = is_any,
    also: Collection[str] = (),
    without: Collection[str] = (),
    values: Collection[str] = (),
) -> list[object]:
    """The jobs that a check is made for, with these values of other parameters. Those that are not
    in `QUICK` or `also`, and those in `without`, are left to `make test-all`. All checks of a job
    run in one process, which builds it once.
    """
    params = []
    for job in JOBS:
        if wanted(job):
            name = str(job)
            marks = [pytest.mark.xdist_group(name)]
            if job.program.package:
                marks.append(pytest.mark.slow)
            if name in without or name not in {*QUICK, *also}:
                marks.append(pytest.mark.full)
            params.append(pytest.param(job, *values, id="-".join([name, *values]), marks=marks))
    return params


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Where a job is done."""
    job = request.param
    package = job.program.package
    source = sources.fetch([package])[package] if package else None
    # The page of sqlite is tested in a browser: `pages.py`.
    keeps = str(job) == "sqlite-O2"
    for home in place_for(request, str(job), keeps):
        yield Place(job, source, home)


def same_work(place: Place, how: str, size: str, name: str) -> tuple[Ran, list[Step]]:
    """Builds with clang and with pathcc as `how` says. The work of a size must come out the same;
    profiles are in a folder of this name.
    """
    program, home = place.program, place.home
    plain, counted = (
        build(program, place.source, way, place.flags, home) for way in ("plain", how)
    )
    steps = program.work[size](plain)
    expected = work(program, plain, steps, home / "plain.profiles")
    got = work(program, counted, program.work[size](counted), home / f"{name}.profiles")
    differs = difference(steps, expected, got)
    if differs:
        raise CheckFailed(differs)
    return expected, steps


@pytest.fixture(scope="module")
def output(place: Place) -> str:
    """Builds with clang and with pathcc; the big work must come out the same."""
    expected, steps = same_work(place, "paths", "big", "output")
    home = place.home
    if any(outcome.status != 0 for outcome in expected.outcomes):
        raise CheckFailed(
            "a step fails with plain clang too: "
            f"{[outcome.status for outcome in expected.outcomes]}"
        )
    profiles = len(list((home / "output.profiles").glob("*.pathprof")))
    if profiles == 0:
        raise CheckFailed("the runs left no profile")
    size = sum(len(outcome.out) for outcome in expected.outcomes)
    equal = f"{size} bytes and {len(expected.files)} files equal"
    return f"{len(steps)} runs, {equal}, {profiles} profiles"


@pytest.fixture(scope="module")
def calm(place: Place, output: str) -> modes.Calm:
    """The calm work of the build of paths, which other builds are compared with."""
    return modes.calm(place.program, place.home)


@pytest.mark.parametrize("place", on(also=["sqlite-O2"]), indirect=True)
def test_output(output: str, found: Found) -> None:
    found(output)


@pytest.mark.parametrize("place", on(also=["sqlite-O2"], without=["sqlite-O0"]), indirect=True)
def test_no_two_paths_read_the_same(place: Place, output: str, found: Found) -> None:
    """In no width."""
    found(run([PATH_TEXTS, place.home / "output.profiles"], place.home).decode().strip())


@pytest.mark.parametrize("place", on(without=["sqlite-O0"]), indirect=True)
def test_block_log(place: Place, output: str, found: Found) -> None:
    home = place.home
    found(oracle_log.check(place.program, place.source, place.flags, home, home / "paths"))


@pytest.mark.parametrize("place", on(without=["sqlite-O0"]), indirect=True)
def test_machine_code(place: Place, found: Found) -> None:
    """Counted in machine code, it does the same, and has the counts of its block log."""
    program, home = place.program, place.home
    same_work(place, "machine", "small", "machine")
    counted = home / "machine"
    logged = build(program, place.source, "machine-log", place.flags, home)
    compared = oracle_log.compare_builds(program, counted, logged, program.work["small"](counted))
    if compared.differences:
        raise CheckFailed(compared.text)
    found(f"{compared.functions} functions, {compared.paths} paths, {compared.blocks} blocks")


@pytest.mark.parametrize("place", on(without=["sqlite-O0"]), indirect=True)
def test_executed_instructions(place: Place, found: Found) -> None:
    """Callgrind counts the same machine instructions, at each address of counted code."""
    program, home = place.program, place.home
    found(oracle_instructions.check(program, place.source, place.job.level, home))


@pytest.mark.parametrize(
    ("place", "how"),
    [
        param
        for how in MODES
        for param in on(
            # Clang takes a minute for each of the others.
            is_any if how in modes.FEW_MODES else is_quick,
            without=[] if how == "blocks" else ["sqlite-O0"],
            values=[how],
        )
    ],
    indirect=["place"],
)
def test_mode(place: Place, how: str, calm: modes.Calm, found: Found) -> None:
    """Blocks, edges and calls that are counted ran as often as the paths say."""
    found(modes.check(place.program, place.source, place.flags, place.home, calm, how))


@pytest.mark.parametrize("place", on(is_quick, without=["sqlite-O0"]), indirect=True)
def test_uncut_paths(place: Place, calm: modes.Calm, found: Found) -> None:
    found(overflow.check(place.program, place.source, place.flags, place.home))


@pytest.mark.parametrize("place", on(is_plain, ["lua-O0"], ["sqlite-O0"]), indirect=True)
def test_coverage_of_clang(place: Place, found: Found) -> None:
    found(oracle_cov.check(place.program, place.source, place.home))


@pytest.mark.parametrize("place", on(is_plain, ["lua-O0"], ["sqlite-O0"]), indirect=True)
def test_callgrind_and_value_profile(place: Place, found: Found) -> None:
    found(oracle_calls.check(place.program, place.source, place.home))


@pytest.mark.parametrize("place", on(lambda job: str(job) == "sort-O0", ["sort-O0"]), indirect=True)
def test_the_block_log_finds_differences(place: Place, output: str, found: Found) -> None:
    """The oracle itself: with the profile of other work it must find some."""
    program, home = place.program, place.home
    log = build(program, place.source, "log", place.flags, home)
    work(program, log, program.work["small"](log), home / "small.profiles")
    logs = list(home.glob("small.profiles/*.pathlog"))
    # The profiles of the big work.
    profiles = list(home.glob("output.profiles/*.pathprof"))
    compared = oracle_log.replay([home / "paths/sort"], logs, profiles)
    if compared.differences == 0:
        raise CheckFailed("a log and a profile of different work are called equal")
    found(f"{compared.differences} differences between different runs are found")
