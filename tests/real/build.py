"""Builds a program in several ways and runs its work."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.real.programs import Program, Step
from tests.real.tools import CLANG, PATHCC, Outcome, attempt, environment
from tests.real.ways import LOG, TRACE_LOG

# How each build calls the compiler. Everything else about a build is the same.
COMPILERS = {
    "plain": CLANG,
    # The same code as in the other modes.
    "paths": f"{PATHCC} -fpath-stage=late",
    "blocks": f"{PATHCC} -fpath-mode=blocks",
    "patterns": f"{PATHCC} -fpath-mode=blocks -fpath-placement=patterns",
    "edges": f"{PATHCC} -fpath-mode=edges",
    "calls": f"{PATHCC} -fpath-mode=calls",
    "callees": f"{PATHCC} -fpath-mode=calls -fpath-callees=256",
    "uncut": f"{PATHCC} -fpath-limit=16 -fpath-overflow=hash",
    "crowded": f"{PATHCC} -fpath-limit=16 -fpath-overflow=hash -fpath-table=4",
    "log": f"{PATHCC} -fpath-stage=late {LOG}",
    "machine": f"{PATHCC} -fpath-stage=machine",
    "machine-log": f"{PATHCC} -fpath-stage=machine {LOG}",
    "trace": f"{PATHCC} -fpath-mode=trace",
    "trace-log": f"{PATHCC} {TRACE_LOG}",
    "early": f"{PATHCC} -fpath-stage=early",
    # Without atomic updates their counts are wrong under threads.
    "coverage": f"{CLANG} -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic",
    # With room for all callees of a call.
    "values": (
        f"{CLANG} -fprofile-generate -mllvm -disable-preinline -mllvm -vp-counters-per-site=16"
    ),
    "gcov": f"{CLANG} --coverage -fprofile-update=atomic",
}


# The builds that count what also follows from paths.
MODES = ("blocks", "patterns", "edges", "calls")


# The builds whose units have the same names, so that they can be compared.
SAME_PLACE = ("paths", "log", "machine", "machine-log", "uncut", "crowded", *MODES)


@dataclass(frozen=True)
class Ran:
    """What a program's work did: the outcome of each step, and the files left with their hashes."""

    outcomes: list[Outcome]
    files: dict[str, str]


def build(program: Program, source: Path | None, how: str, flags: str, home: Path) -> Path:
    """Builds a copy of `source` in a directory of `home`; returns the built tree.

    The builds that are compared with each other are made at the same place, since a module's
    identity includes the directory that it was compiled in.
    """
    tree = home / how
    place = home / "build" if how in SAME_PLACE else tree
    for old in (tree, place):
        shutil.rmtree(old, ignore_errors=True)
    if source is None:
        place.mkdir(parents=True)
    else:
        shutil.copytree(source, place, symlinks=True)
    program.build(place, COMPILERS[how], flags)
    if place != tree:
        place.rename(tree)
    return tree


def work(program: Program, tree: Path, steps: list[Step], profiles: Path, **variables: str) -> Ran:
    """Runs `steps` in a fresh directory; profiles and logs go to `profiles`.

    Every build is run under the same name, `../tree`, since a program may take another way when its
    own path changes.
    """
    place, link = tree.with_name("work"), tree.with_name("tree")
    for directory in (place, profiles):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    link.unlink(missing_ok=True)
    link.symlink_to(tree)
    env = environment(PATHCC_PROFILE=f"{profiles}/%e.%p.pathprof", **variables)
    if program.library_path:
        env["LD_LIBRARY_PATH"] = f"../tree/{program.library_path}"
    outcomes = []
    for step in steps:
        argv = [f"../tree/{word[1:]}" if word.startswith("@") else word for word in step.argv]
        stdin = step.stdin if isinstance(step.stdin, bytes) else step.stdin.read_bytes()
        outcomes.append(attempt(argv, place, stdin, env))
    files = {
        str(file.relative_to(place)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(place.rglob("*"))
        if file.is_file()
    }
    shutil.rmtree(place)
    return Ran(outcomes, files)


def difference(steps: list[Step], expected: Ran, got: Ran) -> str | None:
    """Where two runs differ, or None."""
    for step, one, other in zip(steps, expected.outcomes, got.outcomes, strict=True):
        for what in ("status", "out", "err"):
            before, after = getattr(one, what), getattr(other, what)
            if before != after:
                command = " ".join(step.argv)
                return f"{command}: {what} was {shortened(before)} and is {shortened(after)}"
    if expected.files != got.files:
        names = sorted(name for name, _ in expected.files.items() ^ got.files.items())
        return f"other files are left behind: {', '.join(dict.fromkeys(names))}"
    return None


def shortened(value: int | bytes) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"
