"""The phases of the collector `pathcc`, as Perun calls them, and its command.

`before` builds the program, `collect` runs it, `after` reads the counts, and `teardown` removes
what was left behind, whether a phase failed or not.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from perun.logic import runner
from perun.profiles.native import Profile
from perun.utils import log
from perun.utils.external import commands
from perun.utils.structs.common_structs import CollectStatus, Executable

from perun_pathcc.resources import KINDS, resources

Phase = tuple[CollectStatus, str, dict[str, Any]]

COMPILERS = {"CC": "pathcc", "CXX": "pathc++", "FC": "pathfc"}
"""What a build system has to call, by the variable that tells it so."""


def shell(command: str) -> str:
    """Runs a command of the user's; returns what it printed.

    Raises RuntimeError with the end of the output if the command fails.
    """
    log.minor_info(f"Running {log.cmd_style(command)}")
    done = subprocess.run(
        command,
        shell=True,
        check=False,
        env=os.environ | COMPILERS,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode != 0:
        end = "\n".join(done.stdout.splitlines()[-20:])
        raise RuntimeError(f"`{command}` failed with status {done.returncode}:\n{end}")
    return done.stdout


def before(build: str = "make", **_: Any) -> Phase:
    """Builds the program with pathcc."""
    log.major_info("Building with pathcc")
    for program in ("pathcc", "pathprof"):
        if shutil.which(program) is None:
            return CollectStatus.ERROR, f"{program} is not in PATH", {}
    if build:
        shell(build)
        log.minor_success("Building with pathcc")
    return CollectStatus.OK, "", {"place": tempfile.mkdtemp(prefix="perun-pathcc-")}


def collect(executable: Executable, place: str, **_: Any) -> Phase:
    """Runs the program once; its counts go to a folder of their own."""
    log.major_info("Running the program")
    commands.run_safely_external_command(
        str(executable),
        log_verbosity=log.VERBOSE_RELEASE,
        log_tag="main_run",
        env=os.environ | {"PATHCC_PROFILE": f"{place}/"},
    )
    if not any(Path(place).iterdir()):
        text = f"no counts were written: `pathprof doctor {executable.cmd}` says why"
        return CollectStatus.ERROR, text, {}
    return CollectStatus.OK, "", {}


def after(place: str, kinds: Iterable[str] = KINDS, **_: Any) -> Phase:
    """Turns the counts into a profile of Perun."""
    log.major_info("Reading the counts")
    exported = subprocess.run(
        ["pathprof", "export", "--format", "json", place],
        check=False,
        capture_output=True,
        text=True,
    )
    if exported.returncode != 0:
        return CollectStatus.ERROR, exported.stderr, {}
    document = json.loads(exported.stdout)
    # Perun's word for what is a number of a resource, and no part of its place.
    Profile.collectable.add("count")
    found = resources(document, kinds or KINDS)
    if not found:
        return CollectStatus.ERROR, "no instruction of code compiled by pathcc was executed", {}
    runs = document["profiles"]
    seconds = max(run["stop_ns"] for run in runs) - min(run["start_ns"] for run in runs)
    log.minor_success(f"{len(found)} resources")
    return (
        CollectStatus.OK,
        "",
        {"profile": {"global": {"time": str(seconds / 1e9), "resources": found}}},
    )


def teardown(place: str = "", clean: str = "", **_: Any) -> Phase:
    """Removes the counts, and by the user's own command what was built."""
    if place:
        shutil.rmtree(place, ignore_errors=True)
    if clean:
        shell(clean)
    return CollectStatus.OK, "", {}


def collect_by_command(**params: Any) -> None:
    """`perun collect pathcc`."""
    # Perun keeps the parameters in the profile, and reads lists from there.
    params["kinds"] = list(params["kinds"])
    runner.run_collector_from_cli_context(click.get_current_context(), "pathcc", params)


COMMAND = click.Command(
    "pathcc",
    callback=collect_by_command,
    params=[
        click.Option(
            ["--build", "-b"],
            default="make",
            show_default=True,
            metavar="COMMAND",
            help="Command that builds the program. CC, CXX and FC are pathcc's compilers. "
            "Empty: the program is built already.",
        ),
        click.Option(
            ["--clean"],
            default="",
            metavar="COMMAND",
            help="Command that removes what was built, run at the end.",
        ),
        click.Option(
            ["--kinds", "-k"],
            multiple=True,
            type=click.Choice(KINDS),
            help="What is kept of the counts; everything unless given.",
        ),
    ],
    help="Generates `pathcc` performance profile: the instructions that each function, "
    "basic block and path of the program executed, counted exactly.",
)
"""The subcommand of `perun collect`."""
