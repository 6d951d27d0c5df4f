"""Measures what programs cost that are started again and again.

    python3 -m tests.bench.short [--quick] [--write docs/benchmarks.md]

`git --version`, a file of git's own tests, and PostgreSQL with a connection for each query: with
plain clang, with a raw file for each process (`single:`), and as it is by default, with standing
files. Prints a section for docs/benchmarks.md. With `--write`, the section takes the place of the
one that stands in the file.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.bench.costs import HOME, cpu_of, fresh_directory
from tests.bench.large import build_postgres
from tests.bench.one_section import write_section
from tests.bench.tables import markdown, table
from tests.real import sources
from tests.real.build import COMPILERS
from tests.real.programs import Build, Program, make
from tests.real.tools import attempt, environment, run

TITLE = "## Programs that are started again and again"

# How a build is run: which build, and its pattern of profiles.
KINDS = {"plain": ("plain", "off"), "single": ("machine", "single:"), "default": ("machine", "")}
HEADS = ["", "plain clang", "a file for each process", "by default"]

GIT_WORDS = [f"NO_{what}=1" for what in ("GETTEXT", "TCLTK", "PERL", "PYTHON", "CURL", "EXPAT")]


@dataclass
class Taken:
    """What each round took."""

    cpu: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)


def taken(act: Callable[[], None], into: Taken) -> None:
    """Adds what the children of this process take while it acts."""

    start = time.perf_counter()
    into.cpu.append(cpu_of(act))
    into.elapsed.append(time.perf_counter() - start)


def trees(name: str, package: str, build: Build) -> dict[str, Path]:
    """The builds of a program, where they were made: git's tests and PostgreSQL know the place."""
    source = sources.fetch([package])[package]
    program = Program(name, build, [], {}, package=package)
    home = fresh_directory(HOME / f"short-{name}")
    made = {}
    for kind in ("plain", "machine"):
        run(["cp", "-r", source, home / kind], home)
        program.build(home / kind, COMPILERS[kind], "-O2 -g")
        made[kind] = home / kind
    return made


def in_turn(rounds: int, act: Callable[[Path, dict[str, str]], None], of: dict[str, Path]) -> dict:
    """What each kind took in each round, in turn."""
    found = {kind: Taken() for kind in KINDS}
    for _ in range(rounds):
        for kind, (build, pattern) in KINDS.items():
            env = environment(PATHCC_PROFILE=pattern)
            taken(partial(act, of[build], env), found[kind])
    return found


def build_git(tree: Path, cc: str, flags: str) -> None:
    make(tree, f"-j{os.cpu_count()}", "all", f"CC={cc}", f"CFLAGS={flags}", *GIT_WORDS)


def versions(times: int) -> Callable[[Path, dict[str, str]], None]:
    """Starts `git --version` so many times."""

    def act(tree: Path, env: dict[str, str]) -> None:
        null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        for _ in range(times):
            argv = [str(tree / "git"), "--version"]
            os.waitpid(os.posix_spawn(argv[0], argv, env, file_actions=null), 0)

    return act


def fetches(tree: Path, env: dict[str, str]) -> None:
    run(["./t5510-fetch.sh"], tree / "t", env=env)


def more(found: dict[str, Taken], times: int) -> list[str]:
    """The milliseconds of processor time that each start takes more than with plain clang."""
    plain = found["plain"].cpu
    cells = [f"{1e3 * min(plain) / times:.2f} ms ({1e3 * statistics.median(plain) / times:.2f})"]
    for kind in ("single", "default"):
        cpu = found[kind].cpu
        least = 1e3 * (min(cpu) - min(plain)) / times
        middle = 1e3 * (statistics.median(cpu) - statistics.median(plain)) / times
        cells.append(f"+{least:.2f} ms (+{middle:.2f})")
    return cells


def ratios(found: dict[str, Taken], what: str) -> list[str]:
    """How many times as long each kind takes as plain clang."""
    plain = getattr(found["plain"], what)
    cells = [f"{min(plain):.1f} s ({statistics.median(plain):.1f})"]
    for kind in ("single", "default"):
        own = getattr(found[kind], what)
        middle = statistics.median(own) / statistics.median(plain)
        cells.append(f"{min(own) / min(plain):.2f} ({middle:.2f})")
    return cells


def git_rows(quick: bool) -> list[list[str]]:
    of = trees("git", "git", build_git)
    times = 100 if quick else 300
    started = in_turn(3 if quick else 15, versions(times), of)
    fetched = in_turn(1 if quick else 5, fetches, of)
    return [
        ["`git --version`, processor time", *more(started, times)],
        ["git's `t5510-fetch.sh`, processor time", *ratios(fetched, "cpu")],
        ["… elapsed", *ratios(fetched, "elapsed")],
    ]


def queries(tree: Path, env: dict[str, str], seconds: int) -> float:
    """Queries for each second, each with a connection of its own."""
    place, data = tree / "installed/bin", tree / "data"
    script = tree / "query.sql"
    script.write_text("select v from t where k = 5;\n")
    server = subprocess.Popen(
        [place / "postgres", "-D", data, "-k", "/tmp", "-c", "listen_addresses=", "-p", "54329"],
        cwd=tree,
        env=env,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            if attempt([place / "pg_isready", "-h", "/tmp", "-p", "54329"], tree).status == 0:
                break
            time.sleep(0.1)
        client = [place / "pgbench", "-n", "-C", "-c", "2", "-T", seconds, "-f", script]
        out = run([*client, "-h", "/tmp", "-p", "54329", "postgres"], tree, env=environment())
    finally:
        server.terminate()
        server.wait()
    line = next(line for line in out.decode().splitlines() if line.startswith("tps"))
    return float(line.split()[2])


def postgres_row(quick: bool) -> list[str]:
    of = trees("postgres", "postgresql-15", build_postgres)
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(1 if quick else 5):
        for kind, (build, pattern) in KINDS.items():
            env = environment(PATHCC_PROFILE=pattern)
            found[kind].append(queries(of[build], env, 3 if quick else 8))
    plain = found["plain"]
    cells = [f"{max(plain):.0f} ({statistics.median(plain):.0f}) a second"]
    for kind in ("single", "default"):
        middle = statistics.median(found[kind]) / statistics.median(plain)
        cells.append(f"{max(found[kind]) / max(plain):.2f} ({middle:.2f})")
    return ["PostgreSQL, a connection for each query, throughput", *cells]


def section(quick: bool) -> str:
    rows = [HEADS, *git_rows(quick), postgres_row(quick)]
    method = (
        "Processes that live for milliseconds, built with `-O2` by plain clang and by pathcc, in "
        "turn: the best round, and in brackets the median of all. *A file for each process* is "
        "`PATHCC_PROFILE=single:`; by default processes that are started often share "
        "[standing files](leave-on.md). `make bench` measures it (`tests/bench/short.py`)."
    )
    return markdown([TITLE, method, table(rows)])


if __name__ == "__main__":
    sys.exit(write_section(__doc__, TITLE, section, "a part of it, in some minutes"))
