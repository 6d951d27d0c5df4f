"""Measures the pages of `pathprof html`: how long one takes to write and to open, and its size.

    python3 -m tests.bench.pages [--write docs/benchmarks.md] [NAME]…

Prints a section for docs/benchmarks.md. With `--write`, the section takes the place of the one that
stands in the file.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bench.besides import timed
from tests.bench.costs import HOME, fresh_directory
from tests.bench.tables import markdown, publish_section, table
from tests.bench.workloads import WORK, cpython
from tests.real import sources
from tests.real.build import build, work
from tests.real.programs import PROGRAMS, Program, Step
from tests.real.tools import PATHCC, PATHPROF, ROOT, run

TITLE = "## Pages for the browser"
ROUNDS = 5
MEASURE = ROOT / "viewer/tests/measure.js"


@dataclass(frozen=True)
class Page:
    """A program whose report becomes a page, its work, and its largest function."""

    program: Program
    steps: list[Step]
    level: str
    function: str


def pages() -> dict[str, Page]:
    sqlite = next(program for program in PROGRAMS if program.name == "sqlite")
    script = Step(["@python", str(WORK / "python.py"), "10"])
    return {
        "sqlite": Page(sqlite, sqlite.work["small"](Path()), "-O2", "sqlite3VdbeExec"),
        "CPython": Page(cpython().program, [script], "-O3", "_PyEval_EvalFrameDefault"),
    }


def measured(name: str, page: Page) -> list[str]:
    """A row of the table."""
    home = fresh_directory(HOME / f"page-{name}")
    package = page.program.package
    assert package
    source = sources.fetch([package])[package]
    tree = build(page.program, source, "paths", f"-g {page.level}", home)
    # The sources are read where they were compiled.
    (home / "build").symlink_to(tree)
    work(page.program, tree, page.steps, home / "profiles")
    # Each of CPython's modules has a profile of its own.
    out = home / "page.html"
    command = [str(PATHPROF), "html", "-o", str(out), str(home / "profiles")]
    seconds = sorted(timed(command, home, {})[0] for _ in range(ROUNDS))
    found = run(["node", str(MEASURE), str(out), page.function], ROOT).decode()
    opened = re.search(r"open (\d+) .*, function (\d+) .*heap ([\d.]+) MB, process (\d+) MB", found)
    if opened is None:
        raise RuntimeError(f"the page was not measured: {found}")
    return [
        f"{name} {page.level}",
        f"{seconds[0]:.2f} s ({seconds[ROUNDS // 2]:.2f})",
        f"{out.stat().st_size / 1e6:.1f} MB",
        f"{opened[1]} ms",
        f"{opened[2]} ms (`{page.function}`)",
        f"{opened[3]} MB, {opened[4]} MB",
    ]


def section(names: list[str]) -> str:
    every = pages()
    head = ["page of", "written in", "size", "opens in", "largest function in", "memory"]
    rows = [measured(name, every[name]) for name in names or every]
    method = (
        f"`pathprof html`, the least of {ROUNDS} times and in brackets the median, and its page in "
        "headless Chromium, the median of five times: from the navigation, or from the way to the "
        "function, to what is to be seen. Memory is what the tab's JavaScript holds, and what its "
        "process uses."
    )
    return markdown([TITLE, method, table([head, *rows])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(pages())}")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the section there")
    options = parser.parse_args()
    if not PATHCC.exists():
        print(f"{PATHCC} does not exist: run `make build` first", file=sys.stderr)
        return 2
    subprocess.run([ROOT / "scripts/viewer", "packages"], check=True)
    text = section(options.names)
    publish_section(text, TITLE, options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
