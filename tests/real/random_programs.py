"""Checks random programs one after the other, from a seed on, for a time or a number."""

import argparse
import random
import time
from collections.abc import Callable

from tests.real.tools import CheckFailed

# What a check says of a program that it did not check begins like this.
PASSED_OVER = "passed over"


def roll(description: str, check: Callable[[int], str]) -> int:
    """Parses the command line and calls `check` with seeds; returns the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--seconds", type=float, help="stop after this time (default: 60 unless a count is given)"
    )
    parser.add_argument("--count", type=int, help="stop after this many programs")
    parser.add_argument("--seed", type=int, help="check this seed only, or start from it")
    options = parser.parse_args()
    if options.seed is not None and options.count is None and options.seconds is None:
        options.count = 1
    seconds = options.seconds or (None if options.count else 60)
    seed = first = options.seed if options.seed is not None else random.randrange(10**9)
    start = time.monotonic()
    passed = failed = skipped = 0
    while (options.count is None or seed - first < options.count) and (
        seconds is None or time.monotonic() - start < seconds
    ):
        try:
            text = check(seed)
            skipped += text.startswith(PASSED_OVER)
            passed += not text.startswith(PASSED_OVER)
            print(f"[{time.monotonic() - start:4.0f} s] ok   seed {seed}: {text}", flush=True)
        except CheckFailed as failure:
            failed += 1
            print(f"[{time.monotonic() - start:4.0f} s] FAIL seed {seed}: {failure}", flush=True)
        seed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
