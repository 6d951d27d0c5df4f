"""Real programs and kernels, built by their own build systems at several levels.

A program from pathcc does the same as one from plain clang (output, exit status, files). Its counts
equal those of the block log (oracle 2) and, at -O0, those of clang's two coverage tools, callgrind
and clang's value profile (oracle 3).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.real import modes, oracle_calls, oracle_cov, oracle_log, overflow, sources
from tests.real.build import MODES, build, difference, work
from tests.real.conftest import place_for
from tests.real.programs import KERNELS, PROGRAMS, Program
from tests.real.tools import PATH_TEXTS, CheckFailed, run

Found = Callable[[str], None]


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


JOBS = [Job(program, level) for program in PROGRAMS + KERNELS for level in program.levels]


def on(wanted: Callable[[Job], bool] = lambda _: True) -> list[object]:
    """The jobs that a check is made for. All checks of a job run in one process, which builds it
    once.
    """
    return [
        pytest.param(
            job,
            id=str(job),
            marks=[
                pytest.mark.xdist_group(str(job)),
                *([pytest.mark.slow] if job.program.package else []),
            ],
        )
        for job in JOBS
        if wanted(job)
    ]


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Where a job is done."""
    job = request.param
    package = job.program.package
    source = sources.fetch([package])[package] if package else None
    for home in place_for(request, str(job)):
        yield Place(job, source, home)


@pytest.fixture(scope="module")
def output(place: Place) -> str:
    """Builds with clang and with pathcc; the big work must come out the same."""
    program, home = place.program, place.home
    plain, paths = (
        build(program, place.source, how, place.flags, home) for how in ("plain", "paths")
    )
    steps = program.work["big"](plain)
    expected = work(program, plain, steps, home / "plain.profiles")
    got = work(program, paths, program.work["big"](paths), home / "paths.profiles")
    differs = difference(steps, expected, got)
    if differs:
        raise CheckFailed(differs)
    if any(outcome.status != 0 for outcome in expected.outcomes):
        raise CheckFailed(
            "a step fails with plain clang too: "
            f"{[outcome.status for outcome in expected.outcomes]}"
        )
    profiles = len(list((home / "paths.profiles").glob("*.pathprof")))
    if profiles == 0:
        raise CheckFailed("the runs left no profile")
    size = sum(len(outcome.out) for outcome in expected.outcomes)
    equal = f"{size} bytes and {len(expected.files)} files equal"
    return f"{len(steps)} runs, {equal}, {profiles} profiles"


@pytest.fixture(scope="module")
def calm(place: Place, output: str) -> modes.Calm:
    """The calm work of the build of paths, which other builds are compared with."""
    return modes.calm(place.program, place.home)


@pytest.mark.parametrize("place", on(), indirect=True)
def test_output(output: str, found: Found) -> None:
    found(output)


@pytest.mark.parametrize("place", on(), indirect=True)
def test_no_two_paths_read_the_same(place: Place, output: str, found: Found) -> None:
    """In no width."""
    found(run([PATH_TEXTS, place.home / "paths.profiles"], place.home).decode().strip())


@pytest.mark.parametrize("place", on(), indirect=True)
def test_block_log(place: Place, output: str, found: Found) -> None:
    home = place.home
    found(oracle_log.check(place.program, place.source, place.flags, home, home / "paths"))


@pytest.mark.parametrize("how", MODES)
@pytest.mark.parametrize("place", on(), indirect=True)
def test_mode(place: Place, how: str, calm: modes.Calm, found: Found) -> None:
    """Blocks, edges and calls that are counted ran as often as the paths say."""
    if place.job.is_slow and how not in modes.FEW_MODES:
        pytest.skip("clang takes a minute for it")
    found(modes.check(place.program, place.source, place.flags, place.home, calm, how))


@pytest.mark.parametrize("place", on(lambda job: not job.is_slow), indirect=True)
def test_uncut_paths(place: Place, calm: modes.Calm, found: Found) -> None:
    found(overflow.check(place.program, place.source, place.flags, place.home))


@pytest.mark.parametrize("place", on(lambda job: job.level == "-O0"), indirect=True)
def test_coverage_of_clang(place: Place, found: Found) -> None:
    found(oracle_cov.check(place.program, place.source, place.home))


@pytest.mark.parametrize("place", on(lambda job: job.level == "-O0"), indirect=True)
def test_callgrind_and_value_profile(place: Place, found: Found) -> None:
    found(oracle_calls.check(place.program, place.source, place.home))


@pytest.mark.parametrize("place", on(lambda job: str(job) == "sort-O0"), indirect=True)
def test_the_block_log_finds_differences(place: Place, output: str, found: Found) -> None:
    """The oracle itself: with the profile of other work it must find some."""
    program, home = place.program, place.home
    log = build(program, place.source, "log", place.flags, home)
    work(program, log, program.work["small"](log), home / "small.profiles")
    logs = list(home.glob("small.profiles/*.pathlog"))
    # The profiles of the big work.
    profiles = list(home.glob("paths.profiles/*.pathprof"))
    compared = oracle_log.replay([home / "paths/sort"], logs, profiles)
    if compared.differences == 0:
        raise CheckFailed("a log and a profile of different work are called equal")
    found(f"{compared.differences} differences between different runs are found")
