"""A trace with all elisions tells what a trace without any tells, event by event.

Each program is built with all elisions, without each of them, and without any, and all run at the
same addresses: every path, every access and every address must be the same. Elisions are what a
trace leaves out since it can be computed. Real programs are built with all of them and without any.
"""

import itertools
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.real import csmith, random_programs, sources
from tests.real.parallel import Kernel
from tests.real.programs import Program, make
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


def is_on_stack(address: int | None) -> bool:
    return address is not None and address >= STACK


def steps(trace: Path) -> Iterator[bytes]:
    """What a trace tells of each path, from its frame on: before it stands the thread, whose number
    differs from run to run. Events have no frame and are left out.
    """
    for line in steps_of(trace).splitlines():
        step = line.partition(b',"frame":')[2]
        if step:
            yield step


def told(step: bytes) -> tuple[str, list[int], int, list[object]]:
    """What has to be the same of a path: its function, its blocks, its frame and its accesses."""
    path = json.loads(b'{"frame":' + step)
    accesses = [access[:2] if is_on_stack(access[2]) else access for access in path["accesses"]]
    return (path["function"], path["blocks"], path["frame"], accesses)


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
    expected = list(steps(traces["none"]))
    for name in WITHOUT:
        paths, accesses = agree(traces[name], name, expected)
    return summary(paths, accesses, bytes_of(traces["all"]), bytes_of(traces["none"]))


def agree(trace: Path, name: str, expected: Iterable[bytes]) -> tuple[int, int]:
    """Compares a trace with what the one without elisions tells; says how many paths and accesses
    they have.
    """
    paths = accesses = 0
    for found, step in itertools.zip_longest(steps(trace), expected, fillvalue=b""):
        # Few steps have an address on the stack. The others are equal without parsing.
        if found != step and not (found and step and told(found) == told(step)):
            raise CheckFailed(f"step {paths} is {found!r} ({name}) instead of {step!r}")
        paths += 1
        # Each access is a list that begins with a word.
        accesses += step.count(b'["')
    return paths, accesses


def summary(paths: int, accesses: int, recorded: int, without: int) -> str:
    share = 100 * recorded / max(without, 1)
    return f"{paths} paths with {accesses} accesses, {share:.0f} % of the bytes"


def bytes_of(trace: Path) -> int:
    """How many bytes the records of a trace take."""
    told = json.loads(run([PATHPROF, "trace", "info", "--format", "json", trace], trace.parent))
    return sum(int(stream["bytes"]) for stream in told["tables"][0]["rows"])


def build_static_zlib(tree: Path, cc: str, flags: str) -> None:
    """A shared library is not at the same address if its code has another length."""
    run(["./configure", "--static"], tree, env=environment(CC=cc, CFLAGS=flags))
    make(tree, "example", "minigzip")


# How programs are built here, where that is not as elsewhere.
BUILDS = {"zlib": build_static_zlib}


def check_program(program: Program, level: str, home: Path) -> str:
    """Each run of a real program's small work that needs no shared library of its own."""
    build = BUILDS.get(program.name, program.build)
    source = sources.fetch([program.package])[program.package] if program.package else home
    runs: dict[str, list[Path]] = {}
    for name in ("all", "none"):
        tree = home / name.ljust(LONGEST_NAME, "_")
        shutil.copytree(source, tree, symlinks=True)
        words = WITHOUT[name]
        options = ["-mllvm", f"-pathcc-without={words}"] if words else []
        build(tree, " ".join([str(PATHCC), "-fpath-mode=trace", *FIXED, *options]), f"-w {level}")
        runs[name] = traces_of(program, tree)
    paths = accesses = 0
    for trace, without in zip(runs["all"], runs["none"], strict=True):
        more = agree(trace, "all", steps(without))
        paths, accesses = paths + more[0], accesses + more[1]
    sizes = [sum(map(bytes_of, runs[name])) for name in ("all", "none")]
    return f"{len(runs['all'])} runs: {summary(paths, accesses, *sizes)}"


def traces_of(program: Program, tree: Path) -> list[Path]:
    """The traces of a program's small work, at fixed addresses."""
    place = tree / "work"
    place.mkdir()
    found = []
    for number, step in enumerate(program.work["small"](tree)):
        is_ours = step.argv[0].startswith("@")
        if is_ours and not (tree / step.argv[0][1:]).exists():
            continue
        folder = tree / f"traces{number:02}"
        folder.mkdir()
        words = [str(tree / word[1:]) if word.startswith("@") else word for word in step.argv]
        stdin = step.stdin if isinstance(step.stdin, bytes) else step.stdin.read_bytes()
        env = environment(PATHCC_PROFILE=str(folder))
        run(["setarch", "-R", *words] if is_ours else words, place, stdin=stdin, env=env)
        if is_ours:
            found.append(only(list(folder.glob("*.pathtrace")), "traces"))
    return found


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
