"""The programs of examples/parallel: however they are compiled, they print what they should.

That is what plain clang's build prints with one thread. A trace tells how many paths ran and what
they accessed; each thread's must be whole.
"""

import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tests.real import races
from tests.real.tools import CLANG, PATHCC, PATHPROF, ROOT, SCRATCH, CheckFailed, environment, run

PLACE = ROOT / "examples/parallel"

OPENMP = "-fopenmp"
THREADS = (1, 3)
WAYS = {
    "plain": (),
    "paths": ("-fpath-mode=paths",),
    "trace": ("-fpath-mode=trace",),
}
HEADING = re.compile(r"([\d,]+) paths with ([\d,]+) accesses")
EACH = re.compile(r"used: ([\d.]+) for each path(?: and ([\d.]+) for each access)?")


@dataclass(frozen=True)
class Kernel:
    """A program, and the sizes of its work: for tests, and for two kinds of measurements."""

    name: str
    small: int
    middle: int
    large: int
    openmp: bool = True
    suffix: str = ".c"

    @property
    def source(self) -> Path:
        return PLACE / f"{self.name}{self.suffix}"


KERNELS = [
    Kernel("barnes_hut", 200, 500, 8000),
    Kernel("dedup", 64, 512, 8192, openmp=False),
    Kernel("fft", 5, 8, 10),
    Kernel("fibonacci", 18, 29, 36),
    Kernel("lu", 60, 200, 900),
    Kernel("nbody", 60, 400, 1500),
    Kernel("ocean", 40, 150, 600),
    Kernel("radix", 5000, 200000, 3000000),
    Kernel("streamcluster", 300, 4000, 40000, openmp=False, suffix=".cpp"),
]


@dataclass(frozen=True)
class Told:
    """What `pathprof trace info` tells of a trace."""

    paths: int
    accesses: int
    # All bytes that were used of its chunks, and those of each path and of each access.
    used: int
    each: tuple[float, float]
    # By stream.
    streams: list[dict] = field(default_factory=list)


def told_of(trace: Path) -> Told:
    """Reads a trace; nothing in it may be missing."""
    command = [PATHPROF, "trace", "info", "--format", "json", "--top", "0", trace]
    told = json.loads(run(command, trace.parent))
    heading = {line["label"]: line["text"] for line in told["heading"]}
    found = HEADING.match(heading["paths"])
    if found is None:
        raise CheckFailed(f"the heading tells no paths: {heading['paths']}")
    paths, accesses = (int(number.replace(",", "")) for number in found.groups())
    parts = EACH.search(heading["bytes"])
    if parts is None:
        raise CheckFailed(f"the heading tells no bytes: {heading['bytes']}")
    each = (float(parts[1]), float(parts[2] or 0))
    (streams,) = (table["rows"] for table in told["tables"] if table["name"] == "streams")
    gaps = sum(stream["gaps"] for stream in streams)
    if gaps:
        raise CheckFailed(f"{trace.name} has {gaps} gaps")
    return Told(paths, accesses, sum(stream["bytes"] for stream in streams), each, streams)


def check_order(trace: Path, threads: int) -> None:
    """Nothing races in a kernel, and its task graph has all threads and one critical path."""
    if told := races.rows(trace):
        raise CheckFailed(f"with {threads} threads races are told: {told[:3]}")
    command = [PATHPROF, "trace", "graph", "--format", "json", trace]
    graph = json.loads(run(command, trace.parent))
    for measure in ("instructions", "time"):
        work, span = graph[measure]["work"], graph[measure]["span"]
        if not 0 < span <= work:
            raise CheckFailed(
                f"with {threads} threads the {measure} of {work} has a span of {span}"
            )
    if len(graph["threads"]) < threads or graph["missing"]:
        raise CheckFailed(f"{len(graph['threads'])} of {threads} threads are in the task graph")


def compile_kernel(kernel: Kernel, compiler: str, flags: list[str], image: Path) -> None:
    """Compiles a kernel with a compiler of C; C++ is compiled by the one that belongs to it."""
    plus_plus = {CLANG: "clang++-22", str(PATHCC): str(PATHCC.with_name("pathc++"))}
    is_cxx = kernel.suffix == ".cpp"
    command = [
        plus_plus[compiler] if is_cxx else compiler,
        "-std=c++17" if is_cxx else "-std=gnu11",
        "-g",
        *flags,
        kernel.source,
        "-o",
        image,
        "-pthread",
        "-lm",
    ]
    run(command, image.parent)


def check(kernel: Kernel, level: str) -> str:
    """All builds of a kernel at one level, with one thread and with three."""
    home = SCRATCH / "build" / f"parallel-{kernel.name}{level}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    expected: bytes = b""
    paths = accesses = runs = 0
    for flags in ([], [OPENMP]) if kernel.openmp else ([],):
        for way, words in WAYS.items():
            image = home / f"{kernel.name}.{way}"
            compiler = CLANG if way == "plain" else str(PATHCC)
            compile_kernel(kernel, compiler, [level, *flags, *words], image)
            for threads in THREADS:
                out = run_kernel(kernel, image, threads, home / "profiles")
                expected = expected or out
                runs += 1
                if out != expected:
                    what = f"{' '.join([way, *flags])} with {threads} threads"
                    raise CheckFailed(f"{what} prints {out!r} instead of {expected!r}")
                if way == "trace":
                    trace = only_trace(home / "profiles", threads)
                    told = told_of(trace)
                    check_order(trace, threads)
                    paths += told.paths
                    accesses += told.accesses
    if b"WRONG" in expected or b"NOT" in expected or b"LOST" in expected:
        raise CheckFailed(f"the kernel's own check fails: {expected!r}")
    if paths == 0 or accesses == 0:
        raise CheckFailed("nothing was traced")
    shutil.rmtree(home)
    return f"{runs} runs print the same; {paths} paths and {accesses} accesses are traced"


def run_kernel(kernel: Kernel, image: Path, threads: int, profiles: Path) -> bytes:
    """Runs the small work of a kernel; what it prints."""
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    env = environment(PATHCC_PROFILE=f"{profiles}/%e.pathprof")
    return run([image, str(threads), str(kernel.small)], profiles, env=env)


def only_trace(profiles: Path, threads: int) -> Path:
    traces = list(profiles.glob("*.pathtrace"))
    if len(traces) != 1:
        raise CheckFailed(f"a run with {threads} threads left {len(traces)} traces")
    return traces[0]
