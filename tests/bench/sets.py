"""What is measured together: sets of workloads, and the compilers that each set compares."""

from collections.abc import Callable, Iterable
from pathlib import Path

from tests.bench import large, workloads
from tests.bench.costs import HOME, fresh_directory
from tests.bench.tables import BASE
from tests.bench.workloads import Workload
from tests.real import sources
from tests.real.tools import CLANG, PATHCC
from tests.real.ways import TECHNIQUES, without

OURS = "pathcc"

# pathcc with the counts of a run of `OURS`, which `WEIGHTS` holds.
SECOND = "pathcc -fpath-use="
WEIGHTS = HOME / "weights"

# pathcc with counters behind the optimiser: what it plans and writes there can be taken apart.
LATE = f"{PATHCC} -fpath-stage=late"

# What is compared in every set: compilers by their names in the tables.
EDGES = {
    BASE: CLANG,
    OURS: str(PATHCC),
    "clang -fprofile-generate": f"{CLANG} -fprofile-generate",
}

# All profilers of the field.
FIELD = {
    **EDGES,
    "clang -fprofile-instr-generate": f"{CLANG} -fprofile-instr-generate",
    "clang --coverage": f"{CLANG} --coverage",
    "gcc": "gcc",
    "gcc --coverage": "gcc --coverage",
    "gcc -pg": "gcc -pg -fno-pie -no-pie",
}

# pathcc's other kind of counters, and a second build of CPython.
MODES = {
    BASE: CLANG,
    OURS: str(PATHCC),
    "pathcc -fpath-stage=late": LATE,
    "pathcc -fpath-mode=blocks": f"{PATHCC} -fpath-mode=blocks",
}
TWO_BUILDS = {**EDGES, SECOND: f"{PATHCC} -fpath-use={WEIGHTS}"}

# pathcc without each of its techniques.
ABLATION = {
    BASE: CLANG,
    OURS: LATE,
    **{f"no {technique}": f"{LATE} {without(technique)}" for technique in TECHNIQUES},
    "delta, not word": f"{LATE} -Xclang -mllvm -Xclang -pathcc-base=delta",
    "nothing": f"{LATE} {without(*TECHNIQUES)} -Xclang -mllvm -Xclang -pathcc-base=delta",
}

# Sets of workloads by name: what they are, at which level, and what is compared.
SETS: dict[str, tuple[Callable[[], list[Workload]], str, dict[str, str]]] = {
    "real": (workloads.real, "-O2", FIELD),
    "real-modes": (workloads.real, "-O2", MODES),
    "large": (large.workloads, "-O2", EDGES),
    "kernels": (workloads.kernels, "-O2", EDGES),
    "kernels-O3": (workloads.kernels, "-O3", EDGES),
    "kernels-O0": (workloads.kernels, "-O0", EDGES),
    "python": (lambda: [workloads.cpython()], "-O3", TWO_BUILDS),
}


def compared(title: str, *, ablation: bool, quick: bool) -> dict[str, str]:
    """The compilers that are compared in a set, by the name in the tables."""
    if ablation:
        return ABLATION
    return EDGES if quick else SETS[title][2]


def chosen(titles: Iterable[str], only: list[str] | None) -> dict[str, list[Workload]]:
    """The workloads of some sets, or those of them that are named."""
    return {
        title: [workload for workload in SETS[title][0]() if not only or workload.name in only]
        for title in titles
    }


def fetch(wanted: dict[str, list[Workload]]) -> tuple[dict[str, Path], Path]:
    """The sources of workloads by package, and the text that some of them compress."""
    packages = {workload.program.package for set_ in wanted.values() for workload in set_}
    trees = sources.fetch(sorted({"sqlite3", *(package for package in packages if package)}))
    return trees, write_texts(trees)


def write_texts(trees: dict[str, Path]) -> Path:
    """Empties the place of measurements and writes there what is compressed: a large text and a
    small one.
    """
    fresh_directory(HOME)
    text = HOME / "text"
    text.write_bytes(
        b"".join(file.read_bytes() for file in sorted((trees["sqlite3"] / "src").glob("*.[ch]")))
    )
    text.with_suffix(".small").write_bytes(text.read_bytes()[:1000000])
    return text
