"""What the benchmark of traces builds and runs: kernels with threads, and programs of Debian."""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.costs import HOME, fresh_directory, pinned_to
from tests.bench.workloads import WORK, build_zstd, configured
from tests.real import sources
from tests.real.parallel import KERNELS, Kernel, compile_kernel
from tests.real.programs import Build, make
from tests.real.tools import CLANG, PATHCC, CheckFailed, environment, run
from tests.real.ways import ELISIONS, without

BASE = "clang"
CONTROL = "control flow"
MEMORY = "memory"
CALLBACKS = "callbacks"
TRACE = "-fpath-mode=trace"

# The flags of each way to build, by its name in the tables. All but two are pathcc's.
WAYS = {
    BASE: "",
    "counters": "-fpath-mode=paths",
    CONTROL: f"{TRACE} -fpath-trace=control-flow",
    MEMORY: TRACE,
    "all memory": f"{TRACE} -fpath-trace=all-memory",
    **{f"no {name}": f"{TRACE} {without(name)}" for name in ELISIONS},
    CALLBACKS: "-fsanitize-coverage=bb,trace-pc-guard,trace-loads,trace-stores",
}
TRACED = [way for way, flags in WAYS.items() if TRACE in flags]

# Where traces go: in memory, so that no disk is measured.
TRACES = Path("/dev/shm") / f"pathcc-bench-{os.getpid()}"


@dataclass(frozen=True)
class Ran:
    """What one run took: seconds elapsed, and of processors in the program and in the kernel, and
    its memory.
    """

    elapsed: float
    user: float
    system: float
    # The peak of its largest process, in bytes.
    memory: int

    @property
    def cpu(self) -> float:
        return self.user + self.system


@dataclass(frozen=True)
class Threaded:
    """A program with threads: how it is built in a tree of its own, and its command line.

    The command is made of the tree, the number of threads, and whether the work is short.
    """

    name: str
    build: Callable[[Path, str], None]
    command: Callable[[Path, int, bool], list[str]]
    package: str | None = None
    ways: tuple[str, ...] = tuple(WAYS)


def compiler(way: str) -> str:
    return CLANG if way in (BASE, CALLBACKS) else str(PATHCC)


def of_kernel(kernel: Kernel) -> Threaded:
    def build(tree: Path, way: str) -> None:
        flags = ["-O2", *WAYS[way].split()]
        if way == CALLBACKS:
            run([CLANG, "-O2", "-c", WORK / "callbacks.c", "-o", "callbacks.o"], tree)
            flags.append("callbacks.o")
        compile_kernel(kernel, compiler(way), flags, tree / kernel.name)

    def command(tree: Path, threads: int, short: bool) -> list[str]:
        size = kernel.middle if short else kernel.large
        return [str(tree / kernel.name), str(threads), str(size)]

    return Threaded(kernel.name, build, command)


def build_pigz(tree: Path, cc: str, flags: str) -> None:
    make(tree, "pigz", f"CC={cc}", f"CFLAGS={flags}", "LDFLAGS=")


def of_package(
    name: str, package: str, build: Build, command: Callable[[str, bool], list[str]]
) -> Threaded:
    def build_way(tree: Path, way: str) -> None:
        shutil.copytree(sources.fetch([package])[package], tree, symlinks=True, dirs_exist_ok=True)
        build(tree, f"{compiler(way)} {WAYS[way]}".rstrip(), "-O2 -g")

    def with_tree(tree: Path, threads: int, short: bool) -> list[str]:
        image, *words = command(str(threads), short)
        return [str(tree / image), *words]

    # The callbacks would have to be linked into everything that its own build files make.
    ways = (BASE, "counters", CONTROL, MEMORY)
    return Threaded(name, build_way, with_tree, package, ways)


def text_of(short: bool) -> str:
    """What is compressed."""
    text = HOME / ("text.small" if short else "text")
    if not text.exists():
        tree = sources.fetch(["libzstd"])["libzstd"]
        parts = sorted((tree / "lib").rglob("*.[ch]"))
        content = b"".join(file.read_bytes() for file in parts)
        text.write_bytes(content[:400_000] if short else content)
    return str(text)


# What x264 would use if it is installed.
X264_LIBRARIES = ("avs", "swscale", "lavf", "ffms", "gpac", "lsmash", "opencl")


def film_of(short: bool) -> str:
    """What is encoded: stripes that move over a still texture, in 352 columns and 288 rows."""
    film = HOME / ("film.small.y4m" if short else "film.y4m")
    if not film.exists():
        width, height = 352, 288
        draw = random.Random(1)
        texture = bytes(draw.randrange(64, 96) for _ in range(width * height))
        grey = bytes([128]) * (width * height // 2)
        content = bytearray(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420\n".encode())
        for frame in range(4 if short else 50):
            ramp = bytes(((column + 3 * frame) // 8 % 2) * 80 for column in range(width))
            stripes = b"".join(ramp[row % 32 :] + ramp[: row % 32] for row in range(height))
            luma = bytes(a + b for a, b in zip(texture, stripes, strict=True))
            content += b"FRAME\n" + luma + grey
        film.write_bytes(content)
    return str(film)


def programs() -> list[Threaded]:
    """Everything, kernels first."""
    options = ("--disable-shared", "--disable-nls", "--disable-scripts", "--disable-doc")
    return [
        *map(of_kernel, KERNELS),
        of_package(
            "pigz",
            "pigz",
            build_pigz,
            lambda threads, short: ["pigz", "-6", "-p", threads, "-k", "-c", text_of(short)],
        ),
        of_package(
            "zstd",
            "libzstd",
            build_zstd,
            lambda threads, short: ["programs/zstd", "-3", f"-T{threads}", "-c", text_of(short)],
        ),
        of_package(
            "xz",
            "xz-utils",
            configured(*options),
            lambda threads, short: [
                "src/xz/xz",
                "-0",
                f"-T{threads}",
                "--block-size=128KiB",
                "-c",
                text_of(short),
            ],
        ),
        of_package(
            "x264",
            "x264",
            configured(
                "--disable-asm",
                "--bit-depth=8",
                "--chroma-format=420",
                *(f"--disable-{library}" for library in X264_LIBRARIES),
                target="x264",
            ),
            lambda threads, short: [
                "x264",
                "--preset=veryfast",
                f"--threads={threads}",
                "--output=/dev/null",
                film_of(short),
            ],
        ),
    ]


def build_all(program: Threaded, ways: list[str]) -> dict[str, Path]:
    """The built trees by way."""
    trees = {}
    for number, way in enumerate(way for way in ways if way in program.ways):
        tree = fresh_directory(HOME / program.name / str(number))
        program.build(tree, way)
        trees[way] = tree
    return trees


def run_pinned(command: list[str], threads: int, prefix: tuple[str, ...] = ()) -> Ran:
    """Runs a command on as many processors as it has threads; profiles go to `TRACES`."""
    fresh_directory(TRACES)
    return run_watched([*prefix, *command], TRACES, threads)


def run_watched(command: Sequence[object], cwd: Path, threads: int) -> Ran:
    """Runs a command on as many processors; profiles go to `TRACES`."""
    pinned = [*pinned_to(threads), *map(str, command)]
    env = environment(PATHCC_PROFILE=f"{TRACES}/%e.pathprof")
    start = time.perf_counter()
    child = subprocess.Popen(
        pinned, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd
    )
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise CheckFailed(f"`{' '.join(pinned)}` failed with status {child.returncode}")
    return Ran(elapsed, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024)
