"""Checks random programs by their seeds, from the command line."""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.real.tools import CheckFailed

LEVELS = ("-O0", "-O2")


def main(purpose: str | None, check: Callable[[int, str, Path], str]) -> int:
    """Checks as many programs as the command line says, and prints why some failed."""
    parser = argparse.ArgumentParser(description=(purpose or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=100)
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.programs):
        with tempfile.TemporaryDirectory() as home:
            try:
                check(seed, LEVELS[seed % len(LEVELS)], Path(home))
            except CheckFailed as failure:
                failed += 1
                print(failure, flush=True)
    print(f"{options.programs} programs, {failed} failed")
    return 1 if failed else 0
