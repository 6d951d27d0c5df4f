"""Reads what clang's two coverage instrumentations counted, and tracefiles of lcov."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.real.programs import Program
from tests.real.tools import run

# A function or line is known by the base name of its file, since the tools write paths in different
# ways.
Function = tuple[str, str]
Line = tuple[str, int]


@dataclass
class Counts:
    """What one tool counted."""

    functions: dict[Function, int] = field(default_factory=dict)
    lines: dict[Line, int] = field(default_factory=dict)
    # For each line with branches (times true, times false), or None if it has several or one of
    # more than two ways.
    branches: dict[Line, tuple[int, int] | None] = field(default_factory=dict)
    # The same with lines that use a macro: too vague to compare ours with, but enough to doubt
    # another tool.
    vague: dict[Line, tuple[int, int] | None] = field(default_factory=dict)
    # Of every line that the tool shows.
    shown: Counter[Line] = field(default_factory=Counter)
    # Functions that were not left as often as they were entered, as must be in calm work.
    doubtful: set[Function] = field(default_factory=set)


# How `llvm-cov export` marks the region of a macro's use.
EXPANSION_REGION = 1


def base(path: str) -> str:
    return path.rpartition("/")[2]


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


def read_coverage(program: Program, tree: Path, raw: Path) -> Counts:
    """Reads clang's source-based coverage."""
    profile = raw / "merged.profdata"
    run(["llvm-profdata-22", "merge", *raw.glob("*.profraw"), "-o", profile], raw)
    first, *others = program.images
    objects = [word for image in others for word in ("-object", tree / image)]
    output = run(
        [
            "llvm-cov-22",
            "export",
            "-skip-expansions",
            tree / first,
            *objects,
            f"-instr-profile={profile}",
        ],
        raw,
    )
    (data,) = json.loads(output)["data"]
    functions: Counter[Function] = Counter()
    texts = {
        file["filename"]: Path(file["filename"]).read_text(errors="replace").splitlines()
        for file in data["files"]
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
    shown = run(
        [
            "llvm-cov-22",
            "export",
            "-format=lcov",
            tree / first,
            *objects,
            f"-instr-profile={profile}",
        ],
        raw,
    )
    read_rows(shown, Counter(), counts.shown)
    for file in data["files"]:
        name, text = base(file["filename"]), texts[file["filename"]]
        for line, count in single_region_lines(file["segments"]):
            if (name, line) not in expanded and re.search(r"\w", text[line - 1]):
                counts.lines[name, line] = count
        for line, column, _, _, true, false, *_ in file["branches"]:
            # A case of a switch is no branch of its own in the code, and one in a macro is listed
            # elsewhere.
            is_case = re.match(r"(case|default)\b", text[line - 1][column - 1 :])
            vague = is_case or (name, line) in counts.branches
            counts.vague[name, line] = None if vague else (true, false)
            counts.branches[name, line] = (
                None if vague or (name, line) in expanded else (true, false)
            )
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
    for segment, following in pairwise(segments):
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
                so_far = branches.setdefault(line, (0, 0))
                branches[line] = (
                    None
                    if so_far is None or len(ways) != 1 or len(ways[0]) != 2
                    else (so_far[0] + ways[0][0], so_far[1] + ways[0][1])
                )
    counts.lines, counts.branches = (
        {line: count for line, count in lines.items() if count is not None},
        branches,
    )
    return counts


def list_gcov(data: Path) -> str:
    """The listing of one data file.

    It is empty unless it is made where the compiler ran: there, or one directory up.
    """
    for place in (data.parent, data.parent.parent):
        text = run(
            ["llvm-cov-22", "gcov", "-b", "-c", "-a", "-t", data.relative_to(place)], place
        ).decode()
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
                counts.shown[file, int(match[2])] += (
                    int(match[1].rstrip("*")) if match[1][0].isdigit() else 0
                )
            for name, called, returned in pending:
                counts.functions[file, name] = counts.functions.get((file, name), 0) + called
                if called and returned != 100:
                    counts.doubtful.add((file, name))
            pending = []
    return blocks
