"""Oracle 3: clang's own two coverage instrumentations, at -O0, give the same counts.

Compared, always for exact equality:

* how often each function was entered, for every function that ran;
* how often each line ran, where exactly one of our blocks mentions the line and does more than jump. For clang's
  source-based coverage the line must moreover lie inside one region from its start to its end, so that it has a
  single count, outside of macros, and hold more than braces. For gcov, which counts a line twice when a block comes
  back to it, exactly one block must end on the line, and that block's count is taken;
* how often every line ran that the tracefile of `pathprof export --format lcov` has. Where clang's two tools agree,
  it is the same; where they do not, it is what gcov says, but for lines that it counts twice, those that one block comes to a second time, and
  one in a thousand;
* how often each conditional branch went each way, where the line of the branch is unambiguous: the line has one
  branch in the other tool's output, one of our two-way blocks mentions it, and that block mentions no other line
  that has a branch.

Functions for which the two tools contradict each other, or gcov itself, are left out of the comparison with gcov (and only there); how
many is printed, and more than a few are an error.

The work must end by returning from `main` and never jump over a function's return: both tools count what was begun,
pathcc counts what was finished.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from build import build, work
from programs import Program
from tools import PATHPROF, CheckFailed, export, run

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
    # The same with lines that use a macro: too vague to compare ours with, but enough to doubt another tool.
    vague: dict[Line, tuple[int, int] | None] = field(default_factory=dict)
    # Of every line that the tool shows.
    shown: Counter[Line] = field(default_factory=Counter)
    # Functions that were not left as often as they were entered, as must be in calm work.
    doubtful: set[Function] = field(default_factory=set)


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
    # Lines that a block mentions again after another one.
    repeated: set[Line]


# How `llvm-cov export` marks the region of a macro's use.
EXPANSION_REGION = 1


def base(path: str) -> str:
    return path.rpartition("/")[2]


def read_ours(profiles: Path) -> Ours:
    """Reads `pathprof export`."""
    files = sorted(profiles.glob("*.pathprof"))
    if not files:
        raise CheckFailed("the run left no profile")
    exported = export(profiles, *files)
    functions: Counter[Function] = Counter()
    # The same source may be in several images, or compiled in two ways: each copy counts for itself.
    copies: defaultdict[Line, defaultdict[tuple, list[int | None]]] = defaultdict(lambda: defaultdict(list))
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
                # A block that only jumps on belongs to no statement; its line is a closing brace or a guess.
                copies[line][copy].append(int(block["count"]) if set(block["opcodes"]) != {"br"} else None)
                owners[line].add((file, function["name"]))
            in_order = [line for line, _ in groupby(at["line"] for at in block["locations"] if not at["inlined"])]
            repeated |= {(file, line) for line, times in Counter(in_order).items() if times > 1}
            ways = out[block["id"]]
            if ways.keys() == {"true", "false"}:
                two_way.append((copy, lines, (ways["true"], ways["false"])))
    single = {
        line: sum(counts[0] for counts in by_copy.values())
        for line, by_copy in copies.items()
        if all(len(counts) == 1 and counts[0] is not None for counts in by_copy.values())
    }
    return Ours(dict(functions), single, owners, two_way, repeated)


def read_tracefile(profiles: Path) -> tuple[Counter[Function], Counter[Line]]:
    """Functions and lines of `pathprof export --format lcov`."""
    files = sorted(profiles.glob("*.pathprof"))
    functions: Counter[Function] = Counter()
    lines: Counter[Line] = Counter()
    read_rows(run([PATHPROF, "export", "--format", "lcov", *files], profiles), functions, lines)
    return functions, lines


def read_rows(tracefile: bytes, functions: Counter[Function], lines: Counter[Line]) -> None:
    """Adds what a tracefile says."""
    file = ""
    for row in tracefile.decode().splitlines():
        kind, _, rest = row.partition(":")
        if kind == "SF":
            file = base(rest)
        elif kind == "FNDA":
            count, _, name = rest.partition(",")
            functions[file, name] += int(count)
        elif kind == "DA":
            line, _, count = rest.partition(",")
            lines[file, int(line)] += int(count)


def compare_tracefile(ours: Ours, coverage: Counts, gcov: Counts, left_out: set[Function], profiles: Path) -> str:
    """The tracefile must say of every function what the export as JSON says, and of every line what gcov says."""
    functions, lines = read_tracefile(profiles)
    wrong = [f"{name}: {count}" for name, count in ours.functions.items() if functions[name] != count]
    disputed = []
    compared = agreed = doubled = 0
    for line, count in sorted(lines.items()):
        if line not in gcov.shown or ours.owners.get(line, set()) & left_out:
            continue
        if line in ours.repeated:
            doubled += 1
            continue
        compared += 1
        agreed += coverage.shown.get(line) == gcov.shown[line]
        if gcov.shown[line] != count:
            told = f"{line}: {count}, gcov has {gcov.shown[line]} and coverage {coverage.shown.get(line)}"
            (wrong if coverage.shown.get(line) == gcov.shown[line] else disputed).append(told)
    if wrong or not functions or compared < len(lines) // 2 or len(disputed) > 1 + compared // 1000:
        shown = "\n".join((wrong + disputed)[:20])
        raise CheckFailed(f"the tracefile differs in {len(wrong) + len(disputed)} places of {compared}:\n{shown}")
    text = f"tracefile: {len(functions)} functions, {compared} of {len(lines)} lines ({doubled} that gcov counts twice)"
    return f"{text}, on {agreed} of which coverage says the same as gcov, {len(disputed)} other than both"


def read_coverage(program: Program, tree: Path, raw: Path) -> Counts:
    """Reads clang's source-based coverage."""
    profile = raw / "merged.profdata"
    run(["llvm-profdata-22", "merge", *raw.glob("*.profraw"), "-o", profile], raw)
    first, *others = program.images
    objects = [word for image in others for word in ("-object", tree / image)]
    output = run(["llvm-cov-22", "export", "-skip-expansions", tree / first, *objects, f"-instr-profile={profile}"], raw)
    (data,) = json.loads(output)["data"]
    functions: Counter[Function] = Counter()
    texts = {
        file["filename"]: Path(file["filename"]).read_text(errors="replace").splitlines() for file in data["files"]
    }
    expanded: set[Line] = set()
    for function in data["functions"]:
        # A static function is called file:name.
        name = function["name"].rpartition(":")[2]
        functions[base(function["filenames"][0]), name] += function["count"]
        for line, _, name_line, column, _, file, _, kind in function["regions"]:
            if kind == EXPANSION_REGION:
                source = function["filenames"][file]
                last = end_of_arguments(texts[source], name_line, column)
                expanded |= {(base(source), inside) for inside in range(line, last + 1)}
    counts = Counts(dict(functions))
    shown = run(["llvm-cov-22", "export", "-format=lcov", tree / first, *objects, f"-instr-profile={profile}"], raw)
    read_rows(shown, Counter(), counts.shown)
    for file in data["files"]:
        name, text = base(file["filename"]), texts[file["filename"]]
        for line, count in single_region_lines(file["segments"]):
            if (name, line) not in expanded and re.search(r"\w", text[line - 1]):
                counts.lines[name, line] = count
        for line, column, _, _, true, false, *_ in file["branches"]:
            # A case of a switch is no branch of its own in the code, and one in a macro is listed elsewhere.
            is_case = re.match(r"(case|default)\b", text[line - 1][column - 1 :])
            vague = is_case or (name, line) in counts.branches
            counts.vague[name, line] = None if vague else (true, false)
            counts.branches[name, line] = None if vague or (name, line) in expanded else (true, false)
    return counts


def end_of_arguments(text: list[str], line: int, column: int) -> int:
    """The line on which the arguments end of the macro whose name ends at this place."""
    depth = 0
    rest = text[line - 1][column - 1 :]
    while True:
        for character in re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', "", rest).lstrip():
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth <= 0:
                return line
        if depth == 0 or line == len(text):
            return line
        rest = text[line]
        line += 1


def single_region_lines(segments: list[list]) -> list[tuple[int, int]]:
    """The lines on which no region starts or ends, with the count of the region around them."""
    lines = []
    for segment, following in zip(segments, segments[1:], strict=False):
        line, _, count, has_count, _, is_gap = segment
        if has_count and not is_gap:
            lines += [(inside, count) for inside in range(line + 1, following[0])]
    return lines


GCOV_FUNCTION = re.compile(r"^function (\S+) called (\d+) returned (\d+)%")
GCOV_SOURCE = re.compile(r"^ +-: +0:Source:(.*)$")
GCOV_LINE = re.compile(r"^ *([^:]+): *(\d+):")
GCOV_BLOCK = re.compile(r"^ *(\S+): *(\d+)-block +\d+$")
GCOV_BRANCH = re.compile(r"^branch +\d+ (?:taken (\d+)|never executed)")


def read_gcov(tree: Path) -> Counts:
    """Reads clang's gcov-compatible coverage from the data files that lie in the tree."""
    counts = Counts()
    lines: dict[Line, int | None] = {}
    branches: dict[Line, tuple[int, int] | None] = {}
    for data in sorted(tree.rglob("*.gcda")):
        for line, blocks in read_gcov_text(list_gcov(data), counts).items():
            known = lines.setdefault(line, 0)
            lines[line] = None if known is None or len(blocks) != 1 else known + blocks[0].count
            ways = [tuple(block.branches) for block in blocks if block.branches]
            if ways:
                known = branches.setdefault(line, (0, 0))
                ambiguous = known is None or len(ways) != 1 or len(ways[0]) != 2
                branches[line] = None if ambiguous else (known[0] + ways[0][0], known[1] + ways[0][1])
    counts.lines, counts.branches = {line: count for line, count in lines.items() if count is not None}, branches
    return counts


def list_gcov(data: Path) -> str:
    """The listing of one data file. It is empty unless made where the compiler ran, there or one directory up."""
    for place in (data.parent, data.parent.parent):
        text = run(["llvm-cov-22", "gcov", "-b", "-c", "-a", "-t", data.relative_to(place)], place).decode()
        if "\nfunction " in text:
            return text
    return ""


@dataclass
class GcovBlock:
    """A basic block in a gcov listing."""

    count: int
    branches: list[int] = field(default_factory=list)


def read_gcov_text(text: str, counts: Counts) -> dict[Line, list[GcovBlock]]:
    """Adds the functions of one gcov listing; returns for each line the blocks that end on it."""
    blocks: defaultdict[Line, list[GcovBlock]] = defaultdict(list)
    file, pending, block = "", [], GcovBlock(0)
    for row in text.splitlines():
        if match := GCOV_SOURCE.match(row):
            file = base(match[1])
        elif match := GCOV_FUNCTION.match(row):
            pending.append((match[1], int(match[2]), int(match[3])))
        elif match := GCOV_BLOCK.match(row):
            block = GcovBlock(int(match[1]) if match[1].isdigit() else 0)
            blocks[file, int(match[2])].append(block)
        elif match := GCOV_BRANCH.match(row):
            block.branches.append(int(match[1] or 0))
        elif match := GCOV_LINE.match(row):
            if match[1] != "-":
                counts.shown[file, int(match[2])] += int(match[1].rstrip("*")) if match[1][0].isdigit() else 0
            for name, called, returned in pending:
                counts.functions[file, name] = counts.functions.get((file, name), 0) + called
                if called and returned != 100:
                    counts.doubtful.add((file, name))
            pending = []
    return blocks


def contradictions(ours: Ours, coverage: Counts, gcov: Counts) -> set[Function]:
    """The functions for which clang's two tools contradict each other, or gcov itself.

    That happens in some functions whose conditions are partly constant: there gcov's counters belong to other edges
    than it believes ("called 184 returned 118%"). Whoever agrees with one of the tools cannot agree with the other.
    """
    entered = coverage.functions.items() & gcov.functions.items()
    lines = ours.lines.keys() & coverage.lines.keys() & gcov.lines.keys()
    differing = [line for line in lines if coverage.lines[line] != gcov.lines[line]]
    for line in unambiguous_branches(ours, gcov):
        known = coverage.vague.get(line)
        if known is not None and sorted(known) != sorted(gcov.branches[line]):
            differing.append(line)
    functions = coverage.functions.keys() & gcov.functions.keys()
    return (functions - dict(entered).keys()).union(gcov.doubtful, *(ours.owners[line] for line in differing))


def without(counts: Counts, functions: set[Function], ours: Ours) -> Counts:
    """The counts without those of some functions."""

    def kept(by_line: dict) -> dict:
        return {line: count for line, count in by_line.items() if not ours.owners.get(line, set()) & functions}

    entered = {name: count for name, count in counts.functions.items() if name not in functions}
    return Counts(entered, kept(counts.lines), kept(counts.branches))


def compare(ours: Ours, theirs: Counts, least: tuple[int, int, int], tool: str, left_out: set[Function]) -> str:
    """Compares the counts of functions but those in `left_out`; says how many functions, lines and branches it
    compared, which must be at least `least`."""
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
        # Neither tool lists the ways of a branch in the order of the code.
        if sorted(counted) != sorted(theirs.branches[line]):
            wrong.append(f"{line[0]}:{line[1]}: branches went {theirs.branches[line]}, counted {counted}")
    if wrong:
        shown = "\n".join(wrong[:20])
        raise CheckFailed(f"{len(wrong)} counts differ from those of {tool}:\n{shown}")
    compared = (len(names), len(lines), len(branches))
    text = "{}: {} functions, {} lines, {} branches".format(tool, *compared)
    if any(number < limit for number, limit in zip(compared, least, strict=True)):
        raise CheckFailed(f"{text} could be compared, fewer than {least}: the mapping is broken")
    return text + (f" ({len(left_out)} functions left out)" if left_out else "")


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


def check(program: Program, source: Path | None, home: Path) -> str:
    """Compares a program's calm work with both tools; returns what was compared."""
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
    return "; ".join([
        compare(ours, coverage, program.least_compared, "coverage", set()),
        compare(ours, agreed, program.least_compared, "gcov", contradictory),
        compare_tracefile(ours, coverage, gcov, contradictory, home / "early.profiles"),
    ])
