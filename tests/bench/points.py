"""Counts the counters that each placement of `-fpath-mode=blocks` needs.

    python3 -m tests.bench.points [--only NAME]… [--write FILE]

The table is that of "Efficient Instrumentation of Programs using LLVM Framework" (Hucovič, 2024,
table 5.12): blocks, patterns found, and counters saved by them, at -O0 and -O3; beside it what the
spanning tree saves, and what any placement could save at most: as many as the blocks have counts
that follow from others, if no frame ever stayed in a function. Each program runs once, since a
profile tells what is in an image. Prints Markdown.
"""

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path

from tests.bench.bench import machine, progress, publish
from tests.bench.costs import HOME, fresh_directory
from tests.bench.tables import table
from tests.real import sources
from tests.real.build import work
from tests.real.programs import PROGRAMS, Program
from tests.real.tools import PATHCC, export

SHAPES = ("diamond", "half-diamond", "jump", "exits")


def functions(program: Program, source: Path, level: str, placement: str) -> list[dict]:
    """What is in the images of a build."""
    tree = HOME / "built"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(source, tree, symlinks=True)
    program.build(tree, f"{PATHCC} -fpath-mode=blocks -fpath-placement={placement}", level)
    profiles = HOME / "profiles"
    work(program, tree, program.work["small"](tree), profiles)
    exported = export(HOME, *sorted(profiles.glob("*.pathprof")))
    return [function for function in exported["functions"] if function["skipped"] is None]


def counters(found: list[dict]) -> int:
    return sum(block["counter"] for function in found for block in function["blocks"])


def fewest(function: dict) -> int:
    """How many counts are independent of each other: blocks less the rank of the equations between
    them.
    """
    blocks = len(function["blocks"])
    # The top of each block, the end of each block, and outside.
    parent = list(range(2 * blocks + 1))

    def find(point: int) -> int:
        while parent[point] != point:
            parent[point] = parent[parent[point]]
            point = parent[point]
        return point

    def join(one: int, other: int) -> bool:
        one, other = find(one), find(other)
        parent[one] = other
        return one != other

    join(2 * blocks, 0)
    for edge in function["edges"]:
        join(2 * edge["from"] + 1, 2 * edge["to"])
    for block in function["blocks"]:
        if block["exit"]:
            join(2 * block["id"] + 1, 2 * blocks)
    return sum(not join(2 * block, 2 * block + 1) for block in range(blocks))


def row(program: Program, source: Path, level: str) -> list[str]:
    by_patterns = functions(program, source, level, "patterns")
    by_tree = functions(program, source, level, "spanning-tree")
    blocks = sum(len(function["blocks"]) for function in by_tree)
    found: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    for pattern in (pattern for function in by_patterns for pattern in function["patterns"]):
        found[pattern["shape"]] += 1
        saved[pattern["shape"]] += len(pattern["saved"])

    def share(count: int) -> str:
        return f"{count:,} ({100 * count / blocks:.1f} %)"

    without_exits = sum(saved[shape] for shape in SHAPES[:-1])
    return [
        f"{program.name} `{level}`",
        f"{blocks:,}",
        " + ".join(f"{found[shape]:,}" for shape in SHAPES[:-1]),
        f"{without_exits:,}",
        share(blocks - counters(by_patterns)),
        share(blocks - counters(by_tree)),
        share(blocks - sum(map(fewest, by_tree))),
        f"{100 * counters(by_tree) / blocks:.1f} %",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="also write the table there, as docs/internals/points.md",
    )
    options = parser.parse_args()
    if not PATHCC.exists():
        progress("this needs pathcc (`make build`)")
        return 2
    programs = [program for program in PROGRAMS if not options.only or program.name in options.only]
    trees = sources.fetch(sorted({program.package for program in programs if program.package}))
    fresh_directory(HOME)
    heads = [
        "program",
        "blocks",
        "diamonds + half-diamonds + jumps",
        "saved by these",
        "saved by all patterns",
    ]
    rows = [[*heads, "saved by the spanning tree", "at most", "counted"]]
    for program in programs:
        for level in ("-O0", "-O3"):
            rows.append(row(program, trees[program.package or ""], level))
            progress(f"{program.name} {level}: {rows[-1][-1]} of the blocks have a counter")
    parts = [
        "# Which blocks need a counter",
        (
            "Written by `make points`. `-fpath-mode=blocks` counts as few blocks as possible "
            "(`-fpath-placement=spanning-tree`); `-fpath-placement=patterns` saves what four "
            "shapes of the control-flow graph tell: diamonds, half-diamonds, unconditional jumps, "
            "and the sum of exits. Both count the entry of a function that a frame may stay in; "
            "the bound does not."
        ),
        machine(),
        table(rows),
    ]
    publish(parts, options.write)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
