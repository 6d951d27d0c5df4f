"""The command line of a measurement that writes one section of docs/benchmarks.md."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench.tables import publish_section
from tests.real.tools import PATHCC


def write_section(about: str, title: str, section: Callable[[bool], str], quick: str) -> int:
    """Measures and writes the section with this title, and returns the exit code. `quick` says what
    `--quick` means, which the function is told.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the section there")
    options = parser.parse_args()
    if not PATHCC.exists():
        print(f"{PATHCC} does not exist: run `make build` first", file=sys.stderr)
        return 2
    publish_section(section(options.quick), title, options.write)
    return 0
