"""Checks pathcc on real programs.

    python3 -m tests.real.check [--only NAME]… [-O LEVEL]… [--keep]

For each program and optimisation level: its own build system with pathcc as the compiler gives a
program that does the same as one from plain clang (output, exit status, files), whose counts equal
those of the block log (oracle 2) and, at -O0, those of clang's two coverage tools (oracle 3).
Prints a line for each check; exit status 1 if one fails.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Any

from tests.real import (
    csmith,
    elisions,
    examples,
    genhtml,
    lives,
    lives_traces,
    mapreduce,
    memory,
    modes,
    mpi,
    openmp,
    oracle_calls,
    oracle_cov,
    oracle_log,
    overflow,
    parallel,
    perun,
    races,
    schema,
    sources,
    switches,
    task_forms,
    torture,
    traces,
)
from tests.real.build import MODES, build, difference, work
from tests.real.programs import KERNELS, PROGRAMS, Program
from tests.real.tools import PATH_TEXTS, PATHCC, SCRATCH, CheckFailed, build_tools, run


class Report:
    """Prints results as they come in and sums them up."""

    def __init__(self) -> None:
        self.passed = self.failed = 0
        self.start = time.monotonic()
        self.lock = Lock()

    def check(self, name: str, action: Callable[[], str]) -> bool:
        """Runs one check, which returns what it found or raises CheckFailed."""
        try:
            ok, text = True, action()
        except CheckFailed as failure:
            ok, text = False, str(failure)
        except Exception as error:  # a broken check is a failed check
            ok, text = False, f"{type(error).__name__}: {error}"
        with self.lock:
            self.passed += ok
            self.failed += not ok
            seconds = time.monotonic() - self.start
            print(f"[{seconds:4.0f} s] {'ok  ' if ok else 'FAIL'} {name}: {text}", flush=True)
        return ok


def check_output(program: Program, source: Path | None, flags: str, home: Path) -> str:
    """Builds with clang and with pathcc; the big work must come out the same."""
    plain, paths = (build(program, source, how, flags, home) for how in ("plain", "paths"))
    steps = program.work["big"](plain)
    expected = work(program, plain, steps, home / "plain.profiles")
    got = work(program, paths, program.work["big"](paths), home / "paths.profiles")
    differs = difference(steps, expected, got)
    if differs:
        raise CheckFailed(differs)
    if any(outcome.status != 0 for outcome in expected.outcomes):
        raise CheckFailed(
            "a step fails with plain clang too: "
            f"{[outcome.status for outcome in expected.outcomes]}"
        )
    profiles = len(list((home / "paths.profiles").glob("*.pathprof")))
    if profiles == 0:
        raise CheckFailed("the runs left no profile")
    size = sum(len(outcome.out) for outcome in expected.outcomes)
    equal = f"{size} bytes and {len(expected.files)} files equal"
    return f"{len(steps)} runs, {equal}, {profiles} profiles"


def check_texts(profiles: Path) -> str:
    """No two paths of a function read the same, in any width."""
    return run([PATH_TEXTS, profiles], profiles).decode().strip()


def check_program(
    report: Report, program: Program, source: Path | None, level: str, keep: bool
) -> None:
    """All checks of a program at one level."""
    home = SCRATCH / "build" / f"{program.name}{level}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    flags = f"-g {level}"
    name = f"{program.name} {level}"
    is_slow = program.is_large and level != "-O0"
    wanted = modes.FEW_MODES if is_slow else MODES
    if report.check(f"{name}: output", lambda: check_output(program, source, flags, home)):
        report.check(
            f"{name}: block log",
            lambda: oracle_log.check(program, source, flags, home, home / "paths"),
        )
        if report.check(
            f"{name}: counted blocks, edges and calls",
            lambda: modes.check(program, source, flags, home, wanted),
        ):
            report.check(f"{name}: texts of paths", lambda: check_texts(home / "paths.profiles"))
            if not is_slow:
                report.check(
                    f"{name}: uncut paths", lambda: overflow.check(program, source, flags, home)
                )
    if level == "-O0":
        report.check(f"{name}: clang's coverage", lambda: oracle_cov.check(program, source, home))
        report.check(
            f"{name}: callgrind and clang's value profile",
            lambda: oracle_calls.check(program, source, home),
        )
    if not keep:
        shutil.rmtree(home)


def check_oracle(home: Path) -> str:
    """The log oracle itself: with the profile of other work it must find differences."""
    program = next(kernel for kernel in KERNELS if kernel.name == "sort")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    paths, log = (build(program, None, how, "-g -O1", home) for how in ("paths", "log"))
    work(program, paths, program.work["big"](paths), home / "paths.profiles")
    work(program, log, program.work["small"](log), home / "log.profiles")
    logs, profiles = (
        list(home.glob("log.profiles/*.pathlog")),
        list(home.glob("paths.profiles/*.pathprof")),
    )
    compared = oracle_log.replay([paths / "sort"], logs, profiles)
    shutil.rmtree(home)
    if compared.differences == 0:
        raise CheckFailed("a log and a profile of different work are called equal")
    return f"{compared.differences} differences between different runs are found"


def check_trace_order(kernel: Program, level: str) -> str:
    """A kernel's trace against its block log."""
    return in_place(
        f"{kernel.name}{level}.order",
        lambda home: traces.check_order(kernel, None, f"-g {level}", home),
    )


def check_trace_accesses(kernel: Program, level: str) -> str:
    """A kernel's trace against clang's own callbacks."""
    return in_place(
        f"{kernel.name}{level}.accesses",
        lambda home: traces.check_accesses(kernel, f"-g {level}", home),
    )


def elisions_of(
    check: Callable[[Any, str, Path], str], what: object, level: str
) -> Callable[[], str]:
    """The check of one program's elisions."""
    name = getattr(what, "name", what)
    return lambda: in_place(f"elisions.{name}{level}", lambda home: check(what, level, home))


def in_place(name: str, check: Callable[[Path], str]) -> str:
    """A check with a directory of its own, which goes when it passes."""
    home = SCRATCH / "build" / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    result = check(home)
    shutil.rmtree(home)
    return result


def others() -> dict[str, list[tuple[str, Callable[[], str]]]]:
    """What is checked besides programs, by the words of `--only`: names and actions."""
    return {
        "switches": [
            (
                f"switches without {', '.join(first) or 'nothing'}",
                partial(switches.check, "-O2", first),
            )
            for first in switches.subsets(switches.OTHER_PATHS)
        ],
        "traces": [
            (f"trace of {kernel.name} {level}: {name}", partial(check, kernel, level))
            for kernel in KERNELS
            for level in ("-O0", "-O2")
            if level == "-O2" or kernel.name not in traces.LONG
            for name, check in (("order", check_trace_order), ("accesses", check_trace_accesses))
        ],
        "elisions": [
            # One level: the code of a real program takes all of clang's ways.
            *(
                (
                    f"elisions of {program.name} -O2",
                    elisions_of(elisions.check_program, program, "-O2"),
                )
                for program in PROGRAMS
            ),
            *(
                (
                    f"elisions of {kernel.name} {level}",
                    elisions_of(elisions.check_kernel, kernel, level),
                )
                for kernel, level in zip(KERNELS, cycle(("-O1", "-O3")), strict=False)
                if kernel.name not in traces.LONG
            ),
            *(
                (
                    f"elisions of {kernel.name} {level}",
                    elisions_of(elisions.check_parallel, kernel, level),
                )
                for kernel in parallel.KERNELS
                # It has threads in any case, and their stacks hold what is shared.
                if kernel.name != "dedup"
                for level in ("-O2",)
            ),
            *(
                (f"elisions of csmith {seed}", elisions_of(elisions.check_random, seed, "-O2"))
                for seed in elisions.SEEDS
            ),
        ],
        "oracle": [("oracle", partial(check_oracle, SCRATCH / "build/oracle"))],
        "examples": [
            (f"examples/{lesson.name}", partial(examples.check, lesson))
            for lesson in examples.LESSONS
        ],
        "genhtml": [
            (
                f"genhtml: {name}",
                partial(in_place, f"genhtml.{number}", partial(genhtml.check, name)),
            )
            for number, name in enumerate(genhtml.CASES)
        ],
        "mapreduce": [
            (f"mapreduce {name}", partial(mapreduce.check, name)) for name in mapreduce.ITEMS
        ],
        "races": [
            (
                f"races {program.name}",
                partial(in_place, f"races.{program.name}", partial(races.check, program)),
            )
            for program in races.PROGRAMS
        ],
        "openmp": [
            (f"openmp {name}", partial(in_place, f"openmp.{name}", partial(openmp.check, name)))
            for name in openmp.PROGRAMS
        ],
        "memory": [
            (f"memory {name}", partial(in_place, f"memory.{name}", check))
            for name, check in memory.CHECKS.items()
        ],
        "mpi": [
            *(
                (f"mpi by {name}", partial(in_place, f"mpi.{name}", partial(mpi.check, name)))
                for name in mpi.LIBRARIES
            ),
            ("mpi in Fortran", partial(in_place, "mpi.fortran", mpi.check_fortran)),
        ],
        "task-forms": [
            (
                f"forms of {name}",
                partial(in_place, f"forms.{name}", partial(task_forms.check, name)),
            )
            for name in task_forms.KERNELS
        ],
        "parallel": [
            (f"parallel {kernel.name} {level}", partial(parallel.check, kernel, level))
            for kernel in parallel.KERNELS
            for level in ("-O0", "-O2")
        ],
        "perun": [("perun", perun.check)],
        "schema": [("schema", schema.check), ("schema of tasks", schema.check_tasks)],
        "lives": [(f"lives {seed}", partial(lives.check, seed)) for seed in lives.SEEDS],
        "lives-traces": [
            (f"traces of lives {seed}", partial(lives_traces.check, seed))
            for seed in lives_traces.SEEDS
        ],
        "csmith": [(f"csmith {seed}", partial(csmith.check, seed)) for seed in csmith.SEEDS],
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*others(), "torture", *(program.name for program in PROGRAMS + KERNELS)]
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"only these: {', '.join(names)}"
    )
    parser.add_argument(
        "-O", dest="levels", action="append", metavar="LEVEL", help="only these levels: 0, 2, 3"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep what was built, in target/real/build"
    )
    options = parser.parse_args()
    unknown = set(options.only or []) - set(names)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    options = arguments()
    if not PATHCC.exists():
        print(f"{PATHCC} does not exist: run `make build` first", file=sys.stderr)
        return 2
    wanted = [
        program
        for program in PROGRAMS + KERNELS
        if not options.only or program.name in options.only
    ]
    levels = {f"-O{level.removeprefix('-O')}" for level in options.levels or []}
    build_tools()
    trees = sources.fetch([program.package for program in wanted if program.package])
    report = Report()
    # Longest first, so that the last to finish is short: sqlite is one file of 240,000 lines.
    jobs = [
        (program, level)
        for program in wanted
        for level in program.levels
        if not levels or level in levels
    ]
    jobs.sort(key=lambda job: (job[0].name != "sqlite", job[0].package is None, job[1] == "-O0"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running: list[Future] = [
            pool.submit(
                check_program,
                report,
                program,
                trees.get(program.package or ""),
                level,
                options.keep,
            )
            for program, level in jobs
        ]
        running += [
            pool.submit(report.check, name, action)
            for group, checks in others().items()
            if not options.only or group in options.only
            for name, action in checks
        ]
        for job in running:
            job.result()
    # By itself, since it keeps every core busy.
    if not options.only or "torture" in options.only:
        report.check("torture", torture.check_corpus)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
