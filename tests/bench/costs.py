"""Builds a workload with a compiler and runs it, and says what that cost."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.workloads import Workload
from tests.real.programs import Step
from tests.real.tools import SCRATCH, CheckFailed, environment, run

HOME = SCRATCH.parent / "bench"
# What cachegrind calls executed instructions.
REFERENCES = r"I +refs"
TIMED = Path(__file__).with_name("timed_cc.py")


@dataclass
class Cost:
    """What one build of a workload cost, over all rounds."""

    user: list[float] = field(default_factory=list)
    memory: int = 0
    instructions: int = 0
    compile_user: list[float] = field(default_factory=list)
    link_user: list[float] = field(default_factory=list)
    compile_memory: int = 0
    objects: int = 0
    # Bytes of machine code in the images.
    code: int = 0
    # As `user`, while another processor does the same work; only of CPython.
    busy: list[float] = field(default_factory=list)
    # Events of caches by their titles, of large programs.
    misses: dict[str, int] = field(default_factory=dict)


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name)


def build_timed(
    workload: Workload, source: Path | None, name: str, compiler: str, level: str, cost: Cost
) -> Path:
    """Builds a workload with one compiler and notes what its calls cost."""
    home = HOME / f"{workload.name}{level}"
    tree, log = home / slug(name), home / f"{slug(name)}.log"
    shutil.rmtree(tree, ignore_errors=True)
    home.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    if source is None:
        tree.mkdir()
    else:
        shutil.copytree(source, tree, symlinks=True)
    workload.program.build(tree, f"{sys.executable} {TIMED} {log} {compiler}", level)
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    cost.compile_user.append(
        sum(call["user"] for call in calls if call["kind"] in ("compile", "both"))
    )
    cost.link_user.append(sum(call["user"] for call in calls if call["kind"] == "link"))
    cost.compile_memory = max(call["memory"] for call in calls)
    cost.objects = sum(call["object"] for call in calls)
    for data in [*tree.rglob("*.gcda"), *tree.rglob("*.profraw"), *tree.rglob("gmon.out")]:
        data.unlink()
    return tree


def strip_debug(workload: Workload, tree: Path) -> None:
    """Takes debug information away from the images and from the libraries that they open: valgrind
    does not read the newest.
    """
    libraries = [path for path in tree.rglob("*.so") if path.is_file()]
    for image in [*(tree / image for image in workload.program.images), *libraries]:
        run(["strip", "--strip-debug", image], tree)


def profile_variables(place: Path) -> dict[str, str]:
    """Where each profiler writes: all do write, as they would in use, into files that are replaced
    every time.
    """
    return {
        "PATHCC_PROFILE": f"{place}/%e.pathprof",
        "LLVM_PROFILE_FILE": f"{place}/%m.profraw",
        "GMON_OUT_PREFIX": f"{place}/gmon",
        "PYTHONHASHSEED": "0",
    }


def code_size(workload: Workload, tree: Path) -> int:
    """Bytes of machine code in the images of a workload."""
    listings = [run(["size", "-A", tree / image], tree) for image in workload.program.images]
    sizes = re.findall(rb"^\.text +(\d+)", b"".join(listings), re.MULTILINE)
    return sum(map(int, sizes))


def pinned_to(processors: int) -> list[str]:
    """What a command begins with that stays on so many processors."""
    ours = sorted(os.sched_getaffinity(0))[:processors]
    return ["taskset", "-c", ",".join(map(str, ours))]


@contextmanager
def beside(
    workload: Workload, tree: Path, steps: list[Step], variables: dict[str, str]
) -> Iterator[None]:
    """Keeps the last processor busy with a program, again and again, until the block ends."""
    last = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            run_steps(workload, tree, steps, last, variables, place="beside")

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            yield
        finally:
            is_over.set()
        done.result()


def run_steps(
    workload: Workload,
    tree: Path,
    steps: Iterable[Step],
    prefix: list[str],
    variables: dict[str, str],
    *,
    place: str = "work",
) -> tuple[float, int]:
    """Runs steps; gives their user time and peak memory. Only the program itself is measured.

    It stays on one processor, so that a round does not depend on how often it is moved.
    """
    directory = fresh_directory(HOME / place / tree.name)
    env = environment(**variables)
    if workload.program.library_path:
        env["LD_LIBRARY_PATH"] = os.path.normpath(tree / workload.program.library_path)
    user, memory = 0.0, 0
    for step in steps:
        argv = [str(tree / word[1:]) if word.startswith("@") else word for word in step.argv]
        source = directory / "stdin"
        if isinstance(step.stdin, bytes):
            source.write_bytes(step.stdin)
        else:
            source = step.stdin
        measured = step.argv[0].startswith("@")
        with source.open("rb") as stdin:
            child = subprocess.Popen(
                [*([*pinned_to(1), *prefix] if measured else []), *argv],
                cwd=directory,
                env=env,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise CheckFailed(f"`{' '.join(argv)}` failed with status {child.returncode}")
        if measured:
            user += usage.ru_utime
            memory = max(memory, usage.ru_maxrss * 1024)
    return user, memory


def has_perf() -> bool:
    """Whether the kernel lets us count instructions."""
    try:
        command = ["perf", "stat", "-x,", "-e", "instructions:u", "true"]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0 and re.search(r"^\d+,", done.stderr, re.MULTILINE) is not None


def under_cachegrind(
    workload: Workload, tree: Path, steps: list[Step], variables: dict, options: list[str]
) -> Callable[[str], int]:
    """Runs steps under cachegrind; gives what finds the sum of a number over all processes, by the
    expression for its title. Other trees may be counted at the same time, so that it may use every
    processor.
    """
    place = fresh_directory(HOME / "cachegrind" / tree.name)
    files = ["--cachegrind-out-file=/dev/null", f"--log-file={place}/%p"]
    everywhere = pinned_to(os.cpu_count() or 1)
    prefix = [*everywhere, "valgrind", "--tool=cachegrind", *options, *files]
    strip_debug(workload, tree)
    run_steps(workload, tree, steps, prefix, variables)
    logs = "".join(log.read_text() for log in place.iterdir())
    return lambda title: sum(
        int(number.replace(",", "")) for number in re.findall(rf"{title}: +([\d,]+)", logs)
    )


def count_instructions(
    workload: Workload, tree: Path, steps: list[Step], variables: dict, *, perf: bool
) -> int:
    """Instructions executed in user space, as perf counts them, or cachegrind."""
    if not perf:
        return under_cachegrind(workload, tree, steps, variables, ["--cache-sim=no"])(REFERENCES)
    out = HOME / "instructions"
    out.unlink(missing_ok=True)
    prefix = ["perf", "stat", "-x,", "-e", "instructions:u", "--append", "-o", str(out), "--"]
    run_steps(workload, tree, steps, prefix, variables)
    return sum(int(count) for count in re.findall(r"^(\d+),", out.read_text(), re.MULTILINE))


def slowdown_of_callgrind(
    workload: Workload, tree: Path, steps: list[Step], variables: dict
) -> float | None:
    """How many times longer a program takes under callgrind, or None if the work is too short to
    tell.
    """
    plain, _ = run_steps(workload, tree, steps, [], variables)
    if plain < 0.02:
        return None
    prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    return run_steps(workload, tree, steps, prefix, variables)[0] / plain


def fresh_directory(path: Path) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def cpu_of(act: Callable[[], object]) -> float:
    """The seconds of processor time that the children of this process take while it acts."""

    def now() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = now()
    act()
    return now() - before
