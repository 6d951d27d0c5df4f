"""Entries, lines and branches of a program by gcc's gcov, by llvm-cov and by a tracefile."""

import json
from collections import Counter
from pathlib import Path

from tests.real.coverage_tools import Function, Line, base, read_rows
from tests.real.tools import run


def read_lcov(tracefile: bytes) -> tuple[Counter, Counter]:
    """Functions and lines of a tracefile."""
    functions: Counter[Function] = Counter()
    lines: Counter[Line] = Counter()
    read_rows(tracefile, functions, lines)
    return functions, lines


def read_ways(tracefile: bytes) -> Counter:
    """How many ways on the branches of each line have in a tracefile."""
    ways: Counter[Line] = Counter()
    file = ""
    for row in tracefile.decode().splitlines():
        kind, _, rest = row.partition(":")
        if kind == "SF":
            file = base(rest)
        elif kind == "BRDA":
            ways[file, int(rest.partition(",")[0])] += 1
    return ways


def read_llvm(home: Path, raw: Path) -> tuple[Counter, Counter, Counter]:
    """Those of clang's source-based coverage, and the ways of its branches."""
    run(["llvm-profdata-22", "merge", raw, "-o", "coverage.profdata"], home)
    command = [
        "llvm-cov-22",
        "export",
        "-format=lcov",
        "by-clang",
        "-instr-profile=coverage.profdata",
    ]
    tracefile = run(command, home)
    functions, lines = read_lcov(tracefile)
    # A static function is called file:name.
    renamed: Counter[Function] = Counter()
    for (file, name), count in functions.items():
        renamed[file, name.rpartition(":")[2]] += count
    return renamed, lines, read_ways(tracefile)


def read_gcov(home: Path, data: Path) -> tuple[Counter, Counter]:
    """Those of gcc's gcov."""
    told = json.loads(run(["gcov", "--json-format", "--stdout", data], home))
    functions: Counter[Function] = Counter()
    lines: Counter[Line] = Counter()
    for file in told["files"]:
        name = base(file["file"])
        for function in file["functions"]:
            functions[name, function["name"]] += function["execution_count"]
        for line in file["lines"]:
            lines[name, line["line_number"]] += line["count"]
    return functions, lines
