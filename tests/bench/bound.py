"""Says how far each program is from the lower bound of one increment for each executed path.

    python3 -m tests.bench.bound [--only NAME]… [--write FILE]

Each program does its work once with plain clang and once with pathcc, at the stage `late`, under
callgrind, which counts each instruction. The profile says how many paths were executed, in all and
in each function. The difference is told by what the instructions do. Where perf can count, it says
what the processor made of it. Prints Markdown.
"""

import argparse
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

from tests.bench import instructions
from tests.bench.bench import machine, progress, publish
from tests.bench.costs import (
    HOME,
    Cost,
    build_timed,
    fresh_directory,
    has_perf,
    profile_variables,
    run_steps,
)
from tests.bench.instructions import Executed, Kind
from tests.bench.sets import LATE, OURS, SETS, chosen, fetch
from tests.bench.tables import BASE, shown, table
from tests.bench.workloads import Workload, short_steps
from tests.real.programs import Step
from tests.real.tools import CLANG, PATHCC, CheckFailed, export

# What the processor did, by the name in the table: for each path, and for how many of them.
EVENTS = {
    "cycles": ("cycles:u", 1),
    "mispredictions": ("branch-misses:u", 1000),
    "L1 misses": ("L1-dcache-load-misses:u", 1000),
    "TLB misses": ("dTLB-load-misses:u", 1000),
}

PROCESSOR = (
    "The last columns are cycles for each path, and mispredictions and misses for a thousand of "
    "them, as perf counts them."
)

# So many functions of each program are shown, those that execute most instructions.
HOTTEST = 3


def events(
    workload: Workload, tree: Path, steps: list[Step], variables: dict[str, str]
) -> dict[str, int]:
    """What perf counts while the steps run."""
    out = HOME / "events"
    out.unlink(missing_ok=True)
    wanted = ",".join(event for event, _ in EVENTS.values())
    prefix = ["perf", "stat", "-x,", "-e", wanted, "--append", "-o", str(out), "--"]
    run_steps(workload, tree, steps, prefix, variables)
    lines = out.read_text()
    return {
        event: sum(
            map(int, re.findall(rf"^(\d+),,{event.removesuffix(':u')}", lines, re.MULTILINE))
        )
        for event, _ in EVENTS.values()
    }


def more(plain: Counter[Kind], ours: Counter[Kind], paths: int) -> list[str]:
    """How many more instructions, in all and of each kind, for each path."""
    each = {kind: (ours[kind] - plain[kind]) / paths for kind in Kind}
    return [shown(sum(each.values())), *map(shown, each.values())]


def all_kinds(executed: Executed) -> Counter[Kind]:
    """The kinds of all instructions of a program."""
    kinds: Counter[Kind] = Counter()
    for (_, text), count in executed.instructions.items():
        kinds[instructions.kind(text)] += count
    return kinds


def short(demangled: str) -> str:
    """The last part of a function's name."""
    return demangled.replace("(anonymous namespace)", "").partition("(")[0].rpartition("::")[2]


def rows(
    workload: Workload, source: Path | None, level: str, text: Path, *, perf: bool
) -> tuple[list[str], list[list[str]]]:
    """A row of the first table, and some of the second."""
    trees = {
        name: build_timed(workload, source, name, compiler, level, Cost())
        for name, compiler in ((BASE, CLANG), (OURS, LATE))
    }
    steps = {name: short_steps(workload, tree, text) for name, tree in trees.items()}
    # One profile for each program of each step: what is run twice is counted twice.
    profiles = fresh_directory(HOME / "profiles")
    variables = profile_variables(profiles) | {"PATHCC_PROFILE": f"{profiles}/%p.pathprof"}
    run_steps(workload, trees[OURS], steps[OURS], [], variables)
    exported = export(HOME, profiles)
    elsewhere = profile_variables(fresh_directory(HOME / "others"))
    seen = (
        {name: events(workload, tree, steps[name], elsewhere) for name, tree in trees.items()}
        if perf
        else {}
    )
    plain, ours = (
        instructions.count(workload, trees[name], steps[name], elsewhere, demangle=False)
        for name in (BASE, OURS)
    )
    shutil.rmtree(HOME / f"{workload.name}{level}")

    executed: Counter[str] = Counter()
    names: dict[str, str] = {}
    for function in exported["functions"]:
        executed[function["name"]] += sum(path["count"] for path in function["paths"])
        names[function["name"]] = short(function["demangled"])
    paths = executed.total()
    whole = [
        workload.name,
        f"{paths / 1e9:.3f}",
        shown(plain.total / paths),
        shown((ours.total - plain.total) / paths),
        *more(all_kinds(plain), all_kinds(ours), paths)[1:],
        *(
            shown(scale * (seen[OURS][event] - seen[BASE][event]) / paths)
            for event, scale in (EVENTS.values() if perf else ())
        ),
    ]
    by_function, instrumented = plain.functions(), ours.functions()
    hottest = [
        name for name, _ in by_function.most_common() if executed[name] and instrumented[name]
    ]
    return whole, [
        [
            workload.name,
            f"`{names[name]}`",
            f"{100 * by_function[name] / plain.total:.0f} %",
            f"{100 * executed[name] / paths:.0f} %",
            shown(by_function[name] / executed[name]),
            *more(plain.kinds(name), ours.kinds(name), executed[name]),
        ]
        for name in hottest[:HOTTEST]
    ]


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
    if not PATHCC.exists() or not shutil.which("valgrind"):
        progress("this needs valgrind, and pathcc (`make build`)")
        return 2
    perf = has_perf()
    wanted = chosen(("real", "large", "kernels", "python"), options.only)
    jobs = [(workload, SETS[title][1]) for title, set_ in wanted.items() for workload in set_]
    trees, text = fetch(wanted)
    kinds = [kind.value for kind in Kind]
    whole = [["program", "paths, 10⁹", "clang", "more", *kinds, *(EVENTS if perf else ())]]
    hottest = [
        ["program", "function", "of the instructions", "of the paths", "clang", "more", *kinds]
    ]
    for number, (workload, level) in enumerate(jobs, 1):
        source = trees.get(workload.program.package or "")
        try:
            row, functions = rows(workload, source, level, text, perf=perf)
        except CheckFailed as failure:
            reason = str(failure).splitlines()[0]
            progress(f"[{number}/{len(jobs)}] {workload.name} is left out: {reason}")
            continue
        whole.append(row)
        hottest += functions
        progress(
            f"[{number}/{len(jobs)}] {workload.name}: {row[3]} instructions more for each path"
        )
    parts = [
        "# Distance from the bound",
        (
            "Written by `make bound`. Every executed path must be told from the others, so one "
            "increment for each is the least that exact path profiling can cost: one instruction "
            "more. All numbers are instructions for each executed path, as callgrind counts them: "
            "`clang` is what plain clang's code executes, `more` is what pathcc's executes beside "
            "it, and the columns behind it say what these instructions are."
        ),
        (
            "- `count`: increments and decrements of 64 bits of memory.\n"
            "- `moving`: the same, where a register selects the counter.\n"
            "- `address`: readings of a thread-local word.\n"
            "- `register`: assignments, additions and subtractions of registers.\n"
            "- `stack`: what is pushed, popped or moved to and from the stack.\n"
            "- `jump`: jumps and branches.\n"
            "- `other`: everything else. It is negative where code was folded otherwise."
        ),
        *([PROCESSOR] if perf else []),
        machine(),
        "## Whole programs",
        table(whole),
        f"## The {HOTTEST} functions that execute most instructions",
        table(hottest),
    ]
    publish(parts, options.write)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
