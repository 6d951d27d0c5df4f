"""Builds whole projects twice, with plain clang and with pathcc, by their own build systems, and runs their own tests twice.

Both must be configured the same, and every test must come to the same. No variable is set but the compiler's. The only files
that pathcc may add are profiles beside programs.

    projects.py [PROJECT ...]     these, or all
    projects.py --small           those that are part of every test run
    projects.py --write FILE      and the table, as Markdown, with what earlier runs found of the others
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "real"))

from recipes import PROJECTS, Project  # noqa: E402
from sources import fetch  # noqa: E402
from tools import PATHPROF, SCRATCH, TREE, CheckFailed, environment, export, run  # noqa: E402

HOME = SCRATCH / "projects"
COMPILERS = {"plain": ("clang-22", "clang++-22"), "counted": (str(TREE / "bin/pathcc"), str(TREE / "bin/pathc++"))}
# Nothing of this differs but by the name of the compiler and the time.
VOLATILE = re.compile(r"pathcc|pathc\+\+|clang(?:\+\+)?-22|\d\d:\d\d:\d\d|\w{3} \w{3} +\d+ .*20\d\d")
# What pathcc leaves beside a program.
OURS = re.compile(r"\.pathprof$|^\.[^/]*\.pathprof\.\d+(-\d+)?\.raw$")


@dataclass(frozen=True)
class Built:
    """What became of one build and its tests."""

    answers: dict[str, list[str]]
    results: list[str]
    files: set[str]
    # Seconds of processor time.
    build: float
    test: float


def shell(lines: str, place: Path, how: str, may_fail: bool = False) -> tuple[str, float]:
    """Runs lines of shell in the tree; their output, and the processor time of all that they started."""
    cc, cxx = COMPILERS[how]
    env = environment(CC=cc, CXX=cxx, JOBS=str(os.cpu_count() or 1))
    del env["PATHCC_PROFILE"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Nobody reads from a terminal, and some tests count the open files.
    done = subprocess.run(
        ["bash", "-c", lines], cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=3600
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != 0 and not may_fail:
        tail = "\n".join(text.splitlines()[-25:])
        raise CheckFailed(f"`{lines}` failed with status {done.returncode} (in {place}):\n{tail}")
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def built(project: Project, source: Path, how: str) -> Built:
    """Builds and tests a copy of the source, always at the same place, since many tests know their path."""
    place = HOME / project.name / "tree"
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, place, symlinks=True)
    shell(project.configure, place, how)
    _, build = shell(project.build, place, how)
    started = time.time()
    output, test = shell(project.test, place, how, may_fail=True)
    print(f"  {how}: built in {build:.0f} s, tested in {test:.0f} s ({time.time() - started:.0f} s by the clock)", flush=True)
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
        raise CheckFailed(f"{project.name}: {len(changed)} results of its tests differ:\n" + "\n".join(changed[:20]))
    strange = sorted(name for name in counted.files - plain.files if not OURS.search(name.rsplit("/", 1)[-1]))
    programs = {name for name in counted.files if (HOME / project.name / "tree" / name).stat().st_mode & 0o100}
    # A profile whose program is gone is litter as well.
    profiles = [name for name in counted.files if name.endswith(".pathprof")]
    strange += [name for name in profiles if name.removesuffix(".pathprof") not in programs]
    if strange:
        raise CheckFailed(f"{project.name}: files that only pathcc leaves:\n" + "\n".join(strange[:20]))


def row(project: Project, plain: Built, counted: Built) -> list[str]:
    """What the table says of a project."""
    place = HOME / project.name / "tree"
    run([PATHPROF, "compact", "--keep", "0", "."], place)
    told = export(place, "--all", "--failure-mode=warn", ".")
    functions = told["functions"]
    skipped: dict[str, int] = {}
    for function in functions:
        if function["skipped"]:
            skipped[function["skipped"]] = skipped.get(function["skipped"], 0) + 1
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items(), key=lambda item: -item[1])[:2])
    profiles = sum(file.stat().st_size for file in place.rglob("*.pathprof"))
    return [
        f"{project.name} ({project.system})",
        f"{len(plain.results):,}",
        f"{counted.build / plain.build:.2f}",
        f"{counted.test / plain.test:.2f}",
        f"{len(functions):,}",
        f"{sum(len(function['paths']) for function in functions):,}",
        f"{profiles // 1024:,} KiB",
        reasons or "none",
    ]


HEAD = ["project", "results of tests", "build", "tests", "functions", "executed paths", "profiles, summed", "not counted"]


def main() -> int:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    unknown = set(arguments.projects) - {project.name for project in PROJECTS}
    if unknown:
        parser.error(f"no such project: {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in PROJECTS)}")
    chosen = [project for project in PROJECTS if project.name in arguments.projects or not arguments.projects]
    chosen = [project for project in chosen if project.small or not arguments.small]
    failed = 0
    for project in chosen:
        print(f"{project.name}", flush=True)
        try:
            source = fetch([project.package])[project.package]
            plain = built(project, source, "plain")
            counted = built(project, source, "counted")
            compare(project, plain, counted)
            found = row(project, plain, counted)
            (HOME / project.name / "row.json").write_text(json.dumps(found))
            print(f"  {len(plain.results)} results are the same: " + ", ".join(found[2:]), flush=True)
        except CheckFailed as failure:
            print(f"FAILED {failure}", flush=True)
            failed += 1
    if arguments.write:
        found = [HOME / project.name / "row.json" for project in PROJECTS]
        lines = [HEAD, ["---"] * len(HEAD), *(json.loads(file.read_text()) for file in found if file.exists())]
        arguments.write.write_text(TEXT + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return 1 if failed else 0


TEXT = """# Whole projects

`make projects` builds each project twice, with plain clang 22 and with pathcc, by its own build system, and runs its own tests twice. No variable
is set but the compiler's. Both are configured the same, every test comes to the same, and pathcc adds no file but profiles beside programs.

Build and tests are processor time against plain clang, of one run each on a machine that does other things, too.

"""

if __name__ == "__main__":
    sys.exit(main())
