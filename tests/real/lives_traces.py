"""Traces of random programs that throw, jump, thread, fork and die.

    python3 -m tests.real.lives_traces [--seconds N] [--count N] [--seed N]

The programs of `lives.py` do the same in every run. Each is built for traces, at a stage and level
that depend on the seed, and must do what it does without us. Then all its traces together must tell

* of each block and each function that it ran as often as the block log says of the same graph,
* of each probe (`work/probes.c`) that it was called as often as the probe has counted itself,

however the processes and threads ended: no path is missing that ended before a death. And no trace
may say that something is missing or damaged.

A program that does not fork is also killed from outside, at any time. The probes have counted into
memory that outlives it. A path ends before the call of a probe. So each call that was counted ended
a path in the trace, and each such path but the last one of a thread was followed by its call.
"""

import json
import random
import shutil
import subprocess
import sys
import time
from array import array
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.real import random_lives, random_programs, truth
from tests.real.lives import build, compiler, live, prepare
from tests.real.random_lives import Program
from tests.real.tools import PATHPROF, SCRATCH, CheckFailed, build_tools, environment, run
from tests.real.ways import LEVELS, TRACE_LOG, TRACE_STAGES

KEPT = SCRATCH / "lives_traces"

# What `make test` checks: fixed, as in lives.py. Together they thread, fork, throw, jump and die.
SEEDS = (1, 2, 4, 5, 8, 9, 10, 15)

HOLDS = ["memory", "memory", "all-memory", "control-flow"]
LINKS = ["", "", "-fuse-ld=lld", "-static"]

# How often a program is killed, after how many seconds at most, and how many times as much work it
# has, so that it has not ended by then.
KILLS = 3
DELAY = 0.01
LONG = 1000


@dataclass
class Told:
    """What the traces of a run tell."""

    blocks: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    entries: Counter[tuple[str, str]] = field(default_factory=Counter)
    paths: int = 0


def read(home: Path) -> Told:
    """Reads the traces of a run: they are whole. A trace is empty if its process was killed when it
    had created the file and not yet given it a length; then none of its code ran."""
    told = Told()
    for trace in sorted((home / "profiles").glob("*.pathtrace")):
        if not trace.stat().st_size:
            continue
        what = ["trace", "cat", "--no-accesses", "--format", "json"]
        for line in run([PATHPROF, *what, trace], home).splitlines():
            step = json.loads(line)
            if step.get("event") in ("synchronised", "allocated"):
                continue
            if "event" in step:
                raise CheckFailed(f"{trace.name}: {step['event']}: {step['text']}")
            name = (step["unit"], step["function"])
            told.paths += 1
            told.entries[name] += step["start"] == "entry"
            told.blocks.update((*name, block) for block in step["blocks"])
    return told


def calls_of(told: Told, log: Path) -> Counter[int]:
    """How often each probe was called: as often as the blocks ran that call it. `log` is a logging
    build of the same code.
    """
    calls: Counter[int] = Counter()
    for block, probes in truth.probes_of(log).items():
        for probe in probes:
            calls[probe - random_lives.FIRST] += told.blocks[block]
    return calls


def against_log(told: Told, logged: truth.Truth) -> int:
    """Compares blocks and entries; gives how many numbers were compared."""
    blocks = Counter(
        {
            (*name, block): count
            for name, function in logged.functions.items()
            for block, count in function.block.items()
        }
    )
    entries = Counter({name: function.entries for name, function in logged.functions.items()})
    for what, found, expected in (
        ("block", told.blocks, blocks),
        ("entries of", told.entries, entries),
    ):
        for key in sorted({*found, *expected}):
            if found[key] != expected[key]:
                raise CheckFailed(
                    f"{what} {key}: the traces have {found[key]}, the log has {expected[key]}"
                )
    return len(blocks) + len(entries)


def against_probes(calls: Counter[int], probes: list[int]) -> int:
    """Compares calls of probes; gives how many numbers were compared."""
    for probe, count in enumerate(probes):
        if calls[probe] != count:
            raise CheckFailed(
                f"p{random_lives.FIRST + probe} was called {count} times, and the traces have "
                f"{calls[probe]}"
            )
    return sum(count > 0 for count in probes)


def against_killed(calls: Counter[int], probes: list[int], threads: int) -> int:
    """Compares calls of probes up to a death that came from outside."""
    behind = 0
    for probe, count in enumerate(probes):
        behind += calls[probe] - count
        if calls[probe] < count:
            raise CheckFailed(
                f"p{random_lives.FIRST + probe} was called {count} times before the death, and the "
                f"trace has {calls[probe]}"
            )
    if behind > threads:
        raise CheckFailed(f"{behind} paths of {threads} threads have ended ahead of a call")
    return sum(count > 0 for count in probes)


def most_threads(program: Program) -> int:
    """How many threads may be alive at once."""
    parked = [deed.numbers[2] for deed in program.deeds if deed.kind == "park"]
    others = [deed.numbers[2] for deed in program.deeds if deed.kind == "threads"]
    return 1 + sum(parked) + max(others, default=0)


def kill(home: Path) -> list[int]:
    """Runs the program, and kills it at some time; gives what the probes have counted."""
    profiles = home / "profiles"
    shutil.rmtree(profiles)
    profiles.mkdir()
    (home / "truth").unlink(missing_ok=True)
    env = environment(PATHCC_PROFILE=f"{profiles}/%p.pathprof", TRUTH=str(home / "truth"))
    quiet = subprocess.DEVNULL
    with subprocess.Popen(["./program"], cwd=home, env=env, stdout=quiet, stderr=quiet) as killed:
        time.sleep(random.uniform(0, DELAY))
        killed.kill()
    counted = home / "truth"
    return array("q", counted.read_bytes()).tolist() if counted.exists() else []


@dataclass(frozen=True)
class Way:
    """How a program is built for traces."""

    trace: str
    code: str
    link: str

    @property
    def flags(self) -> str:
        return f"-fpath-mode=trace {self.trace} {self.code} {self.link}"


def way_of(seed: int, program: Program) -> Way:
    """How the program of a seed is built."""
    dice = random.Random(seed)
    code = f"-fpath-stage={TRACE_STAGES[seed % 2]} {dice.choice(LEVELS)}"
    link = dice.choice(LINKS)
    if link == "-static" and {"threads", "park"} & program.kinds:
        link = ""
    return Way(f"-fpath-trace={dice.choice(HOLDS)}", code, link)


def check_lives(home: Path, program: Program, way: Way) -> tuple[int, int]:
    """Checks what a program does by itself; gives how many numbers of paths were compared."""
    compared = paths = 0
    for probes in ("-DNO_PROBES", ""):
        plain = live(home, program, compiler(program, False), f"-O1 {probes}")
        logged = live(home, program, compiler(program, True), f"{TRACE_LOG} {way.code} {probes}")
        logging = (home / "program").rename(home / "logging")
        log = truth.read_logs(logging, sorted(logged.profiles.glob("*.pathlog")))
        traced = live(home, program, compiler(program, True), f"{way.flags} {probes}")
        if traced.outcome != plain.outcome or traced.probes != plain.probes:
            raise CheckFailed(f"was {plain.outcome}, is {traced.outcome}")
        told = read(home)
        compared += against_log(told, log)
        if not probes:
            compared += against_probes(calls_of(told, logging), traced.probes)
        paths += told.paths
    return compared, paths


def check_deaths(home: Path, program: Program, way: Way) -> tuple[int, int]:
    """Kills a program; gives how many numbers of paths were compared."""
    long = f"-DLONG={LONG}"
    build(home, program, compiler(program, True), f"{TRACE_LOG} {way.code} {long}")
    logging = (home / "program").rename(home / "logging")
    build(home, program, compiler(program, True), f"{way.flags} {long}")
    compared = paths = 0
    for _ in range(KILLS):
        counted = kill(home)
        told = read(home)
        compared += against_killed(calls_of(told, logging), counted, most_threads(program))
        paths += told.paths
    return compared, paths


def check(seed: int) -> str:
    """Checks the program of one seed."""
    program, home = random_lives.make(seed), KEPT / str(seed)
    way = way_of(seed, program)
    prepare(home, program)
    try:
        compared, paths = check_lives(home, program, way)
        text = f"{compared} numbers of {paths} paths"
        if not {"fork", "child"} & program.kinds:
            compared, paths = check_deaths(home, program, way)
            text += f"; {compared} of {paths} up to {KILLS} deaths"
    except CheckFailed as failure:
        raise CheckFailed(f"{way.flags}: {failure}; kept in {home}") from None
    shutil.rmtree(home)
    return text


def main() -> int:
    build_tools()
    return random_programs.roll(__doc__.splitlines()[0], check)


if __name__ == "__main__":
    sys.exit(main())
