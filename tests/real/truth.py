"""What ran, and whether an export tells it.

A block that ran is counted or marked, one that did not run is never counted, and a number without a
mark is exact.

What ran is known from the block log (`ran`), block for block and edge for edge; or from probes,
functions that are not counted and add to shared memory, which also holds for processes that were
killed. A probe says of a block that it ran at least as often as the probe in it; and if nothing
stands before the probe that may not come back, just as often.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.tools import CARGO_OUT, CheckFailed, attempt, run

RAN = CARGO_OUT / "release/ran"
PROBE = re.compile(r"p(1\d{3})$")
CALLS = re.compile(r"^ *(~?)([\d,]+) .* p(1\d{3})$", re.MULTILINE)


@dataclass(frozen=True)
class Range:
    """What an export says of a number: from `low` to `high`, which are the same if it is not
    marked.
    """

    low: int
    high: int

    @property
    def is_marked(self) -> bool:
        return self.low != self.high

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" if self.is_marked else f"{self.low}"


def block_range(function: dict, block: dict) -> Range | None:
    """How often a block ran; `None` if that is said to be unknown."""
    count = block["count"]
    if count is None:
        return None
    off = 0 if block["counter"] else function["interrupted"]
    return Range(max(count - off, 0), count + off)


def edge_range(function: dict, edge: dict) -> Range | None:
    """How often an edge was taken; `None` if that is said to be unknown."""
    count = edge["count"]
    return None if count is None else Range(count, count)


@dataclass(frozen=True, order=True)
class Wrong:
    """A number that is not true: what kind of mistake it is, and all that is known of it."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def judge(what: str, text: str, truth: int, told: Range) -> Iterable[Wrong]:
    """Says what is wrong with a number."""
    if told.low <= truth <= told.high:
        return
    kind = (
        "unseen"
        if told.high == 0
        else "never ran"
        if truth == 0
        else "too few"
        if told.high < truth
        else "too many"
    )
    yield Wrong(f"{what} {kind}", f"{text}: ran {truth} times, told {told}")


@dataclass
class Logged:
    """What the log says of one function."""

    blocks: int
    entries: int
    block: Counter[int] = field(default_factory=Counter)
    edge: Counter[tuple[int, int]] = field(default_factory=Counter)


@dataclass
class Truth:
    """What the logs say."""

    # By source and name.
    functions: dict[tuple[str, str], Logged]
    # Functions that the logging build also calls in libraries: which copy of a template runs
    # depends on the optimiser.
    imported: frozenset[str]
    # Whether a frame may have gone on in a forked child: then it is not known from where, and edges
    # are not compared.
    forks: bool


def imported(image: Path) -> frozenset[str]:
    """The functions that a program takes from libraries."""
    listed = attempt(
        ["llvm-nm-22", "--dynamic", "--undefined-only", "--format=just-symbols", image],
        image.parent,
    )
    return frozenset(name.partition("@")[0] for name in listed.out.decode().split())


def read_logs(image: Path, logs: list[Path]) -> Truth:
    """What the processes of a logging build wrote, in the order in which they began."""
    if not logs:
        return Truth({}, frozenset(), False)
    outcome = attempt([RAN, "--image", image, "--log", *logs], image.parent)
    if outcome.status != 0:
        raise CheckFailed(f"the log cannot be read: {outcome.err.decode()}")
    found: dict[tuple[str, str], Logged] = {}
    for line in outcome.out.decode().splitlines():
        source, name, kind, *numbers = line.split("\t")
        values = [int(number) for number in numbers]
        if kind == "entries":
            blocks, entries = values
            found[source, name] = Logged(blocks, entries)
        elif kind == "block":
            found[source, name].block[values[0]] = values[1]
        else:
            found[source, name].edge[values[0], values[1]] = values[2]
    return Truth(found, imported(image), len(logs) > 1)


def probes_of(image: Path) -> dict[tuple[str, str, int], list[int]]:
    """The probes that each block of a logging build calls, by source, function and number."""
    found = {}
    for line in run([RAN, "--image", image], image.parent).decode().splitlines():
        source, name, block, *callees = line.split("\t")
        matches = map(PROBE.match, callees)
        found[source, name, int(block)] = [int(match[1]) for match in matches if match]
    return found


def against_log(
    exported: dict, logged: Truth, elsewhere: frozenset[str] = frozenset()
) -> tuple[int, list[Wrong]]:
    """Compares every block, edge and entry; gives how many were compared, and what is wrong.

    Where templates have copies in libraries (`elsewhere` in the counted build), other functions run
    in them, too: inline functions are passed over then.
    """
    compared, wrong = 0, []
    elsewhere = (elsewhere | logged.imported) & {
        function["name"] for function in exported["functions"]
    }
    inline = (
        {
            function["name"]
            for function in exported["functions"]
            if function["linkage"] in ("inline", "copy")
        }
        if elsewhere
        else set()
    )
    missing = {key for key in logged.functions if key[1] not in inline}
    for function in exported["functions"]:
        if function["skipped"] is not None or function["name"] in inline:
            continue
        key = (function["module"], function["name"])
        missing.discard(key)
        truth = logged.functions.get(key) or Logged(len(function["blocks"]), 0)
        name = function["demangled"]
        if truth.blocks != len(function["blocks"]):
            wrong.append(
                Wrong(
                    "other code",
                    f"{name} has {len(function['blocks'])} blocks, logged {truth.blocks}",
                )
            )
            continue
        wrong += judge(
            "entries", name, truth.entries, Range(function["entries"], function["entries"])
        )
        for block in function["blocks"]:
            told = block_range(function, block)
            if told is not None:
                compared += 1
                lines = ",".join(map(str, block["lines"]))
                wrong += judge(
                    "block",
                    f"{name}: block {block['id']} (lines {lines})",
                    truth.block[block["id"]],
                    told,
                )
        # Control comes back to where a call returns twice from anywhere, and computed jumps may
        # share their edges.
        known = {edge["outcome"] for edge in function["edges"]}
        is_plain = not logged.forks and "indirect" not in known and not returns_twice(function)
        for edge in function["edges"] if is_plain else ():
            told = edge_range(function, edge)
            if told is not None:
                compared += 1
                ends = (edge["from"], edge["to"])
                wrong += judge(
                    "edge", f"{name}: edge {ends} ({edge['outcome']})", truth.edge[ends], told
                )
    wrong += [
        Wrong("other code", f"{name} was logged and is not listed") for _, name in sorted(missing)
    ]
    return compared, wrong


def returns_twice(function: dict) -> bool:
    """Whether it calls something that may return again."""
    twice = re.compile(r"_?_?(sig)?setjmp|vfork|getcontext|llvm\.eh\.sjlj")
    calls = {call for block in function["blocks"] for call in block["calls"]}
    return any(twice.match(call) for call in calls) or any(
        "eh.sjlj" in opcode for block in function["blocks"] for opcode in block["opcodes"]
    )


def against_probes(
    exported: dict, truth: list[int], first: int, forks: bool
) -> tuple[int, list[Wrong]]:
    """Compares blocks that hold probes; gives how many probes were compared, and what is wrong.

    Where a function forks, a block that one process began goes on in two, so only what stands first
    in a block tells of it.
    """
    places: defaultdict[int, list[tuple[Range | None, bool, str]]] = defaultdict(list)
    for function in exported["functions"]:
        if function["skipped"] is not None:
            continue
        for block in function["blocks"]:
            told = block_range(function, block)
            for place, callee in enumerate(block["calls"]):
                if match := PROBE.match(callee):
                    text = f"{function['demangled']} block {block['id']}"
                    places[int(match[1]) - first].append((told, place == 0, text))
    wrong = []
    compared = 0
    for probe, ran in enumerate(truth):
        told_of = places.get(probe, [])
        if not told_of and ran > 0:
            wrong.append(
                Wrong("block unseen", f"p{first + probe} ran {ran} times and no block has it")
            )
        ranges = [one for one, _, _ in told_of if one is not None]
        if not told_of or len(ranges) < len(told_of):
            continue
        compared += 1
        total = sum(ranges, Range(0, 0))
        text = f"p{first + probe} in {', '.join(place for _, _, place in told_of)}"
        if all(is_first for _, is_first, _ in told_of) or (total.high < ran and not forks):
            wrong += judge("block", text, ran, total)
    return compared, wrong


def against_calls(table: str, truth: list[int], first: int) -> tuple[int, list[Wrong]]:
    """Compares what `pathprof report --calls` says of probes, whose calls are not those of their
    blocks: what stands before one in its block may not come back.
    """
    told = {
        int(match[3]): (int(match[2].replace(",", "")), bool(match[1]))
        for match in CALLS.finditer(table)
    }
    wrong: list[Wrong] = []
    for probe, ran in enumerate(truth):
        count, is_marked = told.get(first + probe, (0, False))
        if not is_marked or (ran > 0 and count == 0):
            wrong += judge("call", f"p{first + probe}", ran, Range(count, count))
    return len(truth), wrong
