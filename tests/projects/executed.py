"""What the tests of a project executed: its functions, their paths, and the hottest of these in
words.

Programs and libraries are summed: a function of the source is one function, however many images it
stands in. The words for a path are those of `pathprof report`.
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tests.real.tools import PATHPROF, CheckFailed, attempt

# How a path starts and ends, in the words of an export and in those of a sentence.
STARTS = {
    "entry": "from its entry",
    "loop": "from a loop's header",
    "cut": "from a cut",
    "resume": "from a resumption",
}
ENDS = {
    "return": "to its return",
    "back_edge": "back to a loop's header",
    "loop_entry": "into a loop",
    "cut": "to a cut",
    "unwind": "to an exception that leaves it",
    "noreturn": "to a call that does not return",
}
# What pathprof says of an image that a test built, ran and removed again: nothing else may be wrong
# with a profile.
GONE = re.compile(r"^error: \S+(?: \(and \d+ more\))?: (?P<image>/\S+): no such image; ")
# More steps than these are not written.
STEPS = 14


@dataclass(frozen=True)
class Executed:
    """A path of a function of the source, and how often all images together executed it."""

    # Where it was executed most often.
    function: dict
    path: dict
    count: int

    def instructions(self) -> int:
        """All that it executed."""
        return self.count * self.path["instructions"]


@dataclass(frozen=True)
class Told:
    """What the profiles in a folder and below tell."""

    place: Path
    images: list[str]
    # Those that ran and are gone, of which nothing can be told.
    gone: set[str]
    # The records of each function of the source, one for each image.
    functions: list[list[dict]]
    paths: list[Executed]


def told(place: Path) -> Told:
    """Reads all profiles; all must be usable, but for what they say of images that are gone."""
    output, gone = pathprof(place, "export", "--format", "json", "--all", ".")
    everything = json.loads(output)
    functions: dict[tuple, list[dict]] = {}
    for function in everything["functions"]:
        file = os.path.join(function["directory"], function["file"] or "")
        # What macros made different has another graph.
        shape = tuple(
            (edge["from"], edge["to"], edge["outcome"]) for edge in function.get("edges", [])
        )
        functions.setdefault((file, function["line"], function["name"], shape), []).append(function)
    paths = [path for records in functions.values() for path in paths_of(records)]
    return Told(
        place,
        [image["path"] for image in everything["images"]],
        gone,
        list(functions.values()),
        paths,
    )


def pathprof(place: Path, *arguments: str) -> tuple[str, set[str]]:
    """What pathprof writes of all that it can read, and the images that are gone."""
    done = attempt([PATHPROF, *arguments], place)
    errors = [line for line in done.err.decode().splitlines() if line.startswith("error: ")]
    gone = [GONE.match(line) for line in errors]
    if not all(gone) or done.status != (1 if gone else 0):
        raise CheckFailed(
            f"pathprof {arguments[0]} cannot use all profiles in {place}:\n"
            + "\n".join(errors[:20])
        )
    return done.out.decode(), {line["image"] for line in gone if line}


def paths_of(records: list[dict]) -> list[Executed]:
    """The paths of one function that were executed from start to end."""
    found: dict[tuple, list[tuple[dict, dict]]] = {}
    for function in records:
        for path in function["paths"]:
            if path["end"] != "in_flight":
                found.setdefault((path["start"], path["end"], *path["blocks"]), []).append(
                    (function, path)
                )
    paths = []
    for same in found.values():
        function, path = max(same, key=lambda one: one[1]["count"])
        paths.append(Executed(function, path, sum(path["count"] for _, path in same)))
    return paths


def hottest(of: Told, rows: int = 3) -> list[str]:
    """A sentence for each of the paths that executed most instructions."""
    total = sum(function["instructions"] for records in of.functions for function in records)
    return [
        sentence(of, path, total)
        for path in sorted(of.paths, key=Executed.instructions, reverse=True)[:rows]
    ]


def sentence(of: Told, executed: Executed, total: int) -> str:
    """A path in words, and its share of all executed instructions."""
    name, where, words = report_of(of, executed)
    percent = 100 * executed.instructions() / total
    share = f"{percent:.1f} % of all executed instructions, {executed.count:,} times"
    turn = re.fullmatch(r"loop: (?:\w+ › )*([^\s→‹]+).*→ ?loop (\S+)", words)
    if turn and turn[1] == turn[2]:
        course = "once round a loop"
    else:
        course = f"{STARTS[executed.path['start']]} {ENDS[executed.path['end']]}"
    return f"{share}: `{name}` ({where}), {course}: `{brief(words)}`"


def report_of(of: Told, executed: Executed) -> tuple[str, str, str]:
    """The name, the place and the path of a path, as `pathprof report` writes them."""
    function, path = executed.function, executed.path
    image = of.images[function["image"]]
    # A name is a glob.
    name = re.sub(r"([][*?{}\\])", r"\\\1", function["name"])
    chosen = ("--all", "--top", "0", "--format", "json", "--system", "--function", name)
    output, _ = pathprof(of.place, "report", *chosen, ".")
    for table in json.loads(output)["tables"]:
        for row in table["rows"]:
            same = (row.get("image"), row.get("symbol"), row.get("id"), row.get("count"))
            if same == (image, function["name"], path["id"], path["count"]):
                where = os.path.basename(row["file"] or function["module"])
                place = f"{where}:{row['line']}" if row["line"] else where
                several = f" in {os.path.basename(image)}" if len(of.images) > 1 else ""
                return row["function"], place + several, row["path"]
    raise ValueError(f"pathprof report has no row for a path of {function['name']} in {of.place}")


def brief(words: str) -> str:
    """A written path, a long one without its middle."""
    # The names of folded functions may have spaces between them.
    steps = re.findall(r"(?:[^\s→‹]|‹[^›]*›)+→?|→", words)
    if len(steps) <= STEPS:
        return words
    kept = [*steps[: STEPS * 2 // 3], "…", *steps[len(steps) - STEPS // 3 :]]
    return re.sub(r"(?<=\S)→ ", "→", " ".join(kept))
