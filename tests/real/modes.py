"""Blocks and edges that are counted ran as often as their paths say: three builds of the same program.

Path mode without peeling, since that gives a function other blocks. Valid for calm work: where a call never returns, paths say of the block that it is in
only that it is in flight.
"""

from dataclasses import dataclass
from pathlib import Path

from build import build, difference, work
from programs import Program
from tools import CheckFailed, export


@dataclass(frozen=True)
class Counts:
    """What is known of one function."""

    entries: int
    staying: int
    blocks: list[int]
    edges: dict[tuple[int, int], int | None]


def counts(profiles: Path) -> dict[tuple[int, str, str], Counts]:
    """The functions of all images, by image, module and name."""
    exported = export(profiles, *sorted(profiles.glob("*.pathprof")))
    return {
        (function["image"], function["module"], function["name"]): Counts(
            function["entries"],
            function["staying"],
            [block["count"] for block in function["blocks"]],
            {(edge["from"], edge["to"]): edge["count"] for edge in function["edges"]},
        )
        for function in exported["functions"]
        if function["skipped"] is None
    }


def check(program: Program, source: Path | None, flags: str, home: Path) -> str:
    """Compares all three builds; returns how much was compared."""
    found, outcomes = {}, {}
    for how in ("unpeeled", "blocks", "edges"):
        tree = build(program, source, how, flags, home)
        steps = program.work["calm" if "calm" in program.work else "small"](tree)
        outcomes[how] = work(program, tree, steps, home / f"{how}.profiles")
        found[how] = counts(home / f"{how}.profiles")
        differs = difference(steps, outcomes["unpeeled"], outcomes[how])
        if differs:
            raise CheckFailed(f"counting {how} changes the program: {differs}")
    return "; ".join(f"{how}: {compare(found['unpeeled'], found[how])}" for how in ("blocks", "edges"))


def compare(paths: dict[tuple[int, str, str], Counts], others: dict[tuple[int, str, str], Counts]) -> str:
    """Compares what follows from paths with what follows from other counters."""
    if paths.keys() != others.keys():
        raise CheckFailed(f"other functions are counted: {sorted(paths.keys() ^ others.keys())[:5]}")
    wrong = []
    executed = edges = unknown = 0
    for key, ours in others.items():
        known = paths[key]
        if ours.staying:
            wrong.append(f"{key[2]}: {ours.staying} calls seem to stay in it")
        if (ours.entries, ours.blocks) != (known.entries, known.blocks):
            wrong.append(f"{key[2]}: blocks ran {known.blocks}, counted {ours.blocks}")
        executed += sum(count > 0 for count in ours.blocks)
        for edge, count in ours.edges.items():
            unknown += count is None
            if count is not None and known.edges[edge] is not None:
                edges += 1
                if count != known.edges[edge]:
                    wrong.append(f"{key[2]}: edge {edge} was taken {known.edges[edge]} times, not {count}")
    if wrong or executed == 0:
        raise CheckFailed(f"{len(wrong)} differences, {executed} blocks ran:\n" + "\n".join(wrong[:20]))
    return f"{executed} executed blocks, {edges} edges ({unknown} unknown)"
