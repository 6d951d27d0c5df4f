"""Tables in Markdown, from costs."""

import math
import statistics
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.bench.costs import Cost

BASE = "clang"

# Costs by workload, then by compiler.
Costs = dict[str, dict[str, Cost]]


def ratio(cost: Cost, base: Cost, what: str) -> float | None:
    """The ratio of a cost to the base's, or None if one of them was not measured."""
    value, against = getattr(cost, what), getattr(base, what)
    if isinstance(value, list):
        value, against = min(value, default=0), min(against, default=0)
    return value / against if value and against else None


def median_ratio(cost: Cost, base: Cost, what: str) -> float | None:
    """The median over the rounds, or None if this cost has no rounds or one of them is missing."""
    values, against = getattr(cost, what), getattr(base, what)
    if not isinstance(values, list) or not against or len(values) != len(against):
        return None
    if min(against) == 0:
        return None
    return statistics.median(one / other for one, other in zip(values, against, strict=True))


def mean(ratios: Iterable[float | None]) -> float | None:
    """The geometric mean of what was measured."""
    known = [value for value in ratios if value]
    return math.exp(statistics.fmean(map(math.log, known))) if known else None


def shown(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}" if value < 10 else f"{value:.0f}"


def markdown(parts: Iterable[str]) -> str:
    """A page of headings, pictures, tables and paragraphs. A paragraph of one line is wrapped."""

    def wrapped(part: str) -> str:
        if "\n" in part or part.startswith(("#", "!", "|")):
            return part
        return textwrap.fill(part, 100, break_long_words=False, break_on_hyphens=False)

    return "\n\n".join(map(wrapped, parts)) + "\n"


def table(rows: list[list[str]]) -> str:
    """A Markdown table whose columns line up."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def parts_at(page: Path, title: str) -> tuple[str, str, str]:
    """A page before a section, the section, and the page behind it. Without the section all of the
    page is before.
    """
    before, found, behind = page.read_text().partition(f"\n{title}\n")
    inner, more, rest = behind.partition("\n## ")
    return before, found + inner, f"{more}{rest}"


def section_of(page: Path, title: str) -> str:
    """A section of a page, which may not exist; empty if there is none."""
    return parts_at(page, title)[1].strip() if page.exists() else ""


def publish_section(text: str, title: str, page: Path | None) -> None:
    """Prints a section, and puts it into a page if one is wanted."""
    print(text, end="")
    if page:
        replace_section(page, title, text)


def replace_section(page: Path, title: str, text: str) -> None:
    """Puts a section where the one of the same title stands in a page, else at its end."""
    before, _, behind = parts_at(page, title)
    page.write_text(f"{before.rstrip()}\n\n{text}{behind}")


def ratio_table(
    costs: Costs,
    groups: dict[str, list[str]],
    what: str,
    names: list[str],
    base_column: tuple[str, Callable[[Cost], str]],
) -> str:
    """Ratios of one cost by workload, with the geometric mean of each group."""
    title, base_cell = base_column
    rows = [["program", title, *names]]
    for program, by_name in costs.items():
        base = by_name[BASE]
        cells = []
        for name in names:
            cost = by_name.get(name, Cost())
            median = median_ratio(cost, base, what)
            cells.append(shown(ratio(cost, base, what)) + (f" ({shown(median)})" if median else ""))
        rows.append([program, base_cell(base), *cells])
    for title, members in groups.items():
        if len(members) > 1:
            means = [
                mean(ratio(costs[one].get(name, Cost()), costs[one][BASE], what) for one in members)
                for name in names
            ]
            rows.append([f"**{title}**", "", *(f"**{shown(value, 3)}**" for value in means)])
    return table(rows)


KINDS = {
    "peak memory of a run": "memory",
    "compiling, user time": "compile_user",
    "linking, user time": "link_user",
    "peak memory of a compilation": "compile_memory",
    "size of the objects": "objects",
    "machine code of the images": "code",
}


def summary_table(costs: Costs, names: list[str]) -> str:
    """Geometric means of everything else that was measured."""
    rows = [["", *names]]
    for title, what in KINDS.items():
        means = [
            mean(
                ratio(by_name[name], by_name[BASE], what)
                for by_name in costs.values()
                if name in by_name
            )
            for name in names
        ]
        if any(means):
            rows.append([title, *map(shown, means)])
    return table(rows)


def difference_table(old: Costs, new: Costs, name: str) -> str:
    """How one compiler's ratios changed between two measurements."""
    rows = [
        [
            "program",
            "time before",
            "time now",
            "change",
            "instructions before",
            "instructions now",
            "change",
        ]
    ]
    changes: dict[str, list[float | None]] = {"user": [], "instructions": []}
    for program in [program for program in new if program in old]:
        row = [program]
        for what in changes:
            before, now = (
                ratio(costs[program][name], costs[program][BASE], what) for costs in (old, new)
            )
            change = now / before if before and now else None
            changes[what].append(change)
            row += [
                shown(before, 3),
                shown(now, 3),
                f"{(change - 1) * 100:+.1f} %" if change else "–",
            ]
        rows.append(row)
    means = [mean(changes[what]) for what in changes]
    ends = [f"**{(value - 1) * 100:+.1f} %**" if value else "–" for value in means]
    rows.append(["**geometric mean**", "", "", ends[0], "", "", ends[1]])
    return table(rows)
