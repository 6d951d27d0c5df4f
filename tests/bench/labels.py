"""Measures what labels cost in a real suite of tests.

    python3 -m tests.bench.labels [--quick] [--write docs/benchmarks.md]

The tests of yaml-cpp are one program, by GoogleTest. It is built with plain clang, with pathcc, and
with pathcc and `pathcc/googletest.h`, by which each test has its label. The other way to learn what
each test executes is a process and a profile for each. Prints a section for docs/benchmarks.md.
"""

import shutil
import statistics
import sys
from functools import partial
from pathlib import Path

from tests.bench.costs import HOME, cpu_of, fresh_directory
from tests.bench.one_section import write_section
from tests.bench.tables import markdown, table
from tests.real import sources
from tests.real.tools import PATHCC, environment, run

TITLE = "## Labels of a suite of tests"

GOOGLE = Path("/usr/src/googletest")
FOLDERS = ("src", "src/contrib", "test", "test/integration", "test/node", "test/new-api")
INCLUDED = ("include", "src", "test", "test/integration", GOOGLE / "googlemock/include")
LISTENER = '#include "pathcc/googletest.h"\n'
PROGRAM = "yaml-cpp-tests"
HEADS = ["", "processor time", "profiles", "files"]


def build(tree: Path, home: Path) -> dict[str, Path]:
    """The program of tests: plain, counted and with labels."""
    code = sorted(file for folder in FOLDERS for file in (tree / folder).glob("*.cpp"))
    mock = [
        GOOGLE / f"{name}/src/{part}-all.cc"
        for name, part in (("googletest", "gtest"), ("googlemock", "gmock"))
    ]
    (home / "listener.cpp").write_text(LISTENER)
    options = ["-O2", "-g", "-w", "-std=c++17", "-pthread"]
    options += [f"-I{tree / folder}" for folder in INCLUDED]
    options += [f"-I{GOOGLE / 'googletest'}", f"-I{GOOGLE / 'googlemock'}"]
    made = {}
    for kind, compiler, more in (
        ("plain", "clang++-22", []),
        ("counted", PATHCC.with_name("pathc++"), []),
        ("labels", PATHCC.with_name("pathc++"), [home / "listener.cpp"]),
    ):
        place = fresh_directory(home / kind)
        run([compiler, *options, *code, *mock, *more, "-o", PROGRAM], place, seconds=3600)
        made[kind] = place / PROGRAM
    return made


def names(program: Path) -> list[str]:
    """The tests of the program."""
    found, suite = [], ""
    for line in run([program, "--gtest_list_tests"], program.parent).decode().splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" "):
            found.append(suite + word)
        elif word.endswith("."):
            suite = word
    return found


def each(program: Path, tests: list[str], profiles: Path) -> None:
    """Runs each test in a process with a profile of its own."""
    for number, test in enumerate(tests):
        env = environment(PATHCC_PROFILE=f"single:{profiles / f'{number}.pathprof'}")
        run([program, f"--gtest_filter={test}", "--gtest_brief=1"], program.parent, env=env)


def section(quick: bool) -> str:
    tree = sources.fetch(["yaml-cpp"])["yaml-cpp"]
    home = fresh_directory(HOME / "labels")
    programs = build(tree, home)
    tests = names(programs["counted"])
    times: dict[str, list[float]] = {kind: [] for kind in programs}
    profiles = fresh_directory(home / "profiles")
    for _ in range(3 if quick else 15):
        for kind, program in programs.items():
            own = fresh_directory(profiles / kind)
            pattern = "off" if kind == "plain" else f"single:{own / 'all.pathprof'}"
            command = [program, "--gtest_brief=1"]
            env = environment(PATHCC_PROFILE=pattern)
            times[kind].append(cpu_of(partial(run, command, program.parent, env=env)))
    own = fresh_directory(profiles / "each")
    times["each"] = [cpu_of(partial(each, programs["counted"], tests, own))]

    def row(kind: str, what: str) -> list[str]:
        least, middle = min(times[kind]), statistics.median(times[kind])
        files = [file for file in (profiles / kind).rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in files) / 1024
        cells = [f"{least:.2f} s ({middle:.2f})", f"{size:,.0f} KiB", f"{len(files):,}"]
        return [what, *(cells if files else [cells[0], "–", "–"])]

    rows = [
        HEADS,
        row("plain", "plain clang"),
        row("counted", "counted"),
        row("labels", "counted, a label for each test"),
        row("each", "counted, a process and a profile for each test"),
    ]
    # A test begins with its label, and ends with none.
    change = 1e3 * (min(times["labels"]) - min(times["counted"])) / (2 * len(tests))
    method = (
        f"The {len(tests)} tests of yaml-cpp, one program with GoogleTest, at `-O2`: the best "
        "round, and in brackets the median of all. Each test changes the [label](labels.md) "
        f"twice, which takes {change:.2f} ms each time. `make bench` measures it "
        "(`tests/bench/labels.py`)."
    )
    shutil.rmtree(profiles)
    return markdown([TITLE, method, table(rows)])


if __name__ == "__main__":
    sys.exit(write_section(__doc__, TITLE, section, "three rounds"))
