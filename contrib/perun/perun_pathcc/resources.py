"""Perun's resources from what `pathprof export --format json` tells.

A resource is an amount at a place. The amount is always a number of executed LLVM instructions,
without those of callees. There are three kinds (`subtype`), each a complete account of the program:

* `instructions`: one resource for each function;
* `blocks`: one for each basic block;
* `paths`: one for each acyclic path, if paths were counted.

The place (`uid`) is a stack from the outside in, as Perun's flame graphs take it:
`KIND;IMAGE;FILE;FUNCTION`, then the block or the path. Perun compares the resources of two
commits by their places. Therefore lines are told from the function's first line on: `+3` is the
third line behind it. A change above a function moves none of its places.
"""

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

KINDS = ("instructions", "blocks", "paths")


@dataclass(frozen=True)
class Amount:
    """Executed instructions of a function, a block or a path."""

    kind: str
    place: tuple[str, ...]
    instructions: int
    count: int


def relative(file: str, directory: str) -> str:
    """The name of a source file, so that it is the same in each checkout."""
    inside = os.path.relpath(os.path.join(directory, file), directory)
    return file if inside.startswith("..") else inside


def lines_of(function: dict, block: dict) -> list[str]:
    """A block's lines, counted from the function's first line; without them, its name."""
    if function["line"] and block["lines"]:
        return [f"{line - function['line']:+d}" for line in block["lines"]]
    return [block["name"] or f"block {block['id']}"]


def path_text(path: dict, blocks: list[list[str]]) -> str:
    """A path: how it starts, its lines, how it ends."""
    steps = itertools.chain.from_iterable(blocks[block] for block in path["blocks"])
    lines = (step for step, _ in itertools.groupby(steps))
    return " ".join([path["start"], *lines, path["end"]])


def distinct(texts: list[str], ids: Iterable[object]) -> list[str]:
    """Adds the id to each text that stands more than once."""
    counts = Counter(texts)
    return [
        f"{text} #{number}" if counts[text] > 1 else text
        for text, number in zip(texts, ids, strict=True)
    ]


def amounts_of_function(function: dict, place: tuple[str, ...]) -> Iterator[Amount]:
    """All amounts of one function, in whatever kind it has any."""
    yield Amount("instructions", place, function["instructions"], function["entries"])
    lines = [lines_of(function, block) for block in function["blocks"]]
    names = distinct([" ".join(block) for block in lines], range(len(lines)))
    for block, name in zip(function["blocks"], names, strict=True):
        count = block["count"] or 0
        yield Amount("blocks", (*place, name), count * block["instructions"], count)
    paths = function["paths"]
    names = distinct([path_text(path, lines) for path in paths], (path["id"] for path in paths))
    for path, name in zip(paths, names, strict=True):
        count = path["count"]
        yield Amount("paths", (*place, name), count * path["instructions"], count)


def amounts(document: dict) -> Iterator[Amount]:
    """All amounts of a program, those of functions that did not run included."""
    for function in document["functions"]:
        image = PurePath(document["images"][function["image"]]["path"]).name
        file = relative(function["file"] or function["module"], function["directory"])
        yield from amounts_of_function(function, (image, file, function["demangled"]))


def resources(document: dict, kinds: Iterable[str] = KINDS) -> list[dict[str, Any]]:
    """The resources of the wanted kinds: each place once, and only where something was executed.

    Functions of the same name and file, as static ones in a header, are summed.
    """
    sums: dict[str, dict[str, Any]] = {}
    wanted = set(kinds)
    for amount in amounts(document):
        if amount.kind not in wanted or amount.instructions == 0:
            continue
        # A semicolon separates the frames of a stack.
        uid = ";".join(frame.replace(";", ":") for frame in (amount.kind, *amount.place))
        resource = sums.setdefault(
            uid, {"uid": uid, "type": "mixed", "subtype": amount.kind, "amount": 0, "count": 0}
        )
        resource["amount"] += amount.instructions
        resource["count"] += amount.count
    return list(sums.values())
