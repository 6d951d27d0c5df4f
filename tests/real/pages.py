"""Tests the pages of `pathprof html` in a browser: small programs, and sqlite.

    python3 -m tests.real.pages [FILE]…

Builds sqlite and lets it work, then runs the tests in viewer/tests. With files, only those.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.real import sources
from tests.real.build import build, work
from tests.real.programs import PROGRAMS
from tests.real.tools import PATHCC, ROOT, SCRATCH, environment

TESTS = ROOT / "viewer/tests"


def sqlite(home: Path) -> Path:
    """The profile of sqlite's work, as the checks of programs left it if they have run. Its sources
    stay where it was compiled.
    """
    program = next(program for program in PROGRAMS if program.name == "sqlite")
    profiles = home / "output.profiles"
    made = home / "paths/sqlite3"
    if not made.exists() or made.stat().st_mtime < PATHCC.stat().st_mtime:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        tree = build(program, sources.fetch(["sqlite3"])["sqlite3"], "paths", "-g -O2", home)
        work(program, tree, program.work["big"](tree), profiles)
    if not (home / "build").exists():
        (home / "build").symlink_to(home / "paths")
    return next(profiles.glob("*.pathprof"))


def main() -> int:
    if not PATHCC.exists():
        print(f"{PATHCC} does not exist: run `make build` first", file=sys.stderr)
        return 2
    subprocess.run([ROOT / "scripts/viewer", "packages"], check=True)
    profile = sqlite(SCRATCH / "build/sqlite-O2")
    env = environment(PAGES_SQLITE=str(profile), PATHCC_TREE=str(PATHCC.parents[1]))
    env["PATH"] = os.environ["PATH"]
    files = sys.argv[1:] or [str(file) for file in sorted(TESTS.glob("*.test.js"))]
    return subprocess.run(
        ["node", "--test", "--test-concurrency=2", *files], env=env, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
