"""Says how many executed increments select their counter by a register.

    python3 -m tests.bench.moving [--only NAME]…

A counter at a constant address is cheap to step again and again. One that a register selects moves,
and a processor that has predicted the same address once more has to wait for the store. callgrind
counts how often each instruction of pathcc's build runs, and objdump says which of them are
increments. A program's own increments of 64-bit elements of arrays are among them.
Prints Markdown.
"""

import argparse
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.bench import SETS, chosen, fetch, machine, progress, publish
from tests.bench.costs import HOME, Cost, build_timed, run_steps, strip_debug
from tests.bench.tables import table
from tests.bench.workloads import Workload
from tests.real.tools import PATHCC, run

# An increment or a decrement of 64 bits of memory, as objdump writes it.
STEP = re.compile(r"^\s*([0-9a-f]+):\s+(?:inc|dec)q\s+(\S*)\((%\w+)?(,%\w+)?")
# So many functions are named for each program.
NAMED = 3


@dataclass
class Steps:
    """Executed increments."""

    # By a constant distance from the address of the thread's counters.
    constant: int = 0
    # By a register, for each function.
    moving: Counter[str] = field(default_factory=Counter)


def increments(image: Path) -> dict[int, bool]:
    """The address of each increment, and whether a register selects what it increments."""
    listing = run(["objdump", "-d", "--no-show-raw-insn", image], HOME).decode()
    found = filter(None, map(STEP.match, listing.splitlines()))
    return {int(step[1], 16): step[4] is not None for step in found}


def read(costs: str, tree: Path, images: dict[Path, dict[int, bool]], steps: Steps) -> None:
    """Adds what callgrind counted of the images below `tree`."""
    image: dict[int, bool] = {}
    function, is_call = "", False
    for line in costs.splitlines():
        if is_call:
            # The cost of a call is that of the callee's own lines.
            is_call = False
        elif line.startswith("ob="):
            path = Path(line.removeprefix("ob="))
            is_ours = path.is_relative_to(tree) and path.exists()
            if is_ours and path not in images:
                images[path] = increments(path)
            image = images[path] if is_ours else {}
        elif line.startswith("fn="):
            function = line.removeprefix("fn=").partition("'")[0]
        elif line.startswith("calls="):
            is_call = True
        elif line.startswith("0x") and image:
            address, _, executed = line.split()
            moves = image.get(int(address, 16))
            if moves is not None and moves:
                steps.moving[function] += int(executed)
            elif moves is not None:
                steps.constant += int(executed)


def row(workload: Workload, source: Path | None, level: str, text: Path) -> list[str]:
    """The row of one program."""
    tree = build_timed(workload, source, "moving", str(PATHCC), level, Cost())
    strip_debug(workload, tree)
    counted = HOME / "callgrind"
    prefix = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no"]
    prefix += ["--compress-strings=no", f"--callgrind-out-file={counted}"]
    steps = Steps()
    images: dict[Path, dict[int, bool]] = {}
    is_kernel = workload.group == "kernel"
    # A kernel's work is long under callgrind, and shorter work of it executes the same loops.
    for step in workload.program.work["big"](tree) if is_kernel else workload.steps(tree, text):
        counted.unlink(missing_ok=True)
        run_steps(workload, tree, [step], prefix, {"PATHCC_PROFILE": "off"})
        if counted.exists():
            read(counted.read_text(errors="replace"), tree, images, steps)
    shutil.rmtree(HOME / f"{workload.name}{level}")
    moving, executed = steps.moving.total(), steps.constant + steps.moving.total()
    functions = [
        f"`{name}` {100 * count / executed:.0f} %"
        for name, count in steps.moving.most_common(NAMED)
        if 200 * count >= executed
    ]
    return [
        workload.name,
        f"{executed / 1e6:.1f}",
        f"{100 * moving / max(executed, 1):.0f} %",
        ", ".join(functions) or "–",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    options = parser.parse_args()
    if not PATHCC.exists() or not shutil.which("valgrind"):
        progress("this needs valgrind, and pathcc (`make build`)")
        return 2
    wanted = chosen(("real", "kernels", "python"), options.only)
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
            "(docs/internals/performance.md). These are the executed increments of each "
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
