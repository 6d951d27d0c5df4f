"""Measures what traces cost, and how large they are.

    python3 -m tests.bench.traces [--quick] [--rounds N] [--write docs/benchmarks.md] [NAME]…

The programs of examples/parallel and programs of Debian are built in each way, then run in turn and
pinned to as many processors as they have threads. Traces go to memory. Prints a section for
docs/benchmarks.md. With `--write`, the section takes the place of the one that stands in the file.
"""

import argparse
import shutil
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.costs import HOME, fresh_directory
from tests.bench.tables import markdown, mean, publish_section, shown, table
from tests.bench.trace_work import (
    BASE,
    CONTROL,
    MEMORY,
    TRACED,
    TRACES,
    WAYS,
    Ran,
    Threaded,
    build_all,
    programs,
    run_pinned,
)
from tests.bench.workloads import WORK
from tests.real.parallel import Told, only_trace, told_of
from tests.real.tools import CLANG, PATHCC, CheckFailed, run

TITLE = "## Traces"
LACKEY = "lackey"
THREADS = (1, 2)
# The ways that also run with two threads.
BOTH = (BASE, "counters", CONTROL, MEMORY)

# How a file in memory is filled: see bandwidth.c.
FILLED = {
    "touch": "new pages of a mapping",
    "populate": "the same, with pages that were asked for in advance",
    "write": "calls of `write`",
    "chunk": "memory that calls of `write` empty, as traces are written",
    "again": "pages that are there already",
}


@dataclass
class Measured:
    """The runs of a program by way and number of threads, and what its traces hold."""

    runs: dict[tuple[str, int], list[Ran]] = field(default_factory=dict)
    told: dict[tuple[str, int], Told] = field(default_factory=dict)
    lackey: float | None = None

    def least(self, way: str, threads: int, what: str) -> float | None:
        return min((getattr(one, what) for one in self.runs.get((way, threads), [])), default=None)

    def ratio(self, way: str, threads: int, what: str) -> float | None:
        """The least time against that of plain clang."""
        value, base = (self.least(one, threads, what) for one in (way, BASE))
        return value / base if value and base else None

    def median(self, way: str, threads: int, what: str) -> float | None:
        """The median over the rounds of the ratio to plain clang in the same round."""
        pairs = zip(
            self.runs.get((way, threads), []), self.runs.get((BASE, threads), []), strict=False
        )
        ratios = [
            getattr(one, what) / getattr(base, what) for one, base in pairs if getattr(base, what)
        ]
        return statistics.median(ratios) if ratios else None


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(program: Threaded, rounds: int, quick: bool) -> Measured:
    """All runs of a program."""
    trees = build_all(program, list(WAYS))
    measured = Measured()
    for _ in range(rounds):
        for threads in THREADS:
            for way, tree in trees.items():
                if threads > 1 and way not in BOTH:
                    continue
                ran = run_pinned(program.command(tree, threads, False), threads)
                measured.runs.setdefault((way, threads), []).append(ran)
                if way in TRACED and (way, threads) not in measured.told:
                    measured.told[way, threads] = told_of(only_trace(TRACES, threads))
    # Beside the kernels, short work of real programs is too long for it.
    if not quick and program.package is None:
        measured.lackey = slowdown_of_lackey(program, trees[BASE])
    shutil.rmtree(HOME / program.name)
    return measured


def slowdown_of_lackey(program: Threaded, tree: Path) -> float | None:
    """How many times longer a short run takes when valgrind writes down what it accesses.

    What a program that does nothing takes is not counted: valgrind's start is long. None if the run
    is too short to tell.
    """
    command, nothing = program.command(tree, 1, True), ["true"]
    plain, start = (min(run_pinned(one, 1).cpu for _ in range(5)) for one in (command, nothing))
    prefix = ("valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=/dev/null")
    under = run_pinned(command, 1, prefix).cpu - run_pinned(nothing, 1, prefix).cpu
    return under / (plain - start) if plain - start > 0.001 else None


def bandwidth() -> dict[tuple[str, int], float]:
    """Megabytes per second, the most of five, that threads write in each way."""
    home = fresh_directory(HOME / "bandwidth")
    fresh_directory(TRACES)
    run([CLANG, "-O2", WORK / "bandwidth.c", "-o", "bandwidth", "-pthread"], home)
    found: dict[tuple[str, int], float] = {}
    for _ in range(5):
        for way in FILLED:
            for threads in THREADS:
                command = ["./bandwidth", TRACES / "file", "400", str(threads), way]
                speed = float(run(command, home))
                found[way, threads] = max(speed, found.get((way, threads), 0))
    return found


def time_table(results: dict[str, Measured]) -> str:
    """Processor time against plain clang, one thread."""
    has_lackey = any(measured.lackey for measured in results.values())
    names = [way for way in WAYS if way != BASE]
    rows = [["program", "clang, s", *names, *([LACKEY] if has_lackey else [])]]
    for name, measured in results.items():
        row = [name, f"{measured.least(BASE, 1, 'cpu') or 0:.3f}"]
        for way in names:
            median = measured.median(way, 1, "cpu")
            behind = f" ({shown(median)})" if median else ""
            row.append(shown(measured.ratio(way, 1, "cpu")) + behind)
        rows.append([*row, *([shown(measured.lackey)] if has_lackey else [])])
    means = [mean(one.ratio(way, 1, "cpu") for one in results.values()) for way in names]
    if has_lackey:
        means.append(mean(one.lackey for one in results.values()))
    rows.append(["**geometric mean**", "", *(f"**{shown(value)}**" for value in means)])
    return table(rows)


def size_table(results: dict[str, Measured]) -> str:
    """What is in the traces of one thread."""
    ways = [way for way in TRACED if way != CONTROL]
    head = ["program", "paths, 10⁶", "accesses, 10⁶", "bytes/path"]
    rows = [[*head, *(f"bytes/access, {way}" for way in ways), "MB, control flow", "MB, memory"]]
    for name, measured in results.items():
        memory, control = measured.told[MEMORY, 1], measured.told[CONTROL, 1]
        each = [
            f"{measured.told[way, 1].each[1]:.1f}" if (way, 1) in measured.told else "–"
            for way in ways
        ]
        rows.append(
            [
                name,
                f"{memory.paths / 1e6:.2f}",
                f"{memory.accesses / 1e6:.2f}",
                f"{memory.each[0]:.1f}",
                *each,
                f"{control.used / 1e6:.1f}",
                f"{memory.used / 1e6:.1f}",
            ]
        )
    return table(rows)


def bound_table(results: dict[str, Measured], speeds: dict[tuple[str, int], float]) -> str:
    """Where the time of a trace with memory goes, and what the memory allows."""
    head = ["program", "time", "of the extra time in the kernel"]
    rows = [[*head, "MB/s, 1 thread", "MB/s each, 2 threads", "bound", "extra time/bound's"]]
    for name, measured in results.items():
        base, least = measured.least(BASE, 1, "cpu"), measured.least(MEMORY, 1, "cpu")
        kernel, base_kernel = (measured.least(way, 1, "system") for way in (MEMORY, BASE))
        if not base or not least or kernel is None or base_kernel is None:
            continue
        per_second = []
        for threads in THREADS:
            elapsed = measured.least(MEMORY, threads, "elapsed")
            used = measured.told[MEMORY, threads].used
            per_second.append(f"{used / 1e6 / elapsed / threads:.0f}" if elapsed else "–")
        needed = measured.told[MEMORY, 1].used / 1e6 / speeds["chunk", 1]
        extra = least - base
        rows.append(
            [
                name,
                shown(least / base),
                f"{100 * (kernel - base_kernel) / extra:.0f} %" if extra > 0 else "–",
                *per_second,
                shown(1 + needed / base),
                shown(extra / needed),
            ]
        )
    return table(rows)


def thread_table(results: dict[str, Measured]) -> str:
    """Elapsed and processor time against plain clang with as many threads."""
    ways = [way for way in BOTH if way != BASE]
    rows = [["program", *(f"{way}, {n}" for way in ways for n in ("1", "2", "2 elapsed"))]]
    kinds = ((1, "cpu"), (2, "cpu"), (2, "elapsed"))
    for name, measured in results.items():
        values = [measured.ratio(way, n, what) for way in ways for n, what in kinds]
        rows.append([name, *map(shown, values)])
    means = [
        mean(one.ratio(way, n, what) for one in results.values())
        for way in ways
        for n, what in kinds
    ]
    rows.append(["**geometric mean**", *(f"**{shown(value)}**" for value in means)])
    return table(rows)


def bandwidth_table(speeds: dict[tuple[str, int], float]) -> str:
    rows = [["a file in memory is filled by", "MB/s, 1 thread", "MB/s, 2 threads"]]
    rows += [
        [text, *(f"{speeds[way, threads]:.0f}" for threads in THREADS)]
        for way, text in FILLED.items()
    ]
    return table(rows)


def section(results: dict[str, Measured], speeds: dict[tuple[str, int], float], rounds: int) -> str:
    """All tables."""
    parts = [
        TITLE,
        (
            "Written by `make bench-traces`. Time is that of processors, in the program and in the "
            "kernel, against plain clang at `-O2`: the ratio of the smallest times of "
            f"{rounds} interleaved rounds, and in brackets the median over the rounds. Traces go "
            "to a file in memory. `memory` is what `-fpath-mode=trace` records; `all memory` is "
            "`-fpath-trace=all-memory`; `no …` records what is elided else. `callbacks` are those "
            "of clang's `-fsanitize-coverage` for blocks, loads and stores, and do nothing. "
            "`lackey` is valgrind's, with `--trace-mem=yes`."
        ),
        "### One thread: time",
        time_table(results),
        "### One thread: size",
        "Megabytes are 10⁶ bytes; what is not used of chunks is not counted.",
        size_table(results),
        "### Where does the time go?",
        (
            "A thread fills a chunk of memory, which the kernel then copies to new pages of the "
            "file. The bound is the time of the program and that of writing as many bytes of "
            "constants so. The last column has what the trace takes more than the program, in "
            "times of that writing."
        ),
        bandwidth_table(speeds),
        bound_table(results, speeds),
        "### One and two threads",
        "Each ratio is against plain clang with as many threads. The third is of elapsed time.",
        thread_table(results),
    ]
    return markdown(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these programs")
    parser.add_argument("--quick", action="store_true", help="3 rounds, kernels alone, no lackey")
    parser.add_argument("--rounds", type=int, help="how often each runs (default: 5, quick: 3)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the section there")
    options = parser.parse_args()
    if not PATHCC.exists():
        progress(f"{PATHCC} does not exist: run `make build` first")
        return 2
    rounds = options.rounds or (3 if options.quick else 5)
    every = programs()
    unknown = set(options.names) - {program.name for program in every}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    results = {}
    fresh_directory(HOME)
    try:
        speeds = bandwidth()
        for program in every:
            if options.names and program.name not in options.names:
                continue
            if options.quick and program.package and not options.names:
                continue
            try:
                results[program.name] = measure(program, rounds, options.quick)
            except CheckFailed as failure:
                # A mirror may lack a package.
                progress(f"{program.name} is left out: {str(failure).splitlines()[0]}")
                continue
            ratio = shown(results[program.name].ratio(MEMORY, 1, "cpu"))
            progress(f"{program.name}: {ratio} with memory")
    finally:
        shutil.rmtree(TRACES, ignore_errors=True)
    text = section(results, speeds, rounds)
    publish_section(text, TITLE, options.write)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
