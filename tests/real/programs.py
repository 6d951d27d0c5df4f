"""The real programs: how each is built with its own build files, and what work it does."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.tools import ROOT, environment, run

WORK = Path(__file__).parent / "work"


@dataclass(frozen=True)
class Step:
    """One run of a program. A word of `argv` that starts with `@` is a file of the built tree."""

    argv: list[str]
    stdin: Path | bytes = b""


# Builds a tree: where it is, the compiler and its flags.
Build = Callable[[Path, str, str], None]


@dataclass(frozen=True)
class Program:
    """A program, how it is built in place, and the instrumented files that result."""

    name: str
    build: Build
    images: list[str]
    # Work by size: "small" is for the oracles, "calm" for those that need every function to return,
    # "big" for output.
    work: dict[str, Callable[[Path], list[Step]]]
    package: str | None = None
    levels: list[str] = field(default_factory=lambda: ["-O0", "-O2", "-O3"])
    # Directory, relative to the tree, that the loader needs for shared libraries.
    library_path: str | None = None
    # How many functions, lines and branches the coverage oracle must at least compare.
    least_compared: tuple[int, int, int] = (1, 4, 1)
    # Whether compiling it takes minutes. Its paths beyond the limit are checked at -O0 alone.
    is_large: bool = False

    @property
    def calm(self) -> Callable[[Path], list[Step]]:
        """Work in which every function returns, for the checks that need it."""
        return self.work["calm" if "calm" in self.work else "small"]


def make(tree: Path, *arguments: str) -> None:
    run(["make", *arguments], tree)


# Lua takes three things that vary from run to run from its environment: the seed of its string
# hash, the pivot of long sorts, and the addresses of C strings, which index a cache. Its build
# system has macros for all three.
LUA_FIXED = "-Dluai_makeseed(L)=42u -Dl_randomizePivot()=7u -DSTRCACHE_N=1 -DSTRCACHE_M=2"


def build_lua(tree: Path, cc: str, flags: str) -> None:
    quoted = " ".join(f"'{flag}'" for flag in LUA_FIXED.split(" "))
    make(tree, "linux", f"CC={cc}", f"MYCFLAGS={flags} {quoted}")


def lua(size: int, *words: str) -> Callable[[Path], list[Step]]:
    return lambda tree: [Step(["@src/lua", str(WORK / "work.lua"), str(size), *words])]


def build_bzip2(tree: Path, cc: str, flags: str) -> None:
    make(tree, "bzip2", f"CC={cc}", f"CFLAGS={flags} -D_FILE_OFFSET_BITS=64")


def bzip2(inputs: list[tuple[str, str]]) -> Callable[[Path], list[Step]]:
    """Compresses, tests, lists and expands each (file, level)."""

    def steps(tree: Path) -> list[Step]:
        steps = []
        for number, (name, level) in enumerate(inputs):
            packed = f"{number}.bz2"
            steps += [
                Step(["/bin/cp", f"@{name}", str(number)]),
                Step(["@bzip2", level, "--keep", str(number)]),
                Step(["@bzip2", "--test", "--verbose", packed]),
                Step(["@bzip2", "--decompress", "--stdout", packed]),
                Step(["@bzip2", "--decompress", "--small", "--stdout", packed]),
            ]
        return steps

    return steps


def build_zlib(tree: Path, cc: str, flags: str) -> None:
    run(["./configure"], tree, env=environment(CC=cc, CFLAGS=flags))
    make(tree, "all")


def zlib(inputs: list[tuple[str, str]], tests: bool) -> Callable[[Path], list[Step]]:
    """The package's own test program and compression of each (file, level), static and with the
    shared library.
    """

    def steps(tree: Path) -> list[Step]:
        steps = []
        if tests:
            steps += [Step(["@example", "static.gz"]), Step(["@examplesh", "shared.gz"])]
        for name, level in inputs:
            steps.append(Step(["@minigzip", level], tree / name))
            copy = f"{Path(name).name}{level}"
            steps += [
                Step(["/bin/cp", f"@{name}", copy]),
                Step(["@minigzipsh", level, copy]),
                Step(["@minigzipsh", "-d", f"{copy}.gz"]),
            ]
        return steps

    return steps


def build_sqlite(tree: Path, cc: str, flags: str) -> None:
    # A shared library would compile the 230,000 lines twice; zlib covers shared libraries.
    options = ["--disable-shared", "--disable-tcl", "--disable-readline"]
    run(["./configure", *options], tree, env=environment(CC=cc, CFLAGS=flags))
    make(tree, "sqlite3")


def sqlite(size: int, database: str) -> Callable[[Path], list[Step]]:
    script = (WORK / "work.sql").read_text().replace("SIZE", str(size)).encode()
    return lambda tree: [Step(["@sqlite3", "-batch", database], script)]


def kernel(
    name: str, small: int, middle: int, least_compared: tuple[int, int, int] = (1, 4, 1)
) -> Program:
    source = ROOT / "examples/kernels" / f"{name}.c"

    def build(tree: Path, cc: str, flags: str) -> None:
        shutil.copy(source, tree)
        run([*cc.split(), *flags.split(), f"{name}.c", "-o", name, "-lm"], tree)

    def size(number: int) -> Callable[[Path], list[Step]]:
        return lambda tree: [Step([f"@{name}", str(number)])]

    work = {"small": size(small), "calm": size(small), "big": size(middle)}
    return Program(name, build, [name], work, least_compared=least_compared)


PROGRAMS = [
    Program(
        "lua",
        build_lua,
        ["src/lua"],
        {"small": lua(5), "calm": lua(5, "calm"), "big": lua(2000)},
        package="lua5.4",
        least_compared=(500, 2000, 300),
    ),
    Program(
        "bzip2",
        build_bzip2,
        ["bzip2"],
        {
            "small": bzip2([("crctable.c", "-1"), ("spewG.c", "-9")]),
            "calm": bzip2([("crctable.c", "-1"), ("spewG.c", "-9")]),
            "big": bzip2([("manual.ps", "-9"), ("manual.pdf", "-2"), ("bzip2.c", "-5")]),
        },
        package="bzip2",
        least_compared=(50, 500, 100),
    ),
    Program(
        "zlib",
        build_zlib,
        ["example", "examplesh", "minigzip", "minigzipsh", "libz.so.1.2.13"],
        {
            "small": zlib([("zutil.c", "-9"), ("adler32.c", "-1")], tests=True),
            "calm": zlib([("zutil.c", "-9"), ("adler32.c", "-1")], tests=True),
            "big": zlib(
                [("deflate.c", "-9"), ("zlib.3.pdf", "-6"), ("ChangeLog", "-1")], tests=True
            ),
        },
        package="zlib",
        least_compared=(80, 500, 100),
        library_path=".",
    ),
    Program(
        "sqlite",
        build_sqlite,
        ["sqlite3"],
        {
            "small": sqlite(60, ":memory:"),
            "calm": sqlite(60, ":memory:"),
            "big": sqlite(20000, "work.db"),
        },
        package="sqlite3",
        # One file of 240,000 lines takes minutes at each level and in each of ten ways.
        levels=["-O0", "-O2"],
        is_large=True,
        least_compared=(1000, 5000, 1000),
    ),
]

# Kernel, size for the oracles (at most a few million blocks), size for output.
KERNELS = [
    kernel("collatz", 500, 300000),
    kernel("fft", 1, 20),
    kernel("heap", 1000, 100000),
    kernel("huffman", 1500, 500000),
    kernel("lu", 30, 500),
    kernel("match", 5000, 5000000),
    kernel("matmul", 24, 300),
    kernel("parser", 60, 4000),
    kernel("queens", 6, 10),
    # Most of its lines have several blocks, or a call behind which they go on.
    kernel("recursion", 7, 25, least_compared=(1, 1, 1)),
    kernel("rows", 8, 60),
    kernel("rscode", 3, 3000),
    kernel("search", 50000, 20000000),
    kernel("sieve", 3000, 1000000),
    kernel("simplex", 2, 100),
    kernel("sort", 2000, 500000),
    kernel("tree", 1000, 200000),
    kernel("wavelet", 1, 20),
    kernel("words", 15000, 10000000),
]
