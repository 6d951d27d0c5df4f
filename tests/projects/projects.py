"""Builds whole projects with plain clang and with pathcc, by their own build systems, and runs
their tests with both.

Both must be configured the same, and every test must come to the same. No variable is set but the
compiler's. The only files that pathcc may add are profiles beside programs.

    projects.py [PROJECT ...]     these, or all
    projects.py --small           those that are part of every test run
    projects.py --write FILE      and the table, as Markdown; the other projects keep their rows
"""

import argparse
import ctypes
import os
import re
import resource
import shutil
import subprocess
import sys
import textwrap
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.projects.executed import hottest, told
from tests.projects.recipes import PROJECTS, Project
from tests.real.sources import fetch
from tests.real.tools import PATHPROF, SCRATCH, TREE, CheckFailed, environment, run

HOME = SCRATCH / "projects"
COMPILERS = {
    "plain": ("clang-22", "clang++-22"),
    "counted": (str(TREE / "bin/pathcc"), str(TREE / "bin/pathc++")),
}
# CMake derives from the name of the compiler those of other tools: beside clang-22 it looks for
# llvm-ar-22, beside pathcc for llvm-ar. It knows a Python by the words of PATH, in which builds
# come to differ.
CMAKE = (
    r"^CMAKE_(?:AR|ADDR2LINE|DLLTOOL|LINKER|NM|OBJCOPY|OBJDUMP|RANLIB|READELF|STRIP):"
    r"|_Python_|DETAILS_Python"
)
# Nothing else differs but by the name of the compiler and the time.
VOLATILE = re.compile(
    rf"{CMAKE}|pathcc|pathc\+\+|clang(?:\+\+)?-22|\d\d:\d\d:\d\d|\w{{3}} \w{{3}} +\d+ .*20\d\d"
)
# What pathcc leaves beside a program.
OURS = re.compile(r"\.pathprof$|^\.[^/]*\.pathprof\.(\d+(-\d+)?|standing-[0-9a-f]{16}-\d+)\.raw$")


@dataclass(frozen=True)
class Built:
    """What became of one build and its tests."""

    answers: dict[str, list[str]]
    results: list[str]
    files: set[str]
    # Seconds of processor time.
    build: float
    test: float


@dataclass(frozen=True)
class Found:
    """What the document says of a project: its row of the table, and its hottest paths."""

    cells: list[str]
    hottest: list[str]


def adopt() -> None:
    """Makes this process the parent of those that lose theirs, as the servers of tests do: their
    time counts, too.
    """
    subreaper = 36
    ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)


def reap() -> None:
    """Takes leave of adopted processes that ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def shell(lines: str, place: Path, how: str, may_fail: bool = False) -> tuple[str, float]:
    """Runs lines of shell in the tree; their output, and the processor time of all that they
    started.
    """
    cc, cxx = COMPILERS[how]
    env = environment(CC=cc, CXX=cxx, JOBS=str(os.cpu_count() or 1))
    del env["PATHCC_PROFILE"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Nobody reads from a terminal, and some tests count the open files.
    done = subprocess.run(
        ["bash", "-c", lines],
        cwd=place,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=3600,
        check=False,
    )
    reap()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != 0 and not may_fail:
        tail = "\n".join(text.splitlines()[-25:])
        raise CheckFailed(f"`{lines}` failed with status {done.returncode} (in {place}):\n{tail}")
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def install(project: Project) -> None:
    """Installs the Debian packages that only this project needs, as `scripts/setup` does with those
    of all tests.
    """
    ask = ["dpkg-query", "-W", "-f", "${db:Status-Status}"]
    status = {
        package: subprocess.run([*ask, package], capture_output=True, check=False).stdout
        for package in project.needs
    }
    missing = [package for package in project.needs if status[package] != b"installed"]
    if missing:
        print(f"  installing {', '.join(missing)}", flush=True)
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        apt = [
            *as_root,
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "-y",
            "--no-install-recommends",
        ]
        run([*apt, *missing], SCRATCH)


def built(project: Project, source: Path, how: str) -> Built:
    """Builds and tests a copy of the source, always at the same place, since many tests know their
    path.
    """
    place = HOME / project.name / "tree"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, place, symlinks=True)
    for package, part in project.parts:
        shutil.copytree(fetch([package])[package], place / part, symlinks=True, dirs_exist_ok=True)
    shell(project.configure, place, how)
    _, build = shell(project.build, place, how)
    started = time.time()
    output, test = shell(project.test, place, how, may_fail=True)
    clock = time.time() - started
    print(
        f"  {how}: built in {build:.0f} s, tested in {test:.0f} s ({clock:.0f} s by the clock)",
        flush=True,
    )
    results = [match[0].strip() for match in re.finditer(project.results, output, re.MULTILINE)]
    answers = {}
    for name in project.answers:
        text = (place / name).read_text(errors="replace")
        answers[name] = [line for line in text.splitlines() if not VOLATILE.search(line)]
    files = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
    return Built(answers, results, files, build, test)


def compare(project: Project, plain: Built, counted: Built) -> None:
    """Checks that the builds differ in nothing that matters."""
    for name, lines in plain.answers.items():
        other = counted.answers[name]
        if lines != other:
            changed = sorted(set(lines) ^ set(other))
            raise CheckFailed(f"{project.name}: {name} differs:\n" + "\n".join(changed[:20]))
    if not plain.results:
        raise CheckFailed(f"{project.name}: its tests tell nothing")
    changed = sorted(set(plain.results) ^ set(counted.results))
    if changed:
        raise CheckFailed(
            f"{project.name}: {len(changed)} results of its tests differ:\n"
            + "\n".join(changed[:20])
        )
    strange = sorted(
        name for name in counted.files - plain.files if not OURS.search(name.rsplit("/", 1)[-1])
    )
    programs = {
        name
        for name in counted.files
        if (HOME / project.name / "tree" / name).stat().st_mode & 0o100
    }
    # A profile whose program is gone is litter as well.
    profiles = [name for name in counted.files if name.endswith(".pathprof")]
    strange += [name for name in profiles if name.removesuffix(".pathprof") not in programs]
    if strange:
        raise CheckFailed(
            f"{project.name}: files that only pathcc leaves:\n" + "\n".join(strange[:20])
        )


def row(project: Project, plain: Built, counted: Built) -> Found:
    """What the document says of a project."""
    place = HOME / project.name / "tree"
    # A program of configure that crashed leaves its raw file, which is not what configure removes.
    for file in place.rglob(".conftest.pathprof.*.raw"):
        file.unlink()
    run([PATHPROF, "compact", "--keep", "0", "."], place)
    executed = told(place)
    if executed.gone:
        print(
            f"  without {len(executed.gone)} images that are gone, as {min(executed.gone)}",
            flush=True,
        )
    for name, times in project.entries:
        entries = sum(
            each["entries"]
            for records in executed.functions
            for each in records
            if each["name"] == name
        )
        if entries != times:
            raise CheckFailed(
                f"{project.name}: {name} was entered {times} times, and counted {entries} times"
            )
    skipped = Counter(
        records[0]["skipped"] for records in executed.functions if records[0]["skipped"]
    )
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.most_common(2))
    profiles = sum(file.stat().st_size for file in place.rglob("*.pathprof"))
    cells = [
        f"{project.name} ({project.system})",
        f"{len(plain.results):,}",
        f"{counted.build / plain.build:.2f}",
        # A ratio of moments says nothing.
        f"{counted.test / plain.test:.2f}" if plain.test > 1 else "–",
        f"{len(executed.functions):,}",
        f"{len(executed.paths):,}",
        f"{profiles // 1024:,} KiB",
        reasons or "none",
    ]
    return Found(cells, hottest(executed))


def document(before: str, measured: dict[str, Found]) -> str:
    """The table and the hottest paths: of projects that were not measured what the document said
    before.
    """
    every = {
        project.name: measured.get(project.name) or recorded(before, project.name)
        for project in PROJECTS
    }
    found = {name: of for name, of in every.items() if of}
    rows = [HEAD, ["---"] * len(HEAD), *(of.cells for of in found.values())]
    parts = [TEXT, *(f"| {' | '.join(cells)} |\n" for cells in rows), PATHS]
    for name, of in found.items():
        parts.append(f"\n### {name}\n\n")
        parts += (item(f"{rank}. ", sentence) for rank, sentence in enumerate(of.hottest, 1))
    return "".join(parts)


def recorded(text: str, name: str) -> Found | None:
    """What a document says of a project."""
    cells = re.search(rf"^\| ({re.escape(name)} \(.*) \|$", text, re.MULTILINE)
    if not cells:
        return None
    section = text.partition(f"\n### {name}\n\n")[2].partition("\n\n")[0]
    sentences = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    return Found(cells[1].split(" | "), [" ".join(sentence.split()) for sentence in sentences])


def item(mark: str, sentence: str) -> str:
    """An item of a list, in lines of a hundred columns."""
    indent = " " * len(mark)
    lines = textwrap.wrap(sentence, 97, break_long_words=False, break_on_hyphens=False)
    return mark + f"\n{indent}".join(lines) + "\n"


HEAD = [
    "project",
    "results of tests",
    "build",
    "tests",
    "functions",
    "executed paths",
    "profiles, summed",
    "not counted",
]


def main() -> int:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    unknown = set(arguments.projects) - {project.name for project in PROJECTS}
    if unknown:
        known = ", ".join(project.name for project in PROJECTS)
        parser.error(f"no such project: {', '.join(sorted(unknown))}; there are {known}")
    chosen = [
        project
        for project in PROJECTS
        if project.name in arguments.projects or not arguments.projects
    ]
    chosen = [project for project in chosen if project.small or not arguments.small]
    adopt()
    measured: dict[str, Found] = {}
    for project in chosen:
        print(f"{project.name}", flush=True)
        try:
            install(project)
            source = fetch([project.package])[project.package]
            plain = built(project, source, "plain")
            counted = built(project, source, "counted")
            compare(project, plain, counted)
            found = row(project, plain, counted)
            measured[project.name] = found
            print(
                f"  {len(plain.results)} results are the same: " + ", ".join(found.cells[2:]),
                flush=True,
            )
        except CheckFailed as failure:
            print(f"FAILED {failure}", flush=True)
    if arguments.write:
        before = arguments.write.read_text() if arguments.write.exists() else ""
        arguments.write.write_text(document(before, measured))
    return 0 if len(measured) == len(chosen) else 1


TEXT = """# Whole projects

`make projects` builds each project twice, with plain clang 22 and with pathcc, by its own build
system, and runs its own tests twice. No variable is set but the compiler's. Both are configured the
same, every test comes to the same, and pathcc adds no file but profiles beside programs.

Tests that need what Debian's archives lack, and what fails or is left out with either compiler, are
named in `tests/projects/recipes.py`. nginx answers 500 requests while its workers change their
user, are replaced, killed and ended: 500 are counted.

Build and tests are processor time relative to plain clang, one run each, on a shared machine; `–`
stands for tests that take less than a second of it. A function of the source is one function,
however many programs and libraries it stands in, and so are its paths. Libraries that tests of
coreutils build, preload and remove again cannot be read, and are not in these numbers.

"""

PATHS = """
## The hottest paths

In which paths the tests executed most instructions (LLVM's, before it optimises), all programs,
libraries and runs together. A path is written as `pathprof report` writes it, and those of older
measurements as it wrote them then, with `(true)` and `(false)` for what the optimised code asked.
Of a long path `…` leaves out the middle. Where a build has no debug information, blocks (`bb3`)
stand for lines.
"""

if __name__ == "__main__":
    sys.exit(main())
