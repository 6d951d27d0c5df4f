"""Whatever techniques are left out of one program, its counts are those of the block log."""

import shutil
from functools import cache
from itertools import chain, combinations, product
from pathlib import Path

from tests.real import oracle_log
from tests.real.build import build
from tests.real.programs import Program, Step
from tests.real.tools import PATHCC, PATHPROF, ROOT, CheckFailed, environment, export, run
from tests.real.ways import TECHNIQUES, without

SOURCE = ROOT / "tests/real/work/switches.cc"

# Without these the function has other paths; the others change nothing but the code.
OTHER_PATHS = ["tail-calls", "loop-entries"]
OTHER_CODE = [name for name in TECHNIQUES if name not in OTHER_PATHS]

# Has an effect only with the weights of an earlier run.
WITH_WEIGHTS = "order"
WEIGHTS = "-fpath-use=program.weights"

# Paths of each function: their blocks and counts, and how often it was entered.
Counts = dict[str, tuple[int, dict[str, int]]]

# Techniques that are left out together.
Choice = tuple[str, ...]


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    return [some for size in range(len(names) + 1) for some in combinations(names, size)]


def extremes(names: list[str]) -> list[tuple[str, ...]]:
    """The subsets of at most two names, and those that lack at most two."""
    return [some for some in subsets(names) if not 2 < len(some) < len(names) - 2]


def compile_with(tree: Path, cc: str, flags: str) -> None:
    shutil.copy(SOURCE, tree)
    run(
        [
            *cc.replace("/bin/pathcc", "/bin/pathc++").split(),
            *flags.split(),
            SOURCE.name,
            "-o",
            "program",
        ],
        tree,
    )


PROGRAM = Program(
    "switches", compile_with, ["program"], {"small": lambda tree: [Step(["@program"])]}
)


def counts(home: Path, flags: str) -> Counts:
    """What a build with these flags counts."""
    compile_with(home, str(PATHCC), flags)
    # A profile that is there already is never overwritten.
    (home / "program.pathprof").unlink(missing_ok=True)
    run(["./program"], home, env=environment(PATHCC_PROFILE="program.pathprof"))
    exported = export(home, "program.pathprof")
    return {
        function["name"]: (
            function["entries"],
            {str(path["blocks"]): path["count"] for path in function["paths"]},
        )
        for function in exported["functions"]
    }


def every_way(first: tuple[str, ...]) -> list[str]:
    """The flags that leave out `first` and, in combinations, what changes only code; with estimates
    and with weights. All combinations if `first` is empty, else the extremes.
    """
    chosen = extremes if first else subsets
    ways = [without(*first, *rest) for rest in chosen(OTHER_CODE)]
    ways += [f"{WEIGHTS} {without(*first, *rest)}" for rest in chosen([*OTHER_CODE, WITH_WEIGHTS])]
    return ways


def covering_rows(choices: list[list[Choice]], wise: int) -> list[tuple[Choice, ...]]:
    """Rows of one choice each in which every `wise` choices meet: always the row that has the most
    combinations that no earlier one has.
    """
    rows = list(product(*choices))
    bits: dict[object, int] = {}
    masks = [
        sum(
            1 << bits.setdefault((columns, tuple(row[column] for column in columns)), len(bits))
            for columns in combinations(range(len(choices)), wise)
        )
        for row in rows
    ]
    chosen = []
    missing = (1 << len(bits)) - 1
    while missing:
        best = max(range(len(rows)), key=lambda number: (masks[number] & missing).bit_count())
        chosen.append(rows[best])
        missing &= ~masks[best]
    return chosen


@cache
def covering() -> dict[tuple[str, ...], list[str]]:
    """The ways by what is left out of them first, in which every three choices meet: what is left
    out first, whether each other technique is left out, and whether and how weights are used.
    """
    firsts: list[Choice] = [*subsets(OTHER_PATHS)]
    uses: list[Choice] = [(), (WEIGHTS,), (WEIGHTS, WITH_WEIGHTS)]
    others: list[list[Choice]] = [[(), (name,)] for name in OTHER_CODE]
    ways: dict[tuple[str, ...], list[str]] = {first: [] for first in firsts}
    for first, use, *rest in covering_rows([firsts, uses, *others], 3):
        out = without(*first, *chain(*rest), *use[1:])
        ways[first].append(" ".join([*use[:1], out]))
    return ways


def check(level: str, first: tuple[str, ...], ways: list[str], home: Path) -> str:
    """Builds the program in all ways, each of which leaves out `first` and what changes only
    code.
    """
    paths, log = (
        build(PROGRAM, None, how, f"{level} {without(*first)}", home) for how in ("paths", "log")
    )
    compared = oracle_log.compare_builds(PROGRAM, paths, log, PROGRAM.work["small"](paths))
    if compared.differences or compared.blocks < 1000:
        raise CheckFailed(compared.text)
    place = home / "combination"
    place.mkdir()
    expected = counts(place, f"{level} {without(*first)}")
    run([PATHPROF, "weights", "-o", "program.weights", "program.pathprof"], place)
    codes = set()
    for way in ways:
        got = counts(place, f"{level} {way}")
        codes.add((place / "program").read_bytes())
        if got != expected:
            differs = [name for name in expected if expected[name] != got.get(name)]
            raise CheckFailed(
                f"{way} counts something else in {', '.join(differs)}; kept in {home}"
            )
    return f"{len(ways)} combinations, {len(codes)} different programs, {compared.paths} paths each"
