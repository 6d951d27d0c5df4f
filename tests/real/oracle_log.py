"""Oracle 2: a build that logs every block gives the same counts.

Its log of the same work is replayed into paths. Valid only for work that takes the same way in both
runs: no clock, no address and no random number may decide a branch.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.real.build import build, difference, work
from tests.real.programs import Program, Step
from tests.real.tools import REPLAY, ROOT, CheckFailed, attempt

SUMMARY = re.compile(
    r"^(\d+) functions, (\d+) paths, (\d+) blocks executed, (\d+) differences$", re.MULTILINE
)


@dataclass(frozen=True)
class Compared:
    """How much was compared, and in how much it differed."""

    functions: int
    paths: int
    blocks: int
    differences: int
    text: str


def replay(images: list[Path], logs: list[Path], profiles: list[Path]) -> Compared:
    """Compares logs with profiles of the same work."""
    if not logs or not profiles:
        raise CheckFailed(f"the runs left {len(logs)} logs and {len(profiles)} profiles")
    outcome = attempt([REPLAY, "--image", *images, "--log", *logs, "--profile", *profiles], ROOT)
    text = outcome.out.decode()
    summary = SUMMARY.search(text)
    if summary is None or outcome.status not in (0, 1):
        raise CheckFailed(f"the replay failed:\n{text}{outcome.err.decode()}")
    functions, paths, blocks, differences = map(int, summary.groups())
    return Compared(functions, paths, blocks, differences, text)


def compare_builds(program: Program, paths: Path, log: Path, steps: list[Step]) -> Compared:
    """Runs `steps` on the counting and on the logging build of a program and compares them."""
    counted, logged = paths.with_name("paths.profiles"), paths.with_name("log.profiles")
    first, second = work(program, paths, steps, counted), work(program, log, steps, logged)
    differs = difference(steps, first, second)
    if differs:
        raise CheckFailed(f"the logging build behaves in another way: {differs}")
    logs, profiles = sorted(logged.glob("*.pathlog")), sorted(counted.glob("*.pathprof"))
    compared = replay([paths / image for image in program.images], logs, profiles)
    for file in logs:
        file.unlink()
    return compared


def check(program: Program, source: Path | None, flags: str, home: Path, paths: Path) -> str:
    """Checks the small work of a program, whose counting build is `paths`; returns what was
    compared.
    """
    log = build(program, source, "log", flags, home)
    compared = compare_builds(program, paths, log, program.work["small"](paths))
    if compared.differences:
        raise CheckFailed(compared.text)
    if compared.blocks < 1000:
        raise CheckFailed(
            f"only {compared.blocks} blocks were executed: the work does not test anything"
        )
    return f"{compared.functions} functions, {compared.paths} paths, {compared.blocks} blocks"
