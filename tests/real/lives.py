"""Random programs that throw, jump, thread, fork and die.

    python3 -m tests.real.lives [--seconds N] [--count N] [--seed N] [--all] [--reduce]

Each is built with every kind of counters, at one stage and level that depend on the seed (`--all`:
at both stages and every level), and must do what it does without us. Then the rule is checked: **a
block that ran is counted or marked; a block that did not run is never counted**; and every number
without a mark is the truth (`truth.py`). A program that fails is kept in target/real/lives, its
seed is printed, and with `--reduce` the smallest program that fails in the same way.
"""

import argparse
import random
import shutil
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path

from tests.real import random_lives, random_programs, truth
from tests.real.lives_text import Writer
from tests.real.random_lives import Program
from tests.real.tools import (
    PATHCC,
    PATHPROF,
    ROOT,
    SCRATCH,
    CheckFailed,
    Outcome,
    attempt,
    build_tools,
    environment,
    export,
    run,
)
from tests.real.ways import LEVELS, MODES, STAGES, log_flags, modes_of

KEPT = SCRATCH / "lives"

# What is checked: fixed, so that a change of ours and not of the dice makes it fail. `make test`
# takes those that between them have every stage, level and kind of statement.
SEEDS = range(1, 17)
FEW_SEEDS = (2, 3, 6, 8, 11, 12, 13, 16)

# What else may be different about a program; one of them for each mode, by seed.
LINKS = ["", "", "", "-fuse-ld=lld", "-static", "-flto=thin -fuse-ld=lld", "-fpath-threads=atomic"]


@dataclass(frozen=True)
class Way:
    """How a program is built, and what it is compared with."""

    mode: str
    stage: str
    level: str
    link: str
    has_probes: bool

    @property
    def flags(self) -> str:
        probes = "" if self.has_probes else " -DNO_PROBES"
        # What a loop has in a register is lost where a process is killed.
        memory = " -fpath-promotion=no" if self.stage == "machine" else ""
        stage = f"-fpath-stage={self.stage}{memory}"
        return f"{MODES[self.mode]} {stage} {self.level} {self.link}{probes}"

    def __str__(self) -> str:
        return " ".join(self.flags.split())


@dataclass(frozen=True)
class Lived:
    """What a program did."""

    outcome: Outcome
    profiles: Path
    # How often each probe was called.
    probes: list[int]


class Failed(CheckFailed):
    """What is wrong with one way to build a program."""

    def __init__(self, way: Way, wrong: list[truth.Wrong]) -> None:
        self.way, self.kinds = way, {one.kind for one in wrong}
        super().__init__(f"{way}: " + "; ".join(map(str, wrong[:5])))


def probes_object() -> Path:
    """The probes, compiled once."""
    made = KEPT / "probes.o"
    if not made.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        fresh = made.with_suffix(f".{random.randrange(10**9)}")
        run(
            ["clang-22", "-O1", "-fPIC", "-c", ROOT / "tests/real/work/probes.c", "-o", fresh], ROOT
        )
        fresh.rename(made)
    return made


def build(home: Path, program: Program, compiler: Path | str, flags: str) -> None:
    """Builds a program, whose text is in `home`."""
    run(
        [
            compiler,
            "-g",
            *flags.split(),
            "-w",
            "-I",
            ROOT / "tests/real/work",
            "-pthread",
            f"program{program.suffix}",
            probes_object(),
            "-o",
            "program",
        ],
        home,
    )


def live(home: Path, program: Program, compiler: Path | str, flags: str) -> Lived:
    """Builds and runs a program, whose text is in `home`."""
    profiles = home / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    (home / "truth").unlink(missing_ok=True)
    build(home, program, compiler, flags)
    env = environment(PATHCC_PROFILE=f"{profiles}/%p.now.pathprof", TRUTH=str(home / "truth"))
    outcome = attempt(["./program"], home, env=env, seconds=60)
    return Lived(outcome, profiles, array("q", (home / "truth").read_bytes()).tolist())


def compiler(program: Program, is_counted: bool) -> Path | str:
    if is_counted:
        return PATHCC.with_name("pathc++") if program.is_cpp else PATHCC
    return "clang++-22" if program.is_cpp else "clang-22"


def logged(home: Path, program: Program, way: Way) -> truth.Truth:
    """What ran in a logging build that has the same code."""
    probes = "" if way.has_probes else "-DNO_PROBES"
    lived = live(
        home,
        program,
        compiler(program, True),
        f"{log_flags(way.stage)} {way.level} {probes}",
    )
    logs = sorted(lived.profiles.glob("*.pathlog"), key=lambda log: int(log.name.partition(".")[0]))
    return truth.read_logs(home / "program", logs)


def check_way(home: Path, program: Program, way: Way, plain: Lived, log: truth.Truth | None) -> int:
    """Checks one way to build a program; gives how many numbers were compared."""
    lived = live(home, program, compiler(program, True), way.flags)
    if lived.outcome != plain.outcome or (way.has_probes and lived.probes != plain.probes):
        raise Failed(way, [truth.Wrong("behaviour", f"was {plain.outcome}, is {lived.outcome}")])
    try:
        exported = export(home, lived.profiles)
    except CheckFailed as failure:
        raise Failed(way, [truth.Wrong("export", str(failure))]) from None
    if any(
        profile["unregistered_threads"] or profile["partial"] for profile in exported["profiles"]
    ):
        raise Failed(way, [truth.Wrong("flag", "a profile says that counts are missing")])
    compared, wrong = truth.against_log(exported, log) if log is not None else (0, [])
    if way.has_probes:
        more, others = truth.against_probes(
            exported, lived.probes, random_lives.FIRST, "fork" in program.kinds
        )
        compared, wrong = compared + more, wrong + others
    if way.has_probes and "fork" not in program.kinds:
        table = run([PATHPROF, "report", "--calls", "--top", "0", lived.profiles], home).decode()
        more, others = truth.against_calls(table, lived.probes, random_lives.FIRST)
        compared, wrong = compared + more, wrong + others
    if wrong:
        raise Failed(way, wrong)
    return compared


def prepare(home: Path, program: Program) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    writer = Writer(program)
    (home / f"program{program.suffix}").write_text(writer.text())
    if writer.probes > random_lives.PROBES:
        raise CheckFailed(f"the program has {writer.probes} probes")


def check_ways(home: Path, program: Program, ways: list[Way]) -> int:
    """Checks a program built in these ways; gives how many numbers were compared."""
    prepare(home, program)
    compared, failures = 0, []
    plain: dict[bool, Lived] = {}
    logs: dict[tuple[str, str, bool], truth.Truth | None] = {}
    for way in ways:
        if way.has_probes not in plain:
            plain[way.has_probes] = live(
                home,
                program,
                compiler(program, False),
                f"-O1 {'' if way.has_probes else '-DNO_PROBES'}",
            )
        key = (way.stage, way.level, way.has_probes)
        is_logged = "lto" not in way.link
        if is_logged and key not in logs:
            logs[key] = logged(home, program, way)
        try:
            compared += check_way(
                home, program, way, plain[way.has_probes], logs[key] if is_logged else None
            )
        except Failed as failure:
            failures.append(failure)
    if failures:
        raise CheckFailed("\n".join(map(str, failures)), failures)
    return compared


def ways_of(seed: int, program: Program, every: bool = False) -> list[Way]:
    """How the program of a seed is built."""
    dice = random.Random(seed)
    stage, level = STAGES[seed % 3], dice.choice(LEVELS)
    ways = []
    for place in (
        [(stage, level)] if not every else [(stage, level) for stage in STAGES for level in LEVELS]
    ):
        for mode in modes_of(place[0]):
            # A forked child of many threads may not throw in a static program: libgcc's unwinder
            # may have been locked.
            link = dice.choice(LINKS)
            link = "" if link == "-static" and {"threads", "park"} & program.kinds else link
            ways.append(Way(mode, *place, link, dice.random() < 0.5 or "lto" in link))
    return ways


def check(seed: int, every: bool = False, reduces: bool = False) -> str:
    """Checks the program of one seed."""
    program = random_lives.make(seed)
    home = KEPT / str(seed)
    ways = ways_of(seed, program, every)
    try:
        compared = check_ways(home, program, ways)
    except CheckFailed as failure:
        if reduces and len(failure.args) > 1:
            for one in failure.args[1]:
                print(reduced(seed, program, one), flush=True)
        raise CheckFailed(f"kept in {home}:\n{failure.args[0]}") from None
    shutil.rmtree(home)
    return f"{compared} numbers, {len(ways)} builds"


def reduced(seed: int, program: Program, failure: Failed) -> str:
    """The smallest program found that fails as this one does."""
    home = KEPT / f"{seed}.reduced"

    def fails(candidate: Program) -> bool:
        try:
            check_ways(home, candidate, [failure.way])
        except CheckFailed as other:
            return len(other.args) > 1 and bool(failure.kinds & other.args[1][0].kinds)
        return False

    small = random_lives.minimal(program, fails)
    try:
        check_ways(home, small, [failure.way])
    except CheckFailed as told:
        text = (home / f"program{small.suffix}").read_text()
        return f"----- seed {seed}: {told.args[0]}\n{text}-----"
    return f"----- seed {seed}: {failure}: does not fail again"


def main() -> int:
    build_tools()
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--all", action="store_true", help="both stages and every level for each program"
    )
    parser.add_argument("--reduce", action="store_true", help="make programs that fail smaller")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    return random_programs.roll(
        __doc__.splitlines()[0], lambda seed: check(seed, options.all, options.reduce)
    )


if __name__ == "__main__":
    sys.exit(main())
