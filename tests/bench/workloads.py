"""What is measured, with about a second of work for each program.

It is the programs of the tests, more real programs and CPython.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.real import programs
from tests.real.programs import KERNELS, PROGRAMS, Build, Program, Step, make
from tests.real.tools import ROOT, environment, run

WORK = Path(__file__).parent / "work"


@dataclass(frozen=True)
class Workload:
    """A program and its work, which is given the built tree and a large text file.

    Beside the text is a small one, `text.small`.
    """

    program: Program
    steps: Callable[[Path, Path], list[Step]]
    # "real", "large", "kernel" or "python": what it is averaged with.
    group: str = "real"

    @property
    def name(self) -> str:
        return self.program.name


def short_steps(workload: Workload, tree: Path, text: Path) -> list[Step]:
    """The work that valgrind watches. A kernel's own is long under it, and shorter work executes
    the same loops.
    """
    short = workload.program.work.get("big") if workload.group == "kernel" else None
    return short(tree) if short else workload.steps(tree, text)


def plus_plus(cc: str) -> str:
    """The C++ compiler that belongs to a C compiler."""
    words = cc.split(" ")
    names = {"clang-22": "clang++-22", "gcc": "g++"}
    spelled = [
        names.get(
            word, word.removesuffix("pathcc") + "pathc++" if word.endswith("/pathcc") else word
        )
        for word in words
    ]
    return " ".join(spelled)


def build_zstd(tree: Path, cc: str, flags: str) -> None:
    make(
        tree / "programs",
        "zstd",
        f"CC={cc}",
        f"CFLAGS={flags}",
        "HAVE_ZLIB=0",
        "HAVE_LZMA=0",
        "HAVE_LZ4=0",
    )


def build_lz4(tree: Path, cc: str, flags: str) -> None:
    make(tree / "programs", "lz4", f"CC={cc}", f"CFLAGS={flags}")


def configured(*options: str, target: str = "all") -> Callable[[Path, str, str], None]:
    def build(tree: Path, cc: str, flags: str) -> None:
        run(["./configure", *options], tree, env=environment(CC=cc, CFLAGS=flags))
        make(tree, target)

    return build


def build_pugixml(tree: Path, cc: str, flags: str) -> None:
    cxx = plus_plus(cc).split(" ")
    for source in (tree / "src/pugixml.cpp", WORK / "xml.cpp"):
        run([*cxx, *flags.split(), "-Isrc", "-c", source, "-o", f"{source.stem}.o"], tree)
    run([*cxx, "pugixml.o", "xml.o", "-o", "xml"], tree)


def build_zopfli(tree: Path, cc: str, flags: str) -> None:
    make(tree, "zopfli", f"CC={cc}", f"CFLAGS={flags}")


def build_cpython(tree: Path, cc: str, flags: str) -> None:
    # Its own flags are -O3 -g -fwrapv; the level that is measured stands behind them.
    env = environment(CC=cc, CFLAGS=flags, PATHCC_PROFILE="off", LLVM_PROFILE_FILE="/dev/null")
    run(["./configure", "--without-ensurepip", "--disable-test-modules"], tree, env=env)
    run(["make", f"-j{os.cpu_count()}"], tree, env=env, seconds=3000)


def of_kernel(program: Program) -> Workload:
    """A kernel, built in two steps so that both can be timed."""
    source = ROOT / "examples/kernels" / f"{program.name}.c"

    def in_two_steps(tree: Path, cc: str, flags: str) -> None:
        run([*cc.split(), *flags.split(), "-c", source, "-o", f"{program.name}.o"], tree)
        run([*cc.split(), f"{program.name}.o", "-o", program.name, "-lm"], tree)

    built = replace(program, build=in_two_steps)
    return Workload(built, lambda tree, text: [Step([f"@{program.name}"])], "kernel")


def real() -> list[Workload]:
    """Programs of Debian."""
    known = {program.name: program for program in PROGRAMS}

    def more(name: str, package: str, build: Build, image: str) -> Program:
        return Program(name, build, [image], {}, package=package)

    def bzip2(tree: Path, text: Path) -> list[Step]:
        return [Step(["@bzip2", "-9", "-c", str(text)]), Step(["@bzip2", "-1", "-c", str(text)])]

    def zlib(tree: Path, text: Path) -> list[Step]:
        return [Step(["@minigzip", level], text) for level in ("-1", "-6", "-9")]

    def compress(program: str, *levels: str) -> Callable[[Path, Path], list[Step]]:
        return lambda tree, text: [
            Step([f"@{program}", level, "-c", str(text)]) for level in levels
        ]

    def zopfli(tree: Path, text: Path) -> list[Step]:
        return [Step(["@zopfli", "--i1", "-c", str(text.with_suffix(".small"))])]

    def awk(tree: Path, text: Path) -> list[Step]:
        return [Step(["@mawk", "-f", str(WORK / "count.awk"), str(text)])]

    return [
        Workload(known["lua"], lambda tree, text: programs.lua(12000)(tree)),
        Workload(known["bzip2"], bzip2),
        Workload(known["zlib"], zlib),
        Workload(known["sqlite"], lambda tree, text: programs.sqlite(60000, ":memory:")(tree)),
        Workload(
            more("zstd", "libzstd", build_zstd, "programs/zstd"),
            compress("programs/zstd", "-3", "-12", "-15"),
        ),
        Workload(
            more("lz4", "lz4", build_lz4, "programs/lz4"),
            compress("programs/lz4", "-1", "-9", "-12"),
        ),
        Workload(
            more(
                "xz",
                "xz-utils",
                configured(
                    "--disable-shared", "--disable-nls", "--disable-scripts", "--disable-doc"
                ),
                "src/xz/xz",
            ),
            compress("src/xz/xz", "-1", "-3"),
        ),
        Workload(more("gzip", "gzip", configured(), "gzip"), compress("gzip", "-1", "-6", "-9")),
        Workload(more("mawk", "mawk", configured(target="mawk"), "mawk"), awk),
        Workload(
            more("pugixml", "pugixml", build_pugixml, "xml"),
            lambda tree, text: [Step(["@xml", "200000"])],
        ),
        Workload(more("zopfli", "zopfli", build_zopfli, "zopfli"), zopfli),
    ]


def cpython() -> Workload:
    """CPython with scripts of the kinds that pyperformance has."""
    program = Program("cpython", build_cpython, ["python"], {}, package="python3.11")
    return Workload(
        program, lambda tree, text: [Step(["@python", str(WORK / "python.py"), "1000"])], "python"
    )


def kernels() -> list[Workload]:
    """Image coders and dense loops."""
    return [of_kernel(kernel) for kernel in KERNELS]
