"""Says how many executed increments select their counter by a register.

    python3 -m tests.bench.moving [--only NAME]…

A counter at a constant address is cheap to step again and again. One that a register selects moves,
and a processor that has predicted the same address once more has to wait for the store. callgrind
counts how often each instruction of the build at the stage `late` runs, and objdump says which of
them are increments. A program's own increments of 64-bit elements of arrays are among them.
Prints Markdown.
"""

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path

from tests.bench import instructions
from tests.bench.bench import machine, progress, publish
from tests.bench.costs import HOME, Cost, build_timed
from tests.bench.sets import LATE, SETS, chosen, fetch
from tests.bench.tables import table
from tests.bench.workloads import Workload, short_steps
from tests.real.tools import PATHCC

# So many functions are named for each program.
NAMED = 3


def row(workload: Workload, source: Path | None, level: str, text: Path) -> list[str]:
    """The row of one program."""
    tree = build_timed(workload, source, "moving", LATE, level, Cost())
    executed = instructions.count(
        workload,
        tree,
        short_steps(workload, tree, text),
        {"PATHCC_PROFILE": "off"},
        demangle=True,
    )
    shutil.rmtree(HOME / f"{workload.name}{level}")
    every, moving = 0, Counter[str]()
    for (function, line), count in executed.instructions.items():
        if step := instructions.INCREMENT.match(line):
            every += count
            moving[function] += count if step[1] else 0
    functions = [
        f"`{name}` {100 * count / every:.0f} %"
        for name, count in moving.most_common(NAMED)
        if 200 * count >= every > 0
    ]
    return [
        workload.name,
        f"{every / 1e6:.1f}",
        f"{100 * moving.total() / max(every, 1):.0f} %",
        ", ".join(functions) or "–",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    options = parser.parse_args()
    if not PATHCC.exists() or not shutil.which("valgrind"):
        progress("this needs valgrind, and pathcc (`make build`)")
        return 2
    wanted = chosen(("real", "large", "kernels", "python"), options.only)
    jobs = [(workload, SETS[title][1]) for title, set_ in wanted.items() for workload in set_]
    trees, text = fetch(wanted)
    rows = [["program", "increments, 10⁶", "by a register", "where, of all increments"]]
    for number, (workload, level) in enumerate(jobs, 1):
        rows.append(row(workload, trees.get(workload.program.package or ""), level, text))
        progress(f"[{number}/{len(jobs)}] {workload.name}: {rows[-1][2]} by a register")
    parts = [
        "# Counters that move",
        (
            "Written by `make moving`. An increment whose counter a register selects may step "
            "another counter each time, which costs more than the instruction "
            "(docs/internals/late.md). These are the executed increments of each "
            "program, and the functions with most of those that move."
        ),
        machine(),
        table(rows),
    ]
    publish(parts, None)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
