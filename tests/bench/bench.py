"""Measures what profiling costs.

    python3 -m tests.bench.bench [--quick] [--set SET]… [--only NAME]… [--json FILE] [--write FILE]
                                 [--svg FILE] [--resume] [--times]

Eleven real programs, three large ones, kernels and CPython are built with plain clang, with pathcc
and with clang's edge profiler; the real programs are also built with the other profilers of the
field. All builds run in turn, so that a change of the machine's mood hits
all alike. User time is that of the processes themselves (`wait4`), pinned to one processor. Each
ratio is against plain clang at the same -O: of the smallest times, and (in brackets) the median
over the rounds. Of large programs the misses of caches are counted, too. Prints Markdown.
`--ablation` measures the stage `late` without each of its techniques instead of other profilers,
and `--diff OLD NEW` compares two files of `--json`. Nothing here passes or fails.

All sets take hours. The file of `--json` keeps the sets that are not asked for, each with the
machine and the commit that it was measured with, so that they can be measured one after the other.
`--resume` goes on with a set of the same commit where it was broken off. `--times` leaves out what
executes under valgrind: it takes half of the time, needs no idle machine, and is added by
`--resume`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench import analyses, besides, misses, pages, plot, sets, traces
from tests.bench.costs import (
    HOME,
    Cost,
    beside,
    build_timed,
    code_size,
    count_instructions,
    fresh_directory,
    has_perf,
    profile_variables,
    run_steps,
    slowdown_of_callgrind,
    slug,
)
from tests.bench.sets import OURS, SECOND, SETS, WEIGHTS, chosen, fetch
from tests.bench.tables import (
    BASE,
    Costs,
    difference_table,
    markdown,
    ratio,
    ratio_table,
    section_of,
    shown,
    summary_table,
    table,
)
from tests.bench.workloads import Workload, short_steps
from tests.real.tools import CLANG, PATHCC, PATHPROF, ROOT, CheckFailed, run

CALLGRIND = "callgrind"

# The sections that other benchmarks write into the same page.
OF_OTHERS = (pages.TITLE, traces.TITLE, analyses.TITLE)

# The sets whose times are drawn.
DRAWN = ("real", "large", "kernels")


@dataclass
class MeasuredSet:
    """What is known of a set: with which machine and commit, and the costs by program."""

    machine: str
    costs: Costs


@dataclass(frozen=True)
class Job:
    """A workload at a level, and what is compared."""

    workload: Workload
    source: Path | None
    level: str
    # By their names in the tables.
    compilers: dict[str, str]
    # What some programs compress.
    text: Path

    @property
    def home(self) -> Path:
        """Where its trees are."""
        return HOME / f"{self.workload.name}{self.level}"


# How often each compiler builds a program. After so many seconds no further round of builds begins:
# some programs have a `configure` that takes longer than their compilation.
BUILDS = 3
LONG_BUILDS = 60

OF_TRACES = (
    "Traces have tables of their own. [Benchmarks](../benchmarks.md#traces) shows the time and the "
    "bytes without each elision, and "
    "[trace-performance.md](trace-performance.md#what-does-a-trace-leave-out) what each one "
    "saves."
)


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def compared(title: str, options: argparse.Namespace) -> dict[str, str]:
    """The compilers that are compared in a set, by the name in the tables."""
    return sets.compared(title, ablation=options.ablation, quick=options.quick)


def write_weights(workload: Workload, tree: Path, text: Path) -> None:
    """Runs pathcc's build once and keeps its counts for a second build."""
    profiles = fresh_directory(HOME / "first-run")
    run_steps(workload, tree, workload.steps(tree, text), [], profile_variables(profiles))
    run([PATHPROF, "weights", "-o", WEIGHTS, *profiles.glob("*.pathprof")], HOME)


def built(job: Job, costs: dict[str, Cost]) -> dict[str, Path]:
    """The trees of a job by the compiler that built them. Notes what that cost."""
    workload = job.workload
    trees: dict[str, Path] = {}
    for name, compiler in job.compilers.items():
        try:
            if name == SECOND:
                write_weights(workload, trees[OURS], job.text)
            trees[name] = build_timed(workload, job.source, name, compiler, job.level, costs[name])
            costs[name].code = code_size(workload, trees[name])
        except CheckFailed as failure:
            progress(f"{workload.name}: {name} cannot build it: {str(failure).splitlines()[0]}")
            costs[name] = Cost()
    return trees


def take_times(job: Job, options: argparse.Namespace) -> dict[str, Cost]:
    """What building and running a workload costs. Nothing else may run meanwhile.

    The trees stay: `count_events` takes them.
    """
    workload = job.workload
    costs = {name: Cost() for name in job.compilers}
    begin = time.monotonic()
    for _ in range(1 if options.quick else BUILDS):
        trees = built(job, costs)
        if time.monotonic() - begin > LONG_BUILDS:
            break
    variables = profile_variables(fresh_directory(HOME / "profiles"))
    for _ in range(options.rounds):
        for name, tree in trees.items():
            user, memory = run_steps(workload, tree, workload.steps(tree, job.text), [], variables)
            costs[name].user.append(user)
            costs[name].memory = max(costs[name].memory, memory)

    if workload.group == "python" and not options.ablation:
        with beside(workload, trees[BASE], workload.steps(trees[BASE], job.text), variables):
            for _ in range(options.rounds):
                for name, tree in trees.items():
                    user, _ = run_steps(
                        workload, tree, workload.steps(tree, job.text), [], variables
                    )
                    costs[name].busy.append(user)
    if workload.name == "cpython" and OURS in trees:
        progress(f"region of CPython: {besides.region(trees[OURS] / 'python') / 2**20:.1f} MiB")
    return costs


def count_events(job: Job, options: argparse.Namespace, costs: dict[str, Cost]) -> None:
    """Adds what a workload executes. Other work beside it changes nothing, unless perf counts."""
    workload = job.workload
    trees = {
        name: tree
        for name in job.compilers
        if costs[name].user and (tree := job.home / slug(name)).exists()
    }
    if BASE not in trees:
        # The times are those of an earlier run.
        trees = built(job, {name: Cost() for name in job.compilers})
    variables = profile_variables(fresh_directory(HOME / "profiles"))

    def count(name: str) -> None:
        tree, cost = trees[name], costs[name]
        steps = workload.steps(tree, job.text)
        try:
            if workload.group == "large":
                cost.misses = misses.count(workload, tree, steps, variables, perf=options.perf)
                cost.instructions = cost.misses["instructions"]
            else:
                steps = steps if options.perf else short_steps(workload, tree, job.text)
                cost.instructions = count_instructions(
                    workload, tree, steps, variables, perf=options.perf
                )
        except CheckFailed as failure:
            # The timer of `gcc -pg` may kill a program that ends under valgrind.
            progress(f"{workload.name}: {name} is not counted: {str(failure).splitlines()[0]}")

    # valgrind counts the same whatever runs beside it. perf does not.
    with ThreadPoolExecutor(1 if options.perf else os.cpu_count()) as pool:
        list(pool.map(count, trees))
    plain = trees[BASE]
    if job.compilers is sets.FIELD and "big" in workload.program.work:
        slowdown = slowdown_of_callgrind(
            workload, plain, workload.program.work["big"](plain), variables
        )
        # As if it had run as long as the others, since only ratios are shown.
        costs[CALLGRIND] = Cost(user=[slowdown * min(costs[BASE].user)] if slowdown else [])
    shutil.rmtree(job.home)


def publish(parts: list[str], file: Path | None) -> None:
    """Prints Markdown, and writes it to a file, too, if one is wanted.

    The file keeps the sections that other benchmarks write.
    """
    output = markdown(parts)
    print(output, end="")
    if file:
        kept = [section_of(file, title) for title in OF_OTHERS]
        file.write_text(markdown([output.rstrip(), *filter(None, kept)]))


def commit() -> str:
    """Which pathcc is measured."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"pathcc {described.stdout.strip() or '(no commit)'}"


def machine() -> str:
    def first_line(*command: str) -> str:
        return run(command, ROOT).decode().splitlines()[0]

    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    facts = [
        f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores, {memory} GiB",
        first_line(CLANG, "--version"),
        first_line("gcc", "--version"),
        first_line("valgrind", "--version"),
        commit(),
    ]
    return "\n".join(f"- {fact}" for fact in facts)


def document(results: dict[str, MeasuredSet], extras: dict, options: argparse.Namespace) -> str:
    machines = list(dict.fromkeys(known.machine for known in results.values()))
    parts = [
        "# Benchmarks" if not options.ablation else "# Ablation",
        (
            f"Written by `make {'ablation' if options.ablation else 'bench'}`. User time against "
            "plain clang at the same optimisation level: the ratio of the smallest times of "
            f"{options.rounds} interleaved rounds, and in brackets the median over the rounds. "
            "1.00 is no cost."
        ),
        *([OF_TRACES] if options.ablation else []),
        *(machines if len(machines) == 1 else []),
    ]
    if options.svg:
        parts.append(f"![User time against plain clang]({options.svg.name})")
    for title, known in results.items():
        costs, level = known.costs, SETS[title][1]
        names = [name for name in compared(title, options) if name != BASE]
        groups = {"geometric mean": list(costs)}
        measured = [
            *names,
            *([CALLGRIND] if any(CALLGRIND in by_name for by_name in costs.values()) else []),
        ]
        seconds = ("clang, s", lambda base: f"{min(base.user):.2f}")
        parts += [
            f"## {title}, {level}: user time",
            *([known.machine] if len(machines) > 1 else []),
            ratio_table(costs, groups, "user", measured, seconds),
        ]
        if any(by_name[BASE].busy for by_name in costs.values()):
            seconds = ("clang, s", lambda base: f"{min(base.busy):.2f}")
            parts += [
                f"## {title}, {level}: user time while another processor is busy",
                "A copy of plain clang's build does the same work there, again and again.",
                ratio_table(costs, groups, "busy", names, seconds),
            ]
        billions = ("clang, 10⁹", lambda base: f"{base.instructions / 1e9:.3f}")
        counter = "perf" if options.perf else "cachegrind"
        parts += [
            f"## {title}, {level}: instructions",
            f"Instructions executed in user space, as {counter} counts them.",
            ratio_table(costs, groups, "instructions", names, billions),
        ]
        if any(by_name[BASE].misses for by_name in costs.values()):
            by = "perf counts them" if options.perf else "cachegrind simulates them"
            parts += [
                f"## {title}, {level}: caches",
                f"What happened in user space, as {by}; against plain clang.",
                misses.miss_table(costs, names),
            ]
        parts += [
            f"## {title}, {level}: everything else",
            "Geometric means over all programs. Peak memory is that of the largest process.",
            summary_table(costs, names),
        ]
    if extras:
        parts += [
            "## Besides",
            (
                "Elapsed time more than with plain clang: the difference of the minima, and in "
                "brackets of the medians."
            ),
            table([["", "pathcc"], *map(list, extras["rows"])]),
            (
                "Eight threads on two cores run the same hot functions; user time against plain "
                "clang with as many threads."
            ),
            table(extras["threads"]),
        ]
    return markdown(parts)


def read_results(path: Path) -> dict[str, MeasuredSet]:
    read = json.loads(path.read_text())["sets"]
    return {
        title: MeasuredSet(
            known["machine"],
            {
                program: {name: Cost(**cost) for name, cost in by_name.items()}
                for program, by_name in known["costs"].items()
            },
        )
        for title, known in read.items()
    }


def read_extras(path: Path) -> dict:
    return json.loads(path.read_text())["besides"]


def write_results(results: dict[str, MeasuredSet], extras: dict, path: Path) -> None:
    """Writes every number that is known."""
    written = {title: asdict(known) for title, known in results.items()}
    path.write_text(json.dumps({"sets": written, "besides": extras}, indent=1) + "\n")


def compare(old: Path, new: Path) -> str:
    """How pathcc changed between two measurements."""
    before, now = read_results(old), read_results(new)
    parts = [
        f"## {title}\n\n{difference_table(before[title].costs, now[title].costs, OURS)}"
        for title in now
        if title in before
    ]
    return markdown(parts)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="3 rounds, one build of each program, only pathcc and clang's edge profiler",
    )
    parser.add_argument(
        "--rounds", type=int, help="how often each program runs (default: 9, quick: 3)"
    )
    parser.add_argument(
        "--set", action="append", dest="sets", choices=SETS, help="which programs (default: all)"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    parser.add_argument(
        "--ablation", action="store_true", help="pathcc without each of its techniques"
    )
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="also write the tables there, as docs/benchmarks.md",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write every number there, as it is known"
    )
    parser.add_argument(
        "--resume", action="store_true", help="measure only what the file of --json lacks"
    )
    parser.add_argument(
        "--times", action="store_true", help="count no instructions, so far as they are not known"
    )
    parser.add_argument(
        "--svg", type=Path, metavar="FILE", help="also draw the ratios of sets at -O2"
    )
    parser.add_argument(
        "--diff", nargs=2, type=Path, metavar=("OLD", "NEW"), help="compare two files of --json"
    )
    options = parser.parse_args()
    if options.resume and not options.json:
        parser.error("--resume needs the file of --json")
    options.rounds = options.rounds or (3 if options.quick else 9)
    options.perf = has_perf()
    options.sets = options.sets or list(SETS)
    return options


def kept(title: str, known: dict[str, MeasuredSet], options: argparse.Namespace) -> bool:
    """Whether what the file knows of a set stays in it, and in the tables."""
    if title not in options.sets or title not in known:
        return title in known
    return options.resume and known[title].machine.endswith(commit())


def main() -> int:
    options = arguments()
    if options.diff:
        print(compare(*options.diff), end="")
        return 0
    if not PATHCC.exists():
        progress(f"{PATHCC} does not exist: run `make build` first")
        return 2
    wanted = chosen(options.sets, options.only)
    trees, text = fetch(wanted)
    known = read_results(options.json) if options.json and options.json.exists() else {}
    results = {
        title: known[title] if kept(title, known, options) else MeasuredSet(machine(), {})
        for title in SETS
        if title in known or title in wanted
    }
    extras = read_extras(options.json) if known else {}

    def job(title: str, workload: Workload) -> Job:
        source = trees.get(workload.program.package or "")
        return Job(workload, source, SETS[title][1], compared(title, options), text)

    def note() -> None:
        if options.json:
            write_results(results, extras, options.json)

    # All times first: they need an idle machine, and what is counted does not.
    total, number = sum(map(len, wanted.values())), 0
    for title, set_ in wanted.items():
        costs = results[title].costs
        for workload in set_:
            number += 1
            timed = job(title, workload)
            if workload.name not in costs:
                costs[workload.name] = take_times(timed, options)
                note()
            by_name = costs[workload.name]
            ratios = ", ".join(
                f"{name} {shown(ratio(by_name[name], by_name[BASE], 'user'), 3)}"
                for name in list(timed.compilers)[1:3]
            )
            progress(f"[{number}/{total}] {workload.name} {timed.level}: {ratios}")
    for title, set_ in {} if options.times else wanted.items():
        for workload in set_:
            by_name = results[title].costs[workload.name]
            if by_name[BASE].instructions:
                continue
            counted = job(title, workload)
            count_events(counted, options, by_name)
            note()
            progress(f"{workload.name} {counted.level} is counted")
    all_sets = options.sets == list(SETS)
    if all_sets and not options.ablation and not options.only and not options.times:
        extras = {"rows": besides.rows(options.quick), "threads": besides.threads(3)}
    output = document(results, extras, options)
    print(output)
    if options.write:
        options.write.write_text(output)
    if options.json:
        write_results(results, extras, options.json)
    if options.svg:
        rows = [
            (
                program,
                {
                    name: value
                    for name in by_name
                    if (value := ratio(by_name[name], by_name[BASE], "user"))
                },
            )
            for title in DRAWN
            if title in results
            for program, by_name in results[title].costs.items()
        ]
        options.svg.write_text(plot.bars(rows, "User time against plain clang, -O2"))
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
