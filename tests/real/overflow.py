"""Paths beyond the limit, counted whole in a table.

With a low limit they are those that a build counts which needs no limit. Once with room for all of
them, and once with hardly any: then the blocks must still be right, and what is known whole no more
than ran. For calm work, as `modes.py`, whose build of paths is what is compared with.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.real.build import build, work
from tests.real.programs import Program
from tests.real.tools import CheckFailed, export

# A path that was taken: where it starts and how it ends, and its blocks.
Taken = tuple[str, str, tuple[int, ...]]


@dataclass(frozen=True)
class Counts:
    """What is known of one function."""

    possible: str
    # Executions of paths that the table had no room for; None without a table.
    beyond: int | None
    blocks: list[int]
    paths: Counter[Taken]


def counts(profiles: Path) -> dict[tuple[int, str, str], Counts]:
    """The functions of all images, by image, module and name. Pieces of paths and paths in flight
    are left out.
    """
    exported = export(profiles, *sorted(profiles.glob("*.pathprof")))
    found = {}
    for function in exported["functions"]:
        if function["skipped"] is not None:
            continue
        possible = int(function["possible_paths"])
        # Paths that start at one block along different edges have numbers of their own.
        uncut: Counter[Taken] = Counter()
        for path in function["paths"]:
            is_piece = function["beyond_table"] is not None and int(path["id"]) >= possible
            if not is_piece and path["end"] != "in_flight":
                uncut[path["start"], path["end"], tuple(path["blocks"])] += path["count"]
        found[function["image"], function["module"], function["name"]] = Counts(
            function["possible_paths"],
            function["beyond_table"],
            [block["count"] for block in function["blocks"]],
            uncut,
        )
    return found


def check(program: Program, source: Path | None, flags: str, home: Path) -> str:
    """Compares a build with room and one without with the build that `modes.py` made; returns how
    much was compared.
    """
    expected = counts(home / "paths.calm")
    told = []
    for how in ("uncut", "crowded"):
        tree = build(program, source, how, flags, home)
        steps = program.calm(tree)
        ran = work(program, tree, steps, home / f"{how}.profiles")
        failed = [outcome.status for outcome in ran.outcomes if outcome.status != 0]
        if failed:
            raise CheckFailed(f"a {how} build exits with {failed}")
        told.append(f"{how}: {compare(how == 'uncut', expected, counts(home / f'{how}.profiles'))}")
    return "; ".join(told)


def compare(
    has_room: bool,
    expected: dict[tuple[int, str, str], Counts],
    found: dict[tuple[int, str, str], Counts],
) -> str:
    if expected.keys() != found.keys():
        raise CheckFailed(
            f"other functions are counted: {sorted(expected.keys() ^ found.keys())[:5]}"
        )
    wrong = []
    tables = paths = beyond = 0
    for key, ours in found.items():
        known = expected[key]
        if ours.blocks != known.blocks:
            wrong.append(f"{key[2]}: blocks ran {known.blocks}, counted {ours.blocks}")
        # Where the other build has met its own limit, it knows less.
        if ours.possible != known.possible:
            continue
        tables += ours.beyond is not None
        paths += len(ours.paths) if ours.beyond is not None else 0
        beyond += ours.beyond or 0
        full = ours.beyond and not has_room
        if ours.beyond and has_room:
            wrong.append(f"{key[2]}: {ours.beyond} executions found no room")
        if any(count > known.paths[path] for path, count in ours.paths.items()) or (
            not full and ours.paths != known.paths
        ):
            wrong.append(f"{key[2]}: paths {known.paths}, counted {ours.paths}")
    if wrong:
        raise CheckFailed(
            f"{len(wrong)} differences, {beyond} executions beyond:\n" + "\n".join(wrong[:20])
        )
    return f"{tables} tables with {paths} paths, {beyond} executions beyond"
