"""The lessons in examples/: what their READMEs tell one to type must work."""

import re
import shutil
from pathlib import Path

from tests.real.tools import ROOT, SCRATCH, TREE, CheckFailed, environment, run

LESSONS = sorted(
    path.parent for path in (ROOT / "examples").glob("*/README.md") if path.parent.name != "kernels"
)


def commands(readme: str) -> list[str]:
    """The indented lines of a README, with continuation lines joined."""
    unfenced = re.sub(r"^```.*?^```$", "", readme, flags=re.MULTILINE | re.DOTALL)
    joined = unfenced.replace("\\\n", " ")
    return [line.strip() for line in joined.splitlines() if line.startswith("    ")]


def check(lesson: Path) -> str:
    """Types what the README says, in a copy of the lesson; every `pathprof report` must show
    something.
    """
    lines = commands((lesson / "README.md").read_text())
    reports = sum(line.startswith("pathprof report") for line in lines)
    if reports == 0:
        raise CheckFailed("the README shows no report")
    place = SCRATCH / "examples" / lesson.name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(lesson, place)
    env = environment(PATH=f"{TREE}/bin:{environment()['PATH']}")
    del env["PATHCC_PROFILE"]
    out = run(["sh", "-eu", "-c", "\n".join(lines)], place, env=env).decode()
    shown = len(re.findall(r"^paths +\d+", out, re.MULTILINE))
    if shown < reports:
        raise CheckFailed(f"{reports} reports are asked for, {shown} appear:\n{out[-2000:]}")
    if not any(place.rglob("*.pathprof")):
        raise CheckFailed("no profile was written")
    shutil.rmtree(place)
    return f"{len(lines)} commands, {shown} reports"
