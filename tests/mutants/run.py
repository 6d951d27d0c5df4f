"""Changes the code in small ways, one at a time, and says which changes no test notices.

cargo-mutants does the work, with `.cargo/mutants.toml`; this says where, and judges the result. A
change that cannot matter is named with its reason in `equivalent.toml`, by its file, its
description and the line that it changes, so that an entry ends with the code that it is about. The
score is the share of the others that a test notices, by failing or by not ending.

    python3 -m tests.mutants.run [SET ...]     paths, format, profile, counts, report, linker-shim;
                                               hours for all
    python3 -m tests.mutants.run --judge ...   nothing is run; the last run is judged again
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "target" / "mutants"
# A change may make a test take all memory, or go on for ever although it was told to end. No
# process may have more than so many bytes and seconds of the processor.
MEMORY, PROCESSOR = 8 << 30, 600


@dataclass(frozen=True)
class Set:
    """Files that are changed together, and how many of the changes must be noticed."""

    package: str
    least: float
    files: tuple[str, ...] = ()
    # Which tests are run; all of the package unless named.
    tests: tuple[str, ...] = ()


PROFILE = ("combine/merge", "combine/sum", "starts")
COUNTS = (
    "acyclic",
    "count_inference",
    "counted",
    "coverage",
    "decode",
    "entries",
    "flow",
    "lines",
    "slices",
    "tables",
    "uncut_paths",
)
REPORT = ("show/coverage", "show/missing")
LINKER = ("args", "module", "response", "script")
SETS = {
    "paths": Set("paths", 1.0),
    "format": Set("pathformat", 0.95),
    "profile": Set("profile", 1.0, tuple(f"profile/src/{name}.rs" for name in PROFILE)),
    "counts": Set("counts", 1.0, tuple(f"counts/src/{name}.rs" for name in COUNTS)),
    "report": Set(
        "pathprof",
        1.0,
        tuple(f"report/src/{name}.rs" for name in REPORT),
        ("--lib", "--test", "coverage"),
    ),
    "linker-shim": Set(
        "pathld", 0.95, tuple(f"linker-shim/src/{name}.rs" for name in LINKER), ("--bins",)
    ),
}


# What an entry of `equivalent.toml` names: file, description, and the line that it changes.
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Change:
    """A change as cargo-mutants names it, `file:line:column: description`."""

    file: str
    line: int
    name: str

    @classmethod
    def read(cls, text: str) -> Self:
        place, name = text.split(": ", 1)
        file, line, _ = place.rsplit(":", 2)
        return cls(file, int(line), name)

    def key(self) -> Key:
        lines = (ROOT / self.file).read_text().splitlines()
        return self.file, self.name, lines[self.line - 1].strip() if self.line <= len(lines) else ""


def equivalent() -> set[Key]:
    entries = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text())["equivalent"]
    return {(entry["file"], entry["change"], entry["line"].strip()) for entry in entries}


def run(name: str) -> None:
    out = OUT / name
    out.mkdir(parents=True, exist_ok=True)
    command = [
        "cargo",
        "mutants",
        "--package",
        SETS[name].package,
        "--output",
        str(out),
        "--no-shuffle",
    ]
    for file in SETS[name].files:
        command += ["--file", file]
    if SETS[name].tests:
        command += ["--", *SETS[name].tests]
    # A failure is enough; nobody reads the smallest example.
    environment = os.environ | {"PROPTEST_MAX_SHRINK_ITERS": "0"}
    # 2: some were missed; 3: some did not end. Anything else is a failure of the tool or of the
    # tests.
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if code not in (0, 2, 3):
        sys.exit(f"cargo mutants failed with {code}")


def found(name: str, outcome: str) -> list[Change]:
    lines = (OUT / name / "mutants.out" / f"{outcome}.txt").read_text().splitlines()
    return [Change.read(line) for line in lines if line]


def judge(name: str, known: set[Key]) -> bool:
    noticed = len(found(name, "caught")) + len(found(name, "timeout"))
    missed = {change: change.key() for change in found(name, "missed")}
    wrong = [change for change, key in missed.items() if key not in known]
    score = noticed / max(1, noticed + len(wrong))
    for one in wrong:
        print(f"  missed: {one.file}:{one.line}: {one.name}")
    for file, change, line in sorted(known - set(missed.values())):
        if file.startswith(f"{name}/"):
            print(f"  not needed in equivalent.toml: {file}: {change}: {line}")
    same = len(missed) - len(wrong)
    print(
        f"{name}: {noticed} noticed, {len(wrong)} missed, {same} equivalent: {score:.1%}",
        flush=True,
    )
    return score >= SETS[name].least


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=" ".join(SETS))
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    unknown = set(options.sets) - set(SETS)
    if unknown:
        parser.error(f"no such set: {' '.join(sorted(unknown))}; there are {' '.join(SETS)}")
    if not options.judge and not shutil.which("cargo-mutants"):
        sys.exit("cargo-mutants is missing; install it with: cargo install --locked cargo-mutants")
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    names = options.sets or list(SETS)
    known = equivalent()
    if not options.judge:
        for name in names:
            run(name)
    judged = [judge(name, known) for name in names]
    return 0 if all(judged) else 1


if __name__ == "__main__":
    sys.exit(main())
