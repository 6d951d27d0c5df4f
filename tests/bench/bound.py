"""Says how far each program is from the lower bound of one increment for each executed path.

    python3 -m tests.bench.bound [--only NAME]… [--write FILE]

Each program runs once with plain clang and once with pathcc under perf, which counts what the
processor did. The profile says how many paths were executed, in all and in the function that
executes most instructions; the loop shown is the one whose iterations are counted most often there.
Prints Markdown.
"""

import argparse
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.bench.bench import OURS, SETS, chosen, fetch, machine, progress, publish
from tests.bench.costs import (
    HOME,
    Cost,
    build_timed,
    fresh_directory,
    has_perf,
    profile_variables,
    run_steps,
)
from tests.bench.tables import BASE, shown, table
from tests.bench.workloads import Workload
from tests.real.tools import CLANG, PATHCC, export, run

EVENTS = [
    "instructions:u",
    "cycles:u",
    "branch-misses:u",
    "L1-dcache-load-misses:u",
    "dTLB-load-misses:u",
]

# One sample for so many instructions: few enough for the kernel, and not a round number, so that no
# loop is in step with it.
PERIOD = 10000019


@dataclass(frozen=True)
class Seen:
    """What perf saw of one build: events of the whole run, and instructions by function."""

    events: dict[str, int]
    functions: Counter[str]


def observe(workload: Workload, tree: Path, text: Path, variables: dict[str, str]) -> Seen:
    """Runs the work twice under perf: once to count, once to sample."""
    steps = workload.steps(tree, text)
    counted, samples = HOME / "counted", fresh_directory(HOME / "samples")
    counted.unlink(missing_ok=True)
    prefix = ["perf", "stat", "-x,", "-e", ",".join(EVENTS), "--append", "-o", str(counted), "--"]
    run_steps(workload, tree, steps, prefix, variables)
    lines = counted.read_text()
    events = {
        event: sum(
            map(int, re.findall(rf"^(\d+),,{event.removesuffix(':u')}", lines, re.MULTILINE))
        )
        for event in EVENTS
    }
    functions: Counter[str] = Counter()
    for at, step in enumerate(steps):
        prefix = [
            "perf",
            "record",
            "-q",
            "-e",
            EVENTS[0],
            "-c",
            str(PERIOD),
            "-o",
            str(samples / str(at)),
            "--",
        ]
        run_steps(workload, tree, [step], prefix, variables)
        if (samples / str(at)).exists():
            listing = run(
                ["perf", "script", "--no-demangle", "-i", samples / str(at), "-F", "ip,sym"], HOME
            ).decode()
            functions.update(
                line.split()[1] for line in listing.splitlines() if len(line.split()) > 1
            )
    return Seen(events, Counter({name: count * PERIOD for name, count in functions.items()}))


def rows(
    workload: Workload, source: Path | None, level: str, text: Path
) -> tuple[list[str], list[str]]:
    """A row of each table."""
    trees = {
        name: build_timed(workload, source, name, compiler, level, Cost())
        for name, compiler in ((BASE, CLANG), (OURS, str(PATHCC)))
    }
    # One profile for each program of each step: what is run twice is counted twice.
    profiles = fresh_directory(HOME / "profiles")
    steps = workload.steps(trees[OURS], text)
    run_steps(
        workload,
        trees[OURS],
        steps,
        [],
        profile_variables(profiles) | {"PATHCC_PROFILE": f"{profiles}/%p.pathprof"},
    )
    exported = export(HOME, profiles)
    elsewhere = profile_variables(fresh_directory(HOME / "others"))
    plain, ours = (observe(workload, trees[name], text, elsewhere) for name in (BASE, OURS))
    shutil.rmtree(HOME / f"{workload.name}{level}")

    executed = Counter(
        {
            function["name"]: sum(p["count"] for p in function["paths"])
            for function in exported["functions"]
        }
    )
    paths = executed.total()
    each = {event: (ours.events[event] - plain.events[event]) / paths for event in EVENTS}
    whole = [
        workload.name,
        f"{paths / 1e9:.3f}",
        shown(plain.events[EVENTS[0]] / paths),
        shown(each["instructions:u"]),
        shown(each["cycles:u"]),
        *(shown(1000 * each[event]) for event in EVENTS[2:]),
    ]
    name = next(
        (
            name
            for name, _ in plain.functions.most_common()
            if executed[name] and ours.functions[name]
        ),
        None,
    )
    if name is None:
        return whole, [workload.name, *["–"] * 6]
    function = max(
        (f for f in exported["functions"] if f["name"] == name), key=lambda f: f["instructions"]
    )
    loops = [
        path for path in function["paths"] if path["start"] == "loop" and path["end"] == "back_edge"
    ]
    loop = max(loops, key=lambda path: path["count"], default=None)
    short = (
        function["demangled"]
        .replace("(anonymous namespace)", "")
        .partition("(")[0]
        .rpartition("::")[2]
    )
    hottest = [
        workload.name,
        f"`{short}`",
        f"{100 * plain.functions[name] / plain.functions.total():.0f} %",
        f"{100 * executed[name] / paths:.0f} %",
        shown(plain.functions[name] / executed[name]),
        shown((ours.functions[name] - plain.functions[name]) / executed[name]),
        "–"
        if loop is None
        else f"{len(loop['blocks'])}, {100 * loop['count'] / executed[name]:.0f} %",
    ]
    return whole, hottest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="also write the tables there, as docs/internals/bound.md",
    )
    options = parser.parse_args()
    if not PATHCC.exists() or not has_perf():
        progress("this needs perf, and pathcc (`make build`)")
        return 2
    wanted = chosen(("real", "kernels", "python"), options.only)
    jobs = [(workload, SETS[title][1]) for title, set_ in wanted.items() for workload in set_]
    trees, text = fetch(wanted)
    whole = [
        [
            "program",
            "paths, 10⁹",
            "clang, instructions",
            "more",
            "cycles",
            "mispredictions",
            "L1 misses",
            "TLB misses",
        ]
    ]
    hottest = [
        [
            "program",
            "function",
            "of the instructions",
            "of the paths",
            "clang, instructions",
            "more",
            "loop: blocks, of its paths",
        ]
    ]
    for number, (workload, level) in enumerate(jobs, 1):
        one, other = rows(workload, trees.get(workload.program.package or ""), level, text)
        whole.append(one)
        hottest.append(other)
        progress(
            f"[{number}/{len(jobs)}] {workload.name}: {one[3]} instructions more for each path"
        )
    parts = [
        "# Distance from the bound",
        (
            "Written by `make bound`. Every executed path must be told from the others, so one "
            "increment for each is the least that exact path profiling can cost: one instruction "
            "more. All numbers are for each executed path; those of misses and mispredictions are "
            "for a thousand."
        ),
        machine(),
        "## Whole programs",
        table(whole),
        "## The function that executes most instructions",
        (
            "From samples, so to about a percent of the program. The last column is the hottest "
            "path that is an iteration of a loop."
        ),
        table(hottest),
    ]
    publish(parts, options.write)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
