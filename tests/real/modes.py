"""Blocks, edges and calls that are counted ran as often as their paths say.

Compared are builds of the same program that differ in what they count. Valid for calm work: where
a call never returns, paths say of the block that it is in only that it is in flight.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.real.build import Ran, build, difference, work
from tests.real.programs import Program
from tests.real.tools import CheckFailed, export

# What is compared of a large program at a level that takes clang a minute.
FEW_MODES = ("blocks", "edges")


@dataclass(frozen=True)
class Counts:
    """What is known of one function."""

    entries: int
    interrupted: int
    # Count, opcodes and calls of each block. Where only calls are counted, the count of a block
    # without any is not known.
    blocks: list[tuple[int | None, dict[str, int], list[str]]]
    edges: dict[tuple[int, int], int | None]


def counts(profiles: Path) -> dict[tuple[int, str, str], Counts]:
    """The functions of all images, by image, module and name."""
    exported = export(profiles, *sorted(profiles.glob("*.pathprof")))
    return {
        (function["image"], function["module"], function["name"]): Counts(
            function["entries"],
            function["interrupted"],
            [(block["count"], block["opcodes"], block["calls"]) for block in function["blocks"]],
            {(edge["from"], edge["to"]): edge["count"] for edge in function["edges"]},
        )
        for function in exported["functions"]
        if function["skipped"] is None
    }


@dataclass(frozen=True)
class Calm:
    """What the build of paths does and counts in calm work."""

    ran: Ran
    counts: dict[tuple[int, str, str], Counts]


def calm(program: Program, home: Path, how: str = "paths") -> Calm:
    """Runs the calm work of a build that is in `home`, and leaves its profiles there."""
    tree, profiles = home / how, home / f"{how}.calm"
    ran = work(program, tree, program.calm(tree), profiles)
    return Calm(ran, counts(profiles))


def check(
    program: Program, source: Path | None, flags: str, home: Path, paths: Calm, how: str
) -> str:
    """Compares a build of a mode with that of paths; returns how much was compared."""
    tree = build(program, source, how, flags, home)
    found = calm(program, home, how)
    differs = difference(program.calm(tree), paths.ran, found.ran)
    if differs:
        raise CheckFailed(f"counting {how} changes the program: {differs}")
    return compare(how, paths.counts, found.counts)


def compare(
    how: str, paths: dict[tuple[int, str, str], Counts], others: dict[tuple[int, str, str], Counts]
) -> str:
    """Compares what follows from paths with what follows from other counters."""
    if paths.keys() != others.keys():
        raise CheckFailed(
            f"other functions are counted: {sorted(paths.keys() ^ others.keys())[:5]}"
        )
    wrong = []
    executed = edges = unknown = 0
    for key, ours in others.items():
        known = paths[key]
        if ours.interrupted:
            wrong.append(f"{key[2]}: {ours.interrupted} processes seem to have been killed in it")
        if ours.entries != known.entries or len(ours.blocks) != len(known.blocks):
            wrong.append(f"{key[2]}: {known.entries} entries, counted {ours.entries}")
        for block, (counted, expected) in enumerate(zip(ours.blocks, known.blocks, strict=False)):
            of_no_interest = how == "calls" and counted[0] is None and not counted[2]
            if counted != expected and not (of_no_interest and counted[1:] == expected[1:]):
                wrong.append(f"{key[2]}: block {block}: {expected}, counted {counted}")
            executed += bool(counted[0])
        for edge, count in ours.edges.items():
            unknown += count is None
            if count is not None and known.edges[edge] is not None:
                edges += 1
                if count != known.edges[edge]:
                    wrong.append(
                        f"{key[2]}: edge {edge} was taken {known.edges[edge]} times, not {count}"
                    )
    if wrong or executed == 0:
        raise CheckFailed(
            f"{len(wrong)} differences, {executed} blocks ran:\n" + "\n".join(wrong[:20])
        )
    return f"{executed} executed blocks, {edges} edges ({unknown} unknown)"
