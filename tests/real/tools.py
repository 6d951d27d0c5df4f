"""Where the tools are, and how commands are run.

They run quietly; the output of one that fails is shown.
"""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(os.environ.get("PATHCC_TREE", ROOT / "target/pathcc"))
CARGO_OUT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SCRATCH = ROOT / "target/real"
# What comes from the network and outlives a run.
CACHE = Path(os.environ.get("PATHCC_TEST_CACHE", ROOT / "target/cache"))

PATHCC = TREE / "bin/pathcc"
PATHFC = TREE / "bin/pathfc"
PATHPROF = TREE / "bin/pathprof"
CLANG = "clang-22"
REPLAY = CARGO_OUT / "release/replay"
PATH_TEXTS = CARGO_OUT / "release/path_texts"


class CheckFailed(Exception):
    """A check did not hold; the text says which and how."""


class TookTooLong(CheckFailed):
    """A program did not end in time."""


@dataclass(frozen=True)
class Outcome:
    """What a program did: exit status (negative: signal), standard output and error."""

    status: int
    out: bytes
    err: bytes


def environment(**changes: str) -> dict[str, str]:
    """The environment of every command: C locale, no profile unless asked for, no outside flags."""
    dropped = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    env = {
        name: value
        for name, value in os.environ.items()
        # What pytest says of a test is another in each, and how much it is moves the stack.
        if name not in dropped and not name.startswith("PYTEST_")
    }
    fixed = {"LC_ALL": "C", "TZ": "UTC", "PATHCC_PROFILE": "off", "RUST_BACKTRACE": "0"}
    return env | fixed | changes


def attempt(
    argv: Iterable[object],
    cwd: Path,
    stdin: bytes = b"",
    env: dict | None = None,
    seconds: float = 900,
) -> Outcome:
    """Runs a program and says what it did.

    If it does not end in time, it and its children are killed: `TookTooLong`.
    """
    command = [str(argument) for argument in argv]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=env or environment(),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        process_group=0,
    ) as program:
        try:
            out, err = program.communicate(stdin, seconds)
        except BaseException as failure:
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            if isinstance(failure, subprocess.TimeoutExpired):
                raise TookTooLong(
                    f"`{shlex.join(command)}` did not end within {seconds:.0f} s (in {cwd})"
                ) from None
            raise
    return Outcome(program.returncode, out, err)


def run(
    argv: Iterable[object],
    cwd: Path,
    stdin: bytes = b"",
    env: dict | None = None,
    seconds: float = 900,
) -> bytes:
    """Runs a program that must succeed; returns its standard output."""
    outcome = attempt(argv, cwd, stdin, env, seconds)
    if outcome.status != 0:
        tail = "\n".join((outcome.out + outcome.err).decode(errors="replace").splitlines()[-25:])
        command = shlex.join(str(argument) for argument in argv)
        raise CheckFailed(f"`{command}` failed with status {outcome.status} (in {cwd}):\n{tail}")
    return outcome.out


def export(place: Path, *profiles: Path | str) -> dict:
    """All that `pathprof export` tells of profiles."""
    return json.loads(run([PATHPROF, "export", "--format", "json", *profiles], place))


def build_tools() -> None:
    """Builds the programs of the tests, such as `replay`, which reads block logs."""
    run(["make", "--silent", "tools"], ROOT)
