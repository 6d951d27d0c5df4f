#!/usr/bin/env python3
"""Measures what profiling costs: `bench.py [--quick] [--level O2]… [--only NAME]… [--rounds N] [--write FILE]`.

Four real programs and twelve kernels are built with plain clang, with pathcc and with the other profilers of the field, then
run in turn, so that a change of the machine's mood hits all alike. User time is that of the processes themselves
(`wait4`). Each ratio is against plain clang at the same -O: of the smallest times, and (in brackets) the median over
the rounds. Prints Markdown; `--write` also puts it into a file. Nothing here passes or fails.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "real"))

import programs  # noqa: E402
import sources  # noqa: E402
from programs import KERNELS, PROGRAMS, Program, Step  # noqa: E402
from tools import CLANG, PATHCC, ROOT, SCRATCH, CheckFailed, environment, run  # noqa: E402

HOME = SCRATCH.parent / "bench"
TIMED = Path(__file__).with_name("timed_cc.py")
BASE = "clang"

# What is compared, by the name in the tables.
COMPILERS = {
    BASE: CLANG,
    "pathcc": str(PATHCC),
    "clang -fprofile-generate": f"{CLANG} -fprofile-generate",
    "clang -fprofile-instr-generate": f"{CLANG} -fprofile-instr-generate",
    "clang --coverage": f"{CLANG} --coverage",
    "gcc": "gcc",
    "gcc --coverage": "gcc --coverage",
    "gcc -pg": "gcc -pg -fno-pie -no-pie",
}
CALLGRIND = "callgrind"


@dataclass
class Cost:
    """What one build of a program cost, over all rounds."""

    user: list[float] = field(default_factory=list)
    memory: int = 0
    instructions: int = 0
    compile_user: list[float] = field(default_factory=list)
    link_user: list[float] = field(default_factory=list)
    compile_memory: int = 0
    objects: int = 0


# Costs by program, then by compiler.
Costs = dict[str, dict[str, Cost]]


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# ---------------------------------------------------------------------------------------------------------------
# Building


def build_timed(program: Program, source: Path | None, name: str, level: str, cost: Cost) -> Path:
    """Builds a program with one compiler and notes what its calls cost."""
    home = HOME / f"{program.name}{level}"
    tree, log = home / slug(name), home / f"{slug(name)}.log"
    shutil.rmtree(tree, ignore_errors=True)
    home.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    if source is None:
        tree.mkdir()
    else:
        shutil.copytree(source, tree, symlinks=True)
    program.build(tree, f"{sys.executable} {TIMED} {log} {COMPILERS[name]}", level)
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    cost.compile_user.append(sum(call["user"] for call in calls if call["kind"] in ("compile", "both")))
    cost.link_user.append(sum(call["user"] for call in calls if call["kind"] == "link"))
    cost.compile_memory = max(call["memory"] for call in calls)
    cost.objects = sum(call["object"] for call in calls)
    for data in [*tree.rglob("*.gcda"), *tree.rglob("*.profraw"), *tree.rglob("gmon.out")]:
        data.unlink()
    return tree


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name)


def compile_then_link(program: Program) -> Program:
    """A kernel, built in two steps so that both can be timed."""
    source = ROOT / "examples/kernels" / f"{program.name}.c"

    def in_two_steps(tree: Path, cc: str, flags: str) -> None:
        shutil.copy(source, tree)
        run([*cc.split(), *flags.split(), "-c", source.name, "-o", f"{program.name}.o"], tree)
        run([*cc.split(), f"{program.name}.o", "-o", program.name, "-lm"], tree)

    return Program(program.name, in_two_steps, program.images, program.work)


# ---------------------------------------------------------------------------------------------------------------
# Running


def bench_steps(program: Program, tree: Path, text: Path) -> list[Step]:
    """About a second of work. `text` is a large text file."""
    match program.name:
        case "lua":
            return programs.lua(12000)(tree)
        case "bzip2":
            return [Step(["@bzip2", "-9", "-c", str(text)]), Step(["@bzip2", "-1", "-c", str(text)])]
        case "zlib":
            return [Step(["@minigzip", level], text) for level in ("-1", "-6", "-9")]
        case "sqlite":
            return programs.sqlite(60000, ":memory:")(tree)
        case name:
            return [Step([f"@{name}"])]


def run_steps(program: Program, tree: Path, steps: Iterable[Step], prefix: list[str], variables: dict) -> tuple[float, int]:
    """Runs steps and returns their user time and peak memory. Only the program itself is measured."""
    place = HOME / "work"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    env = environment(**variables)
    if program.library_path:
        env["LD_LIBRARY_PATH"] = os.path.normpath(tree / program.library_path)
    user, memory = 0.0, 0
    for step in steps:
        argv = [str(tree / word[1:]) if word.startswith("@") else word for word in step.argv]
        source = place / "stdin"
        if isinstance(step.stdin, bytes):
            source.write_bytes(step.stdin)
        else:
            source = step.stdin
        measured = step.argv[0].startswith("@")
        with source.open("rb") as stdin:
            child = subprocess.Popen(
                [*(prefix if measured else []), *argv],
                cwd=place,
                env=env,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise CheckFailed(f"`{' '.join(argv)}` failed with status {child.returncode}")
        if measured:
            user += usage.ru_utime
            memory = max(memory, usage.ru_maxrss * 1024)
    return user, memory


def profile_variables(place: Path) -> dict[str, str]:
    """Where each profiler writes: all do write, as they would in use, into files that are replaced every time."""
    return {
        "PATHCC_PROFILE": f"{place}/%e.pathprof",
        "LLVM_PROFILE_FILE": f"{place}/%m.profraw",
        "GMON_OUT_PREFIX": f"{place}/gmon",
    }


def has_perf() -> bool:
    """Whether the kernel lets us count instructions."""
    try:
        command = ["perf", "stat", "-x,", "-e", "instructions:u", "true"]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0 and re.search(r"^\d+,", done.stderr, re.MULTILINE) is not None


def count_instructions(program: Program, tree: Path, steps: list[Step], variables: dict, tool: str) -> int:
    """Instructions executed in user space, as `tool` (perf or callgrind) counts them; 0 if it cannot."""
    out = HOME / "instructions"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if tool == "perf":
        prefix = ["perf", "stat", "-x,", "-e", "instructions:u", "--append", "-o", str(out / "perf"), "--"]
        pattern = r"^(\d+),"
    else:
        prefix = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/%p"]
        pattern = r"^totals: (\d+)"
    try:
        run_steps(program, tree, steps, prefix, variables)
    except CheckFailed:
        # The signals of `gcc -pg` end a program under valgrind.
        return 0
    return sum(int(count) for file in out.iterdir() for count in re.findall(pattern, file.read_text(), re.MULTILINE))


def slowdown_of_callgrind(program: Program, tree: Path, steps: list[Step], variables: dict) -> float | None:
    """How many times longer a program takes under callgrind, or None if the work is too short to tell."""
    plain, _ = run_steps(program, tree, steps, [], variables)
    if plain < 0.02:
        return None
    prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    return run_steps(program, tree, steps, prefix, variables)[0] / plain


def measure(program: Program, source: Path | None, level: str, options: argparse.Namespace, text: Path) -> dict[str, Cost]:
    """All costs of one program at one level."""
    costs = {name: Cost() for name in COMPILERS}
    builds = 1 if options.quick or program.name == "sqlite" else 3
    for _ in range(builds):
        trees = {name: build_timed(program, source, name, level, costs[name]) for name in COMPILERS}
    profiles = HOME / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    variables = profile_variables(profiles)
    for _ in range(options.rounds):
        for name, tree in trees.items():
            user, memory = run_steps(program, tree, bench_steps(program, tree, text), [], variables)
            costs[name].user.append(user)
            costs[name].memory = max(costs[name].memory, memory)
    for name, tree in trees.items():
        steps = bench_steps(program, tree, text) if options.tool == "perf" else program.work["small"](tree)
        costs[name].instructions = count_instructions(program, tree, steps, variables, options.tool)
    plain = trees[BASE]
    slowdown = slowdown_of_callgrind(program, plain, program.work["big"](plain), variables)
    # As if it had run as long as the others, since only ratios are shown.
    costs[CALLGRIND] = Cost(user=[slowdown * min(costs[BASE].user)] if slowdown else [])
    shutil.rmtree(HOME / f"{program.name}{level}")
    return costs


# ---------------------------------------------------------------------------------------------------------------
# Reporting


def ratio(cost: Cost, base: Cost, what: str) -> float | None:
    """The ratio of a cost to the base's, or None if one of them was not measured."""
    value, against = getattr(cost, what), getattr(base, what)
    if isinstance(value, list):
        value, against = min(value, default=0), min(against, default=0)
    return value / against if value and against else None


def median_ratio(cost: Cost, base: Cost) -> float | None:
    if len(cost.user) != len(base.user) or min(base.user) == 0:
        return None
    return statistics.median(one / other for one, other in zip(cost.user, base.user, strict=True))


def mean(ratios: Iterable[float | None]) -> float | None:
    """The geometric mean of what was measured."""
    known = [value for value in ratios if value]
    return math.exp(statistics.fmean(map(math.log, known))) if known else None


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def table(rows: list[list[str]]) -> str:
    """A Markdown table whose columns line up."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def ratio_table(costs: Costs, what: str, names: list[str], base_column: tuple[str, Callable[[Cost], str]]) -> str:
    """Ratios of one cost by program, with the geometric means of the real programs, the kernels and all."""
    title, base_cell = base_column
    rows = [["program", title, *names]]
    for program, by_name in costs.items():
        base = by_name[BASE]
        cells = []
        for name in names:
            median = median_ratio(by_name[name], base) if what == "user" else None
            cells.append(shown(ratio(by_name[name], base, what)) + (f" ({shown(median)})" if median else ""))
        rows.append([program, base_cell(base), *cells])
    real = {program.name for program in PROGRAMS}
    groups = {"real programs": real & costs.keys(), "kernels": costs.keys() - real, "all": costs.keys()}
    for title, members in groups.items():
        if members:
            means = [mean(ratio(costs[one][name], costs[one][BASE], what) for one in members) for name in names]
            rows.append([f"**{title}**", "", *(f"**{shown(value)}**" for value in means)])
    return table(rows)


def summary_table(costs: Costs) -> str:
    kinds = {
        "peak memory of a run": "memory",
        "compiling, user time": "compile_user",
        "linking, user time": "link_user",
        "peak memory of a compilation": "compile_memory",
        "size of the objects": "objects",
    }
    names = [name for name in COMPILERS if name != BASE]
    rows = [["", *names]]
    for title, what in kinds.items():
        means = [mean(ratio(by_name[name], by_name[BASE], what) for by_name in costs.values()) for name in names]
        rows.append([title, *map(shown, means)])
    return table(rows)


def machine() -> str:
    def first_line(*command: str) -> str:
        return run(command, ROOT).decode().splitlines()[0]

    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    facts = [
        f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores, {memory} GiB",
        first_line(CLANG, "--version"),
        first_line("gcc", "--version"),
        first_line("valgrind", "--version"),
        f"pathcc {commit.stdout.strip() or '(no commit)'}",
    ]
    return "\n".join(f"- {fact}" for fact in facts)


def document(results: dict[str, Costs], options: argparse.Namespace) -> str:
    names = [name for name in COMPILERS if name != BASE]
    parts = [
        "# Benchmarks",
        "Written by `make bench`. User time against plain clang at the same optimisation level: the ratio of the smallest "
        f"times of {options.rounds} interleaved rounds, and in brackets the median over the rounds. 1.00 is no cost. "
        "callgrind ran once, on less work.",
        machine(),
    ]
    for level, costs in results.items():
        parts += [
            f"## {level}: user time",
            ratio_table(costs, "user", [*names, CALLGRIND], ("clang, s", lambda base: f"{min(base.user):.2f}")),
            f"## {level}: instructions",
            f"Instructions executed in user space, as {options.tool} counts them.",
            ratio_table(costs, "instructions", names, ("clang, 10⁹", lambda base: f"{base.instructions / 1e9:.3f}")),
            f"## {level}: everything else",
            "Geometric means over all programs. Peak memory is that of the largest process.",
            summary_table(costs),
        ]
    return "\n\n".join(parts) + "\n"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 rounds, each program built once")
    parser.add_argument("--rounds", type=int, help="how often each program runs (default: 9, quick: 3)")
    parser.add_argument("--level", action="append", metavar="LEVEL", help="optimisation levels (default: O2)")
    parser.add_argument("--only", action="append", metavar="NAME", help="only these programs")
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the tables there, as docs/benchmarks.md")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 9)
    options.tool = "perf" if has_perf() else CALLGRIND
    options.level = [f"-{level.removeprefix('-')}" for level in options.level or ["O2"]]
    return options


def main() -> int:
    options = arguments()
    if not PATHCC.exists():
        progress(f"{PATHCC} does not exist: run `make build` first")
        return 2
    wanted = [program for program in PROGRAMS + KERNELS if not options.only or program.name in options.only]
    trees = sources.fetch([program.package for program in PROGRAMS])
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    text = HOME / "text"
    text.write_bytes(b"".join(file.read_bytes() for file in sorted((trees["sqlite3"] / "src").glob("*.[ch]"))))
    results: dict[str, Costs] = {}
    for level in options.level:
        results[level] = {}
        for number, program in enumerate(wanted, 1):
            timed = program if program.package else compile_then_link(program)
            costs = measure(timed, trees.get(program.package), level, options, text)
            results[level][program.name] = costs
            got = shown(ratio(costs["pathcc"], costs[BASE], "user"))
            progress(f"[{number}/{len(wanted)}] {program.name} {level}: pathcc {got}")
    output = document(results, options)
    print(output)
    if options.write:
        options.write.write_text(output)
    shutil.rmtree(HOME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
