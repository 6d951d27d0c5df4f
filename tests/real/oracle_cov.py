"""Oracle 3: clang's own two coverage instrumentations, at -O0, give the same counts.

Compared, always for exact equality:

* how often each function was entered, for every function that ran;
* how often each line ran, where exactly one of our blocks mentions the line and does more than
  jump. For clang's source-based coverage the line must moreover lie inside one region from its
  start to its end, so that it has a single count, outside of macros, and hold more than braces. For
  gcov, which counts a line twice when a block comes back to it, exactly one block must end on the
  line, and that block's count is taken;
* how often every line ran that the tracefile of `pathprof export --format lcov` has. Where clang's
  two tools agree, it is the same; where they do not, it is what gcov says, but for lines that it
  counts twice, those that one block comes to a second time, and one in a thousand;
* how often each conditional branch went each way, where the line of the branch is unambiguous: the
  line has one branch in the other tool's output, one of our two-way blocks mentions it, and that
  block mentions no other line that has a branch.

Functions for which the two tools contradict each other, or gcov itself, are left out of the
comparison with gcov (and only there); how many is printed, and more than a few are an error.

The work must end by returning from `main` and never jump over a function's return: both tools count
what was begun, pathcc counts what was finished.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.real.build import build, work
from tests.real.coverage_tools import (
    Counts,
    Function,
    Line,
    base,
    read_coverage,
    read_gcov,
    read_rows,
)
from tests.real.programs import Program
from tests.real.tools import PATHPROF, CheckFailed, export, run

# How often a branch went the one way and the other.
Ways = tuple[int, int]


@dataclass
class Ours:
    """What pathcc counted, before one knows which lines have branches."""

    functions: dict[Function, int]
    lines: dict[Line, int]
    # The functions that each of `lines` belongs to.
    owners: dict[Line, set[Function]]
    # For each two-way block the copy of the source that it is in, the lines that it mentions, and
    # how often each edge was taken.
    two_way: list[tuple[tuple, list[Line], Ways]]
    # Lines that a block mentions again after another one.
    repeated: set[Line]


def read_ours(profiles: Path) -> Ours:
    """Reads `pathprof export`."""
    files = sorted(profiles.glob("*.pathprof"))
    if not files:
        raise CheckFailed("the run left no profile")
    exported = export(profiles, *files)
    functions: Counter[Function] = Counter()
    # The same source may be in several images, or compiled in two ways: each copy counts for
    # itself.
    copies: defaultdict[Line, defaultdict[tuple, list[int | None]]] = defaultdict(
        lambda: defaultdict(list)
    )
    owners: defaultdict[Line, set[Function]] = defaultdict(set)
    two_way = []
    repeated: set[Line] = set()
    for function in exported["functions"]:
        if function["skipped"] is not None:
            continue
        copy = (function["image"], function["module"])
        file = base(function["file"])
        functions[file, function["name"]] += int(function["entries"])
        out: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for edge in function["edges"]:
            out[edge["from"]][edge["outcome"]] = int(edge["count"])
        for block in function["blocks"]:
            lines = [(file, line) for line in dict.fromkeys(block["lines"])]
            for line in lines:
                # A block that only jumps on belongs to no statement; its line is a closing brace or
                # a guess.
                copies[line][copy].append(
                    int(block["count"]) if set(block["opcodes"]) != {"br"} else None
                )
                owners[line].add((file, function["name"]))
            in_order = [
                line
                for line, _ in groupby(at["line"] for at in block["locations"] if not at["inlined"])
            ]
            repeated |= {(file, line) for line, times in Counter(in_order).items() if times > 1}
            ways = out[block["id"]]
            if ways.keys() == {"true", "false"}:
                two_way.append((copy, lines, (ways["true"], ways["false"])))
    single: dict[Line, int] = {}
    for line, by_copy in copies.items():
        known = [counts[0] for counts in by_copy.values() if len(counts) == 1]
        sure = [count for count in known if count is not None]
        if len(sure) == len(by_copy):
            single[line] = sum(sure)
    return Ours(dict(functions), single, owners, two_way, repeated)


def read_tracefile(profiles: Path) -> tuple[Counter[Function], Counter[Line]]:
    """Functions and lines of `pathprof export --format lcov`."""
    files = sorted(profiles.glob("*.pathprof"))
    functions: Counter[Function] = Counter()
    lines: Counter[Line] = Counter()
    read_rows(
        run([PATHPROF, "export", "--format", "lcov", "--system", *files], profiles),
        functions,
        lines,
    )
    return functions, lines


def compare_tracefile(
    ours: Ours, coverage: Counts, gcov: Counts, left_out: set[Function], profiles: Path
) -> str:
    """The tracefile must say of functions what the JSON says, and of lines what gcov says."""
    functions, lines = read_tracefile(profiles)
    wrong = [
        f"{name}: {count}" for name, count in ours.functions.items() if functions[name] != count
    ]
    disputed: list[str] = []
    compared = agreed = doubled = 0
    for line, count in sorted(lines.items()):
        if line not in gcov.shown or ours.owners.get(line, set()) & left_out:
            continue
        if line in ours.repeated:
            doubled += 1
            continue
        compared += 1
        by_coverage, by_gcov = coverage.shown.get(line), gcov.shown[line]
        agreed += by_coverage == by_gcov
        if by_gcov != count:
            told = f"{line}: {count}, gcov has {by_gcov} and coverage {by_coverage}"
            (wrong if by_coverage == by_gcov else disputed).append(told)
    if wrong or not functions or compared < len(lines) // 2 or len(disputed) > 1 + compared // 1000:
        shown = "\n".join((wrong + disputed)[:20])
        raise CheckFailed(
            f"the tracefile differs in {len(wrong) + len(disputed)} places of {compared}:\n{shown}"
        )
    return (
        f"tracefile: {len(functions)} functions, {compared} of {len(lines)} lines "
        f"({doubled} that gcov counts twice), on {agreed} of which coverage says the same as gcov, "
        f"{len(disputed)} other than both"
    )


def contradictions(ours: Ours, coverage: Counts, gcov: Counts) -> set[Function]:
    """The functions for which clang's two tools contradict each other, or gcov itself.

    That happens in some functions whose conditions are partly constant: there gcov's counters
    belong to other edges than it believes ("called 184 returned 118%"). Whoever agrees with one of
    the tools cannot agree with the other.
    """
    entered = coverage.functions.items() & gcov.functions.items()
    lines = ours.lines.keys() & coverage.lines.keys() & gcov.lines.keys()
    differing = [line for line in lines if coverage.lines[line] != gcov.lines[line]]
    for line, (_, ways) in unambiguous_branches(ours, gcov).items():
        known = coverage.vague.get(line)
        if known is not None and sorted(known) != sorted(ways):
            differing.append(line)
    functions = coverage.functions.keys() & gcov.functions.keys()
    return (functions - dict(entered).keys()).union(
        gcov.doubtful, *(ours.owners[line] for line in differing)
    )


def without(counts: Counts, functions: set[Function], ours: Ours) -> Counts:
    """The counts without those of some functions."""

    def kept(by_line: dict) -> dict:
        return {
            line: count
            for line, count in by_line.items()
            if not ours.owners.get(line, set()) & functions
        }

    entered = {name: count for name, count in counts.functions.items() if name not in functions}
    return Counts(entered, kept(counts.lines), kept(counts.branches))


def compare(
    ours: Ours, theirs: Counts, least: tuple[int, int, int], tool: str, left_out: set[Function]
) -> str:
    """Compares the counts of functions but those in `left_out`; says how many functions, lines and
    branches it compared, which must be at least `least`.
    """
    wrong = []
    entered = [
        name
        for counts in (ours.functions, theirs.functions)
        for name, count in counts.items()
        if count > 0
    ]
    names = set(entered) - left_out
    for name in sorted(names):
        expected, got = theirs.functions.get(name), ours.functions.get(name)
        if expected != got:
            wrong.append(f"{name[0]}: {name[1]} was entered {expected} times, counted {got}")
    lines = sorted(ours.lines.keys() & theirs.lines.keys())
    for line in lines:
        if ours.lines[line] != theirs.lines[line]:
            wrong.append(
                f"{line[0]}:{line[1]}: ran {theirs.lines[line]} times, counted {ours.lines[line]}"
            )
    branches = unambiguous_branches(ours, theirs)
    for line, (counted, expected_ways) in sorted(branches.items()):
        # Neither tool lists the ways of a branch in the order of the code.
        if sorted(counted) != sorted(expected_ways):
            wrong.append(f"{line[0]}:{line[1]}: branches went {expected_ways}, counted {counted}")
    if wrong:
        shown = "\n".join(wrong[:20])
        raise CheckFailed(f"{len(wrong)} counts differ from those of {tool}:\n{shown}")
    compared = (len(names), len(lines), len(branches))
    text = "{}: {} functions, {} lines, {} branches".format(tool, *compared)
    if any(number < limit for number, limit in zip(compared, least, strict=True)):
        raise CheckFailed(f"{text} could be compared, fewer than {least}: the mapping is broken")
    return text + (f" ({len(left_out)} functions left out)" if left_out else "")


def unambiguous_branches(ours: Ours, theirs: Counts) -> dict[Line, tuple[Ways, Ways]]:
    """How often each branch went each way, by its line: our two-way blocks, and what they say.

    Ours are summed over the copies of the source.
    """
    found: defaultdict[Line, dict[tuple, Ways | None]] = defaultdict(dict)
    for copy, lines, counts in ours.two_way:
        with_branches = [line for line in lines if line in theirs.branches]
        for line in with_branches:
            ambiguous = len(with_branches) > 1 or copy in found[line]
            found[line][copy] = None if ambiguous else counts
    both: dict[Line, tuple[Ways, Ways]] = {}
    for line, by_copy in found.items():
        counted = [ways for ways in by_copy.values() if ways is not None]
        expected = theirs.branches[line]
        if len(counted) == len(by_copy) and expected is not None:
            summed = (sum(ways[0] for ways in counted), sum(ways[1] for ways in counted))
            both[line] = (summed, expected)
    return both


def check(program: Program, source: Path | None, home: Path) -> str:
    """Compares a program's calm work with both tools; returns what was compared."""
    trees = {
        how: build(program, source, how, "-g -O0", home) for how in ("early", "coverage", "gcov")
    }
    steps = program.work["calm"]
    work(program, trees["early"], steps(trees["early"]), home / "early.profiles")
    raw = home / "coverage.profiles"
    work(
        program,
        trees["coverage"],
        steps(trees["coverage"]),
        raw,
        LLVM_PROFILE_FILE=f"{raw}/%p.profraw",
    )
    # Runs of the build itself (configure scripts, code generators) must not be counted.
    for data in trees["gcov"].rglob("*.gcda"):
        data.unlink()
    work(program, trees["gcov"], steps(trees["gcov"]), home / "gcov.profiles")
    ours = read_ours(home / "early.profiles")
    coverage, gcov = read_coverage(program, trees["coverage"], raw), read_gcov(trees["gcov"])
    contradictory = contradictions(ours, coverage, gcov)
    if len(contradictory) > 3 + len(ours.functions) // 50:
        raise CheckFailed(
            f"clang's tools contradict each other on {len(contradictory)} functions: "
            f"{contradictory}"
        )
    agreed = without(gcov, contradictory, ours)
    return "; ".join(
        [
            compare(ours, coverage, program.least_compared, "coverage", set()),
            compare(ours, agreed, program.least_compared, "gcov", contradictory),
            compare_tracefile(ours, coverage, gcov, contradictory, home / "early.profiles"),
        ]
    )
