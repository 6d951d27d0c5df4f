"""A trace with all elisions tells what a trace without any tells, event by event.

Each program is built with all elisions, without each of them, and without any, and all run at the
same addresses: every path, every access and every address must be the same. Elisions are what a
trace leaves out since it can be computed.
"""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

from tests.real import csmith, random_programs
from tests.real.parallel import Kernel
from tests.real.programs import Program
from tests.real.tools import PATHCC, PATHPROF, ROOT, CheckFailed, environment, run
from tests.real.traces import only, steps_of
from tests.real.ways import ELISIONS

# What is left out of each build, by its name.
WITHOUT = {"all": "", **{name: name for name in ELISIONS}, "none": ",".join(ELISIONS)}
# Random programs that are checked: fixed, as in csmith.py.
SEEDS = range(1, 13)

LONGEST_NAME = max(map(len, WITHOUT))

# Code and tables of different length would move what is behind them: constants, variables, and, as
# these come last, the heap.
FIXED = (
    "-no-pie",
    "-Wl,-z,norelro",
    "-Wl,--section-start=.rodata=0x20000000",
    "-Wl,--section-start=.data.rel.ro=0x28000000",
    "-Wl,-Tdata=0x30000000",
)

# Frames are of different length, too: of what is on the stack only its line is compared. The oracle
# of traces.py compares its addresses.
STACK = 0x7FFFFFF00000


def told(trace: Path) -> Iterator[tuple[str, list[int], int, list[object]]]:
    """What a trace tells of each path."""
    for line in steps_of(trace).splitlines():
        step = json.loads(line)
        if "event" not in step:
            accesses = [access if access[2] < STACK else access[:2] for access in step["accesses"]]
            yield (step["function"], step["blocks"], step["frame"], accesses)


def trace_of(image: Path, arguments: list[str], home: Path) -> Path:
    """The trace of a run at fixed addresses."""
    command = ["setarch", "-R", image, *arguments]
    run(command, home, env=environment(PATHCC_PROFILE=str(home)))
    return only(list(home.glob("*.pathtrace")), "traces")


def compare(command: list[str | Path], arguments: list[str], home: Path) -> str:
    """Builds and runs a program in each way."""
    traces = {}
    for name, words in WITHOUT.items():
        # The stack begins below the environment, whose length has to be the same.
        folder = home / name.ljust(LONGEST_NAME, "_")
        folder.mkdir()
        options = ["-mllvm", f"-pathcc-without={words}"] if words else []
        build = [PATHCC, "-g", "-w", "-fpath-mode=trace", *FIXED, *options, *command]
        run([*build, "-o", "program", "-lm", "-pthread"], folder)
        traces[name] = trace_of(folder / "program", arguments, folder)
    expected = list(told(traces["none"]))
    for name in WITHOUT:
        steps = itertools.zip_longest(told(traces[name]), expected)
        for number, (found, step) in enumerate(steps):
            if found != step:
                raise CheckFailed(f"step {number} is {found} ({name}) instead of {step}")
    accesses = sum(len(step[-1]) for step in expected)
    recorded = [bytes_of(traces[name]) for name in ("all", "none")]
    share = 100 * recorded[0] / max(recorded[1], 1)
    return f"{len(expected)} paths with {accesses} accesses, {share:.0f} % of the bytes"


def bytes_of(trace: Path) -> int:
    """How many bytes the records of a trace take."""
    told = json.loads(run([PATHPROF, "trace", "info", "--format", "json", trace], trace.parent))
    return sum(int(stream["bytes"]) for stream in told["tables"][0]["rows"])


def check_kernel(kernel: Program, level: str, home: Path) -> str:
    """A kernel's small work."""
    (step, *_) = kernel.work["small"](home)
    source = ROOT / "examples/kernels" / f"{kernel.name}.c"
    return compare([level, source], step.argv[1:], home)


def check_parallel(kernel: Kernel, level: str, home: Path) -> str:
    """A kernel of examples/parallel with one thread."""
    language = ["-x", "c++", "-std=c++17"] if kernel.suffix == ".cpp" else ["-std=gnu11"]
    return compare(
        [level, *language, kernel.source, "-x", "none", "-lstdc++"], ["1", str(kernel.small)], home
    )


def check_random(seed: int, level: str, home: Path) -> str:
    """A random program."""
    run(["csmith", "--seed", str(seed), *csmith.OPTIONS, "--output", home / "program.c"], home)
    if not csmith.is_suitable(home):
        return f"{random_programs.PASSED_OVER}: it runs too long"
    return compare([level, "-I/usr/include/csmith", home / "program.c"], [], home)
