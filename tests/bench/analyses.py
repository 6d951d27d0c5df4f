"""Measures how long the analyses of traces take, and how that grows.

    python3 -m tests.bench.analyses [--quick] [--rounds N] [--write docs/benchmarks.md]

Four programs grow by three doublings: of regular accesses, of irregular ones, of threads that do
nearly nothing, and of branches in one function. Beside the analyses stand the programs with
ThreadSanitizer and under valgrind's lackey, which analyse or write down accesses while the program
runs. Prints a section for docs/benchmarks.md. With `--write`, the section takes the place of the
one that stands in the file.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.costs import HOME, fresh_directory
from tests.bench.tables import markdown, publish_section, shown, table
from tests.bench.trace_work import BASE, MEMORY, TRACES, WAYS, Ran, run_watched
from tests.bench.workloads import WORK
from tests.real.parallel import KERNELS, compile_kernel, only_trace, told_of
from tests.real.tools import CLANG, PATHCC, PATHPROF, run

TITLE = "## Analyses of traces"
THREADS = 2
SANITIZED, TRACED = "ThreadSanitizer", "traced"
FLAGS = {BASE: [], SANITIZED: ["-fsanitize=thread"], TRACED: WAYS[MEMORY].split()}
ANALYSES = ("info", "graph", "races", "memory", "cache")

# The sides of ocean's basin: each has twice the points of the one before.
SIDES = (212, 300, 424, 600)
# The points of the mesh.
POINTS = (155_000, 310_000, 620_000, 1_240_000)
SHORT_THREADS = (1250, 2500, 5000, 10000)
BRANCHES = (2500, 5000, 10000, 20000)
LACKEY = ("valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=/dev/null")


@dataclass
class Step:
    """One size of a program: what its runs and the analyses of its trace took."""

    size: str
    runs: dict[str, list[Ran]] = field(default_factory=dict)
    # In megabytes.
    trace: float = 0

    def add(self, name: str, ran: Ran) -> None:
        self.runs.setdefault(name, []).append(ran)

    def least(self, name: str, what: str = "elapsed") -> float | None:
        return min((getattr(ran, what) for ran in self.runs.get(name, [])), default=None)

    def memory(self, name: str) -> float | None:
        """The most memory, in megabytes."""
        return max((ran.memory / 1e6 for ran in self.runs.get(name, [])), default=None)

    def analysed(self, name: str) -> str:
        """Seconds, and in brackets the memory."""
        seconds = self.least(name)
        return "–" if seconds is None else f"{seconds:.2f} ({self.memory(name):.0f})"


def compiler(name: str) -> str:
    return str(PATHCC) if name == TRACED else CLANG


def trace_of(command: Sequence[object], step: Step, analyses: Sequence[str], rounds: int) -> Path:
    """Runs a traced program, and analyses the trace of its last run."""
    for _ in range(rounds):
        fresh_directory(TRACES)
        step.add(TRACED, run_watched(command, TRACES, THREADS))
    trace = only_trace(TRACES, THREADS)
    step.trace = trace.stat().st_blocks * 512 / 1e6
    for analysis in analyses:
        for _ in range(rounds):
            step.add(analysis, run_watched([PATHPROF, "trace", analysis, trace], TRACES, THREADS))
    return trace


def accesses(home: Path, sides: Sequence[int], rounds: int) -> list[Step]:
    """The same work on more and more memory."""
    (ocean,) = (kernel for kernel in KERNELS if kernel.name == "ocean")
    for name, flags in FLAGS.items():
        compile_kernel(ocean, compiler(name), ["-O2", *flags], home / name)
    steps = []
    for side in sides:
        step = Step("")
        words = [THREADS, side]
        for name in (BASE, SANITIZED):
            for _ in range(rounds):
                step.add(name, run_watched([home / name, *words], TRACES, THREADS))
        # It takes a minute for a hundred million accesses.
        step.add("lackey", run_watched([*LACKEY, home / BASE, *words], TRACES, THREADS))
        told = told_of(trace_of([home / TRACED, *words], step, ANALYSES, rounds))
        step.size = f"{told.accesses / 1e6:.1f}"
        steps.append(step)
    return steps


def irregular(home: Path, points: Sequence[int], rounds: int) -> list[Step]:
    """Accesses whose addresses do not follow each other."""
    for name, flags in FLAGS.items():
        command = [compiler(name), "-g", "-O2", "-pthread", *flags]
        run([*command, WORK / "mesh.c", "-o", home / name, "-lm"], home)
    steps = []
    for number in points:
        step = Step("")
        for name in (BASE, SANITIZED):
            for _ in range(rounds):
                step.add(name, run_watched([home / name, THREADS, number], TRACES, THREADS))
        trace = trace_of([home / TRACED, THREADS, number], step, ANALYSES, rounds)
        step.size = f"{told_of(trace).accesses / 1e6:.1f}"
        steps.append(step)
    return steps


def short_threads(home: Path, numbers: Sequence[int], rounds: int) -> list[Step]:
    """More and more threads."""
    for name, flags in FLAGS.items():
        command = [compiler(name), "-g", "-O2", "-pthread", *flags]
        run([*command, WORK / "short_threads.c", "-o", home / name], home)
    steps = []
    for number in numbers:
        step = Step(f"{number:,}")
        for name in (BASE, SANITIZED):
            for _ in range(rounds):
                step.add(name, run_watched([home / name, number], TRACES, THREADS))
        trace_of([home / TRACED, number], step, ("graph", "races"), rounds)
        steps.append(step)
    return steps


def branches(home: Path, numbers: Sequence[int], rounds: int) -> list[Step]:
    """A function with more and more branches."""
    steps = []
    for number in numbers:
        body = "".join(
            f" if (p[{at % 1000}] > {at}u) s += {at}; else s ^= {at};\n" for at in range(number)
        )
        source = home / "branches.c"
        source.write_text(
            f"int of(unsigned *p) {{\n int s = 0;\n{body} return s;\n}}\n"
            "int main(void) {\n static unsigned p[1000];\n"
            " for (int i = 0; i < 1000; i++) p[i] = i * 37;\n return of(p) & 0;\n}\n"
        )
        run([PATHCC, "-g", "-O0", *FLAGS[TRACED], source, "-o", home / "branches"], home)
        step = Step(f"{number:,}")
        trace_of([home / "branches"], step, ("info", "memory"), rounds)
        steps.append(step)
    return steps


def of_accesses(steps: list[Step], programs: Sequence[str]) -> str:
    """A table of programs and of all analyses, by accesses."""
    return table(
        [
            ["accesses, 10⁶", "clang, s", *programs, "trace, MB", *ANALYSES],
            *(
                [
                    step.size,
                    *(shown(step.least(name)) for name in (BASE, *programs)),
                    shown(step.trace, 1),
                    *(step.analysed(name) for name in ANALYSES),
                ]
                for step in steps
            ),
        ]
    )


def section(
    by_accesses: list[Step],
    by_points: list[Step],
    by_threads: list[Step],
    by_branches: list[Step],
) -> str:
    threads = [
        ["threads", *(f"{name}: CPU; elapsed, s" for name in FLAGS), "trace, MB", "graph", "races"],
        *(
            [
                step.size,
                *(f"{shown(step.least(name, 'cpu'))}; {shown(step.least(name))}" for name in FLAGS),
                shown(step.trace, 1),
                *(step.analysed(name) for name in ("graph", "races")),
            ]
            for step in by_threads
        ),
    ]
    large = [
        ["branches of a function", "info", "memory"],
        *(
            [step.size, *(step.analysed(name) for name in ("info", "memory"))]
            for step in by_branches
        ),
    ]
    return markdown(
        [
            TITLE,
            (
                "Written by `make bench-traces`. Seconds elapsed on two processors, the least of "
                "the rounds, and in brackets the peak memory of the analysis in MB. "
                "ThreadSanitizer analyses while the program runs; lackey writes accesses down "
                "and analyses nothing."
            ),
            "### More accesses",
            (
                f"`ocean` with {THREADS} threads, which visit the points of a basin forty times. "
                "Traces and profiles go to a file in memory."
            ),
            of_accesses(by_accesses, (SANITIZED, "lackey", TRACED)),
            "### Irregular accesses",
            (
                f"A mesh with {THREADS} threads: the neighbours of a point are anywhere in memory, "
                "so that each of their addresses is recorded."
            ),
            of_accesses(by_points, (SANITIZED, TRACED)),
            "### More threads",
            "Threads that write one number, ten at a time.",
            table(threads),
            "### Larger functions",
            "A function of branches one behind the other, which is entered once, at `-O0`.",
            table(large),
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round, without the largest size")
    parser.add_argument("--rounds", type=int, help="how often each runs (default: 3)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the section there")
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 3)
    last = -1 if options.quick else None
    try:
        home = fresh_directory(HOME)
        fresh_directory(TRACES)
        found = [
            measure(fresh_directory(home / measure.__name__), sizes[:last], rounds)
            for measure, sizes in (
                (accesses, SIDES),
                (irregular, POINTS),
                (short_threads, SHORT_THREADS),
                (branches, BRANCHES),
            )
        ]
    finally:
        shutil.rmtree(TRACES, ignore_errors=True)
    text = section(*found)
    publish_section(text, TITLE, options.write)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
