"""Counts misses of caches and of translation buffers.

perf counts those of the processor. Where the kernel does not let it, cachegrind simulates
first-level caches of 32 KiB; it knows nothing of translation buffers.
"""

import re
from pathlib import Path

from tests.bench.costs import HOME, REFERENCES, Cost, run_steps, under_cachegrind
from tests.bench.tables import BASE, Costs, shown, table
from tests.bench.workloads import Workload
from tests.real.programs import Step

# By the name in the tables: the events of perf, and the lines of cachegrind.
EVENTS = {
    "instructions": "instructions:u",
    "cycles": "cycles:u",
    "first-level data misses": "L1-dcache-load-misses:u",
    "first-level instruction misses": "L1-icache-load-misses:u",
    "data TLB misses": "dTLB-load-misses:u",
    "instruction TLB misses": "iTLB-load-misses:u",
}
SIMULATED = {
    "instructions": REFERENCES,
    "first-level data misses": r"D1 +misses",
    "first-level instruction misses": r"I1 +misses",
}


def count(
    workload: Workload, tree: Path, steps: list[Step], variables: dict[str, str], *, perf: bool
) -> dict[str, int]:
    """What happened in user space while the steps ran."""
    return (by_perf if perf else by_cachegrind)(workload, tree, steps, variables)


def by_perf(
    workload: Workload, tree: Path, steps: list[Step], variables: dict[str, str]
) -> dict[str, int]:
    out = HOME / "misses"
    out.unlink(missing_ok=True)
    events = ",".join(EVENTS.values())
    prefix = ["perf", "stat", "-x,", "-e", events, "--append", "-o", str(out), "--"]
    run_steps(workload, tree, steps, prefix, variables)
    lines = out.read_text()
    found = {
        title: re.findall(rf"^(\d+),,{event.removesuffix(':u')}", lines, re.MULTILINE)
        for title, event in EVENTS.items()
    }
    return {title: sum(map(int, counts)) for title, counts in found.items() if counts}


def by_cachegrind(
    workload: Workload, tree: Path, steps: list[Step], variables: dict[str, str]
) -> dict[str, int]:
    caches = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64"]
    counted = under_cachegrind(workload, tree, steps, variables, caches)
    return {title: counted(line) for title, line in SIMULATED.items()}


def miss_table(costs: Costs, names: list[str]) -> str:
    """Ratios of everything that was counted, by workload."""
    rows = [["program", "", "clang, 10⁶", *names]]
    for program, by_name in costs.items():
        for title, plain in by_name[BASE].misses.items():
            against = [by_name.get(name, Cost()).misses.get(title) for name in names]
            ratios = [shown(value / plain if value and plain else None) for value in against]
            rows.append([program, title, f"{plain / 1e6:.2f}", *ratios])
    return table(rows)
