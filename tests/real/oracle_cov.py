"""Oracle 3: clang's own two coverage instrumentations, at -O0, give the same counts.

Compared, always for exact equality:

* how often each function was entered, for every function that ran;
* how often each line ran, where exactly one of our blocks mentions the line, and, for clang's source-based coverage,
  where moreover the line lies inside one region from its start to its end (so it has a single count);
* how often each two-way branch went each way, where the line of the branch is unambiguous: the line has one
  branch in the other tool's output, one of our two-way blocks mentions it, and that block mentions no other line
  that has a branch.

Functions for which the two tools contradict each other are left out of the comparison with gcov (and only there); how
many is printed, and more than a few are an error.

The work must end by returning from `main` and never jump over a function's return: both tools count what was begun,
pathcc counts what was finished.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from build import build, work
from programs import Program
from tools import PATHPROF, CheckFailed, run

# A function or line is known by the base name of its file, since the tools write paths in different ways.
Function = tuple[str, str]
Line = tuple[str, int]


@dataclass
class Counts:
    """What one tool counted."""

    functions: dict[Function, int] = field(default_factory=dict)
    lines: dict[Line, int] = field(default_factory=dict)
    # For each line with branches (times true, times false), or None if it has several or one of more than two ways.
    branches: dict[Line, tuple[int, int] | None] = field(default_factory=dict)


@dataclass
class Ours:
    """What pathcc counted, before one knows which lines have branches."""

    functions: dict[Function, int]
    lines: dict[Line, int]
    # The functions that each of `lines` belongs to.
    owners: dict[Line, set[Function]]
    # For each two-way block the copy of the source that it is in, the lines that it mentions, and how often each
    # edge was taken.
    two_way: list[tuple[tuple, list[Line], tuple[int, int]]]


def base(path: str) -> str:
    return path.rpartition("/")[2]


def read_ours(profiles: Path) -> Ours:
    """Reads `pathprof export`."""
    files = sorted(profiles.glob("*.pathprof"))
    if not files:
        raise CheckFailed("the run left no profile")
    exported = json.loads(run([PATHPROF, "export", "--format", "json", *files], profiles))
    functions: Counter[Function] = Counter()
    # The same source may be in several images, or compiled in two ways: each copy counts for itself.
    copies: defaultdict[Line, defaultdict[tuple, list[int]]] = defaultdict(lambda: defaultdict(list))
    owners: defaultdict[Line, set[Function]] = defaultdict(set)
    two_way = []
    for function in exported["functions"]:
        if function["skipped"] is not None:
            continue
        copy = (function["image"], function["module"])
        file = base(function["file"])
        functions[file, function["name"]] += int(function["entries"])
        out = defaultdict(list)
        for edge in function["edges"]:
            out[edge["from"]].append(int(edge["count"]))
        for block in function["blocks"]:
            lines = [(file, line) for line in dict.fromkeys(block["lines"])]
            for line in lines:
                copies[line][copy].append(int(block["count"]))
                owners[line].add((file, function["name"]))
            if len(out[block["id"]]) == 2:
                two_way.append((copy, lines, tuple(out[block["id"]])))
    single = {
        line: sum(counts[0] for counts in by_copy.values())
        for line, by_copy in copies.items()
        if all(len(counts) == 1 for counts in by_copy.values())
    }
    return Ours(dict(functions), single, owners, two_way)


def read_coverage(program: Program, tree: Path, raw: Path) -> Counts:
    """Reads clang's source-based coverage."""
    profile = raw / "merged.profdata"
    run(["llvm-profdata-22", "merge", *raw.glob("*.profraw"), "-o", profile], raw)
    first, *others = program.images
    objects = [word for image in others for word in ("-object", tree / image)]
    output = run(["llvm-cov-22", "export", tree / first, *objects, f"-instr-profile={profile}"], raw)
    (data,) = json.loads(output)["data"]
    counts = Counts()
    functions: Counter[Function] = Counter()
    for function in data["functions"]:
        # A static function is called file:name.
        name = function["name"].rpartition(":")[2]
        functions[base(function["filenames"][0]), name] += function["count"]
    counts.functions = dict(functions)
    for file in data["files"]:
        name = base(file["filename"])
        counts.lines |= {(name, line): count for line, count in single_region_lines(file["segments"])}
        by_line = defaultdict(list)
        for branch in file["branches"]:
            by_line[branch[0]].append((branch[4], branch[5]))
        counts.branches |= {(name, line): all_[0] if len(all_) == 1 else None for line, all_ in by_line.items()}
    return counts


def single_region_lines(segments: list[list]) -> list[tuple[int, int]]:
    """The lines on which no region starts or ends, with the count of the region around them."""
    lines = []
    for segment, following in zip(segments, segments[1:], strict=False):
        line, _, count, has_count, _, is_gap = segment
        if has_count and not is_gap:
            lines += [(inside, count) for inside in range(line + 1, following[0])]
    return lines


GCOV_FUNCTION = re.compile(r"^function (\S+) called (\d+) returned")
GCOV_SOURCE = re.compile(r"^ +-: +0:Source:(.*)$")
GCOV_LINE = re.compile(r"^ *([^:]+): *(\d+):")
GCOV_BLOCK = re.compile(r"^ *\S+: *(\d+)-block +\d+$")
GCOV_BRANCH = re.compile(r"^branch +\d+ (?:taken (\d+)|never executed)")


def read_gcov(tree: Path) -> Counts:
    """Reads clang's gcov-compatible coverage from the data files that lie in the tree."""
    functions: Counter[Function] = Counter()
    lines: Counter[Line] = Counter()
    branches: dict[Line, tuple[int, int] | None] = {}
    for data in sorted(tree.rglob("*.gcda")):
        for line, blocks in read_gcov_text(list_gcov(data), functions, lines).items():
            two_way = tuple(blocks[0]) if len(blocks) == 1 and len(blocks[0]) == 2 else None
            known = branches.setdefault(line, (0, 0))
            branches[line] = None if known is None or two_way is None else tuple(map(sum, zip(known, two_way)))
    return Counts(dict(functions), dict(lines), branches)


def list_gcov(data: Path) -> str:
    """The listing of one data file. It is empty unless made where the compiler ran, there or one directory up."""
    for place in (data.parent, data.parent.parent):
        text = run(["llvm-cov-22", "gcov", "-b", "-c", "-a", "-t", data.relative_to(place)], place).decode()
        if "\nfunction " in text:
            return text
    return ""


def read_gcov_text(text: str, functions: Counter[Function], lines: Counter[Line]) -> dict[Line, list[list[int]]]:
    """Adds the counts of one gcov listing; returns for each line the branches of the blocks that end on it."""
    branches: defaultdict[Line, list[list[int]]] = defaultdict(list)
    file, pending, block = "", [], []
    for row in text.splitlines():
        if match := GCOV_SOURCE.match(row):
            file = base(match[1])
        elif match := GCOV_FUNCTION.match(row):
            pending.append((match[1], int(match[2])))
        elif match := GCOV_BLOCK.match(row):
            block = []
            branches[file, int(match[1])].append(block)
        elif match := GCOV_BRANCH.match(row):
            block.append(int(match[1] or 0))
        elif match := GCOV_LINE.match(row):
            for name, called in pending:
                functions[file, name] += called
            pending = []
            count = match[1].strip()
            if count != "-":
                lines[file, int(match[2])] += 0 if count[0] in "#=" else int(count.rstrip("*"))
    with_branches = {line: [block for block in blocks if block] for line, blocks in branches.items()}
    return {line: blocks for line, blocks in with_branches.items() if blocks}


def contradictions(ours: Ours, coverage: Counts, gcov: Counts) -> set[Function]:
    """The functions for which clang's two tools contradict each other.

    They do so for some functions whose conditions are partly constant: there gcov's counters belong to other edges
    than it believes ("called 184 returned 118%"). Whoever agrees with one of the tools cannot agree with the other.
    """
    entered = coverage.functions.items() & gcov.functions.items()
    known = coverage.functions.keys() & gcov.functions.keys()
    lines = ours.lines.keys() & coverage.lines.keys() & gcov.lines.keys()
    differing = (line for line in lines if coverage.lines[line] != gcov.lines[line])
    return (known - dict(entered).keys()).union(*(ours.owners[line] for line in differing))


def without(counts: Counts, functions: set[Function], ours: Ours) -> Counts:
    """The counts without those of some functions."""

    def kept(by_line: dict) -> dict:
        return {line: count for line, count in by_line.items() if not ours.owners.get(line, set()) & functions}

    entered = {name: count for name, count in counts.functions.items() if name not in functions}
    return Counts(entered, kept(counts.lines), kept(counts.branches))


def compare(ours: Ours, theirs: Counts, least: tuple[int, int, int], left_out: frozenset[Function] = frozenset()) -> str:
    """Compares two counts; says how many functions, lines and branches were compared, at least `least`."""
    wrong = []
    entered = [name for counts in (ours.functions, theirs.functions) for name, count in counts.items() if count > 0]
    names = set(entered) - left_out
    for name in sorted(names):
        expected, got = theirs.functions.get(name), ours.functions.get(name)
        if expected != got:
            wrong.append(f"{name[0]}: {name[1]} was entered {expected} times, counted {got}")
    lines = sorted(ours.lines.keys() & theirs.lines.keys())
    for line in lines:
        if ours.lines[line] != theirs.lines[line]:
            wrong.append(f"{line[0]}:{line[1]}: ran {theirs.lines[line]} times, counted {ours.lines[line]}")
    branches = unambiguous_branches(ours, theirs)
    for line, counted in sorted(branches.items()):
        if sorted(counted) != sorted(theirs.branches[line]):
            wrong.append(f"{line[0]}:{line[1]}: branches went {theirs.branches[line]}, counted {counted}")
    if wrong:
        shown = "\n".join(wrong[:20])
        raise CheckFailed(f"{len(wrong)} counts differ:\n{shown}")
    compared = (len(names), len(lines), len(branches))
    text = "{} functions, {} lines, {} branches".format(*compared)
    if any(number < limit for number, limit in zip(compared, least, strict=True)):
        raise CheckFailed(f"only {text} could be compared, fewer than {least}: the mapping is broken")
    return text


def unambiguous_branches(ours: Ours, theirs: Counts) -> dict[Line, tuple[int, int]]:
    """Our two-way blocks by the one line whose branch they are, summed over the copies of the source."""
    found: defaultdict[Line, dict[tuple, tuple[int, int] | None]] = defaultdict(dict)
    for copy, lines, counts in ours.two_way:
        with_branches = [line for line in lines if line in theirs.branches]
        for line in with_branches:
            ambiguous = len(with_branches) > 1 or copy in found[line]
            found[line][copy] = None if ambiguous else counts
    return {
        line: tuple(map(sum, zip(*by_copy.values())))
        for line, by_copy in found.items()
        if None not in by_copy.values() and theirs.branches[line] is not None
    }


def check(program: Program, source: Path | None, home: Path) -> dict[str, str]:
    """Compares a program's calm work with both tools; returns what was compared, by tool."""
    trees = {how: build(program, source, how, "-g -O0", home) for how in ("early", "coverage", "gcov")}
    steps = program.work["calm"]
    work(program, trees["early"], steps(trees["early"]), home / "early.profiles")
    raw = home / "coverage.profiles"
    work(program, trees["coverage"], steps(trees["coverage"]), raw, LLVM_PROFILE_FILE=f"{raw}/%p.profraw")
    # Runs of the build itself (configure scripts, code generators) must not be counted.
    for data in trees["gcov"].rglob("*.gcda"):
        data.unlink()
    work(program, trees["gcov"], steps(trees["gcov"]), home / "gcov.profiles")
    ours = read_ours(home / "early.profiles")
    coverage, gcov = read_coverage(program, trees["coverage"], raw), read_gcov(trees["gcov"])
    contradictory = contradictions(ours, coverage, gcov)
    if len(contradictory) > 3 + len(ours.functions) // 50:
        raise CheckFailed(f"clang's tools contradict each other on {len(contradictory)} functions: {contradictory}")
    agreed = without(gcov, contradictory, ours)
    return {
        "coverage": compare(ours, coverage, program.least_compared),
        f"gcov ({len(contradictory)} functions left out)": compare(
            ours, agreed, program.least_compared, frozenset(contradictory)
        ),
    }
