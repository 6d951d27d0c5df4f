"""Random C programs from csmith.

    python3 -m tests.real.csmith [--seconds N] [--count N] [--seed N]

Each program is compiled at several levels by plain clang and by pathcc, must print the same
checksum, and its counts must equal those of its block log. A program that fails is kept in
target/real/csmith and its seed is printed.
"""

import shutil
import sys
from pathlib import Path

from tests.real import oracle_log, random_programs
from tests.real.build import build, difference, work
from tests.real.programs import Program, Step
from tests.real.tools import CLANG, SCRATCH, CheckFailed, attempt, build_tools, run
from tests.real.ways import TECHNIQUES, without

KEPT = SCRATCH / "csmith"
LEVELS = ["-O0", "-O1", "-O2", "-O3"]

# What `make test-all` checks: fixed, so that a change of ours and not of the dice makes it fail.
SEEDS = range(1, 21)

# A program that runs longer in plain clang's -O0 build is passed over: its log would be too long.
LONGEST_RUN = 0.4

# Moderate sizes; csmith's defaults make programs that rarely reach most of their code.
OPTIONS = ["--max-funcs", "6", "--max-block-depth", "4", "--max-expr-complexity", "8", "--no-argc"]


def compile_with(tree: Path, cc: str, flags: str) -> None:
    shutil.copy(tree.parent / "program.c", tree)
    run(
        [*cc.split(), *flags.split(), "-w", "-I/usr/include/csmith", "program.c", "-o", "program"],
        tree,
    )


PROGRAM = Program("csmith", compile_with, ["program"], {"small": lambda tree: [Step(["@program"])]})


def is_suitable(home: Path) -> bool:
    """Whether the program ends soon; many random programs never do."""
    trial = home / "trial"
    run([CLANG, "-O0", "-w", "-I/usr/include/csmith", "program.c", "-o", trial], home)
    try:
        return attempt([trial], home, seconds=LONGEST_RUN).status == 0
    except CheckFailed:
        return False


def check(seed: int, levels: list[str] = LEVELS) -> str:
    """Checks the program of one seed at every level."""
    home = KEPT / str(seed)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    run(["csmith", "--seed", str(seed), *OPTIONS, "--output", home / "program.c"], home)
    if not is_suitable(home):
        shutil.rmtree(home)
        return f"{random_programs.PASSED_OVER}: it runs too long"
    found = []
    for level in levels:
        try:
            less = f"{left_out(seed, level)} -fpath-stage={stage_of(seed, level)}"
            found.append(check_level(home, f"-g {level}", less))
        except CheckFailed as failure:
            raise CheckFailed(f"{level}, kept in {home}: {failure}") from None
    shutil.rmtree(home)
    return "; ".join(found)


def left_out(seed: int, level: str) -> str:
    """What pathcc is told to do without: nothing at -O0 and -O2, else those techniques whose bits
    the seed has.

    So every combination is met.
    """
    bits = seed * 37 % 2 ** len(TECHNIQUES) if level in ("-O1", "-O3") else 0
    return without(*(name for bit, name in enumerate(TECHNIQUES) if bits >> bit & 1))


def stage_of(seed: int, level: str) -> str:
    """The stage at which a level counts: of each program, two levels at each."""
    return ("late", "machine")[(seed + LEVELS.index(level)) % 2]


def check_level(home: Path, flags: str, less: str) -> str:
    plain = build(PROGRAM, None, "plain", flags, home)
    # The log has the same paths only if it is made with the same techniques.
    flags = f"{flags} {less}"
    paths = build(PROGRAM, None, "paths", flags, home)
    steps = PROGRAM.work["small"](plain)
    expected = work(PROGRAM, plain, steps, home / "plain.profiles")
    got = work(PROGRAM, paths, steps, home / "paths.profiles")
    differs = difference(steps, expected, got)
    if differs:
        raise CheckFailed(differs)
    log = build(PROGRAM, None, "log", flags, home)
    compared = oracle_log.compare_builds(PROGRAM, paths, log, steps)
    if compared.differences:
        raise CheckFailed(compared.text)
    return f"{compared.paths} paths, {compared.blocks} blocks"


def main() -> int:
    build_tools()
    return random_programs.roll(__doc__.splitlines()[0], check)


if __name__ == "__main__":
    sys.exit(main())
