"""Traces against two logs that know nothing of them.

* Order: the block log of the same graph has the same blocks in the same order.
* Accesses: the callbacks that clang's own coverage makes for loads and stores, in the same build,
  see the same accesses, in the same order. `-fsanitize-coverage` calls back for 1, 2, 4, 8 and 16
  bytes, and for no atomic update nor operation on many bytes.
"""

import json
import re
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

from tests.real.build import build, difference, work
from tests.real.programs import Program, Step
from tests.real.tools import (
    CARGO_OUT,
    CLANG,
    PATHCC,
    PATHPROF,
    ROOT,
    CheckFailed,
    environment,
    run,
)

ORDER = CARGO_OUT / "release/trace_order"
CALLBACKS = Path(__file__).with_name("trace_callbacks.c")
COVERAGE = "-fsanitize-coverage=bb,trace-pc-guard,trace-loads,trace-stores"

# Where the header of a trace says how long its chunks are, and what is free of a full one.
CHUNK_SIZE_AT = 24
RESERVE = 4096
# The length of the words at the start of a thread's block.
WORDS = 16
SIZES = (1, 2, 4, 8, 16)
SIZE_OF_STORE = 100

# Kernels whose small work is long without optimisation.
LONG = ("fft", "wavelet")

# Addresses of user space are below.
USER = 1 << 47


def steps_of(trace: Path, *options: str) -> bytes:
    """What `pathprof trace cat` tells of a trace, an object on each line."""
    return run([PATHPROF, "trace", "cat", "--format", "json", *options, trace], trace.parent)


def only(files: list[Path], what: str) -> Path:
    if len(files) != 1:
        raise CheckFailed(f"the run left {len(files)} {what}")
    return files[0]


def check_order(program: Program, source: Path | None, flags: str, home: Path) -> str:
    """The trace of a program's small work against its block log."""
    plain, traced, logged = (
        build(program, source, how, flags, home) for how in ("plain", "trace", "trace-log")
    )
    told = []
    for step in program.work["small"](plain):
        directories = [home / f"{name}.profiles" for name in ("plain", "trace", "log")]
        ran = [
            work(program, tree, [step], profiles)
            for tree, profiles in zip((plain, traced, logged), directories, strict=True)
        ]
        for other in ran[1:]:
            differs = difference([step], ran[0], other)
            if differs:
                raise CheckFailed(differs)
        trace = only(list(directories[1].glob("*.pathtrace")), "traces")
        log = only(list(directories[2].glob("*.pathlog")), "logs")
        steps = home / "steps.json"
        steps.write_bytes(steps_of(trace, "--no-accesses"))
        images = [logged / image for image in program.images]
        told.append(run([ORDER, "--image", *images, "--log", log, "--steps", steps], ROOT))
        steps.unlink()
    return "; ".join(text.decode().strip() for text in told)


def check_accesses(program: Program, flags: str, home: Path) -> str:
    """The accesses of a kernel's small work against clang's own callbacks."""
    home.mkdir(parents=True, exist_ok=True)
    callbacks = home / "callbacks.o"
    run([CLANG, "-O2", "-c", CALLBACKS, "-o", callbacks], home)
    source = only(list((ROOT / "examples/kernels").glob(f"{program.name}.c")), "sources")
    # The callbacks also see where a loop stores how often it ran, which may be on the stack.
    without = ("-mllvm", "-pathcc-without=repeats")
    command = [PATHCC, "-fpath-mode=trace", "-fpath-trace=all-memory", *without, COVERAGE]
    command.append("-no-pie")
    image = home / program.name
    run([*command, *flags.split(), source, callbacks, "-o", image, "-lm"], home)
    arrays = arrays_of(image)
    paths = accesses = 0
    for step in program.work["small"](home):
        profiles = home / "profiles"
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir()
        seen = home / "accesses"
        seen.unlink(missing_ok=True)
        run_step(image, step, profiles, seen)
        trace = only(list(profiles.glob("*.pathtrace")), "traces")
        expected = callbacks_of(seen, arrays, chunk_size(trace))
        for line in steps_of(trace, "--accesses").splitlines():
            paths += 1
            for access in accesses_of(line):
                other = next(expected, None)
                if access != other:
                    raise CheckFailed(
                        f"access {accesses}, path {paths}: the trace has {access}, "
                        f"the callback saw {other}"
                    )
                accesses += 1
        rest = sum(1 for _ in expected)
        if rest:
            raise CheckFailed(f"the trace lacks the last {rest} of {accesses + rest} accesses")
    if accesses == 0:
        raise CheckFailed("nothing was accessed")
    return f"{accesses} accesses of {paths} paths in order"


def run_step(image: Path, step: Step, profiles: Path, seen: Path) -> None:
    """Runs a step of the work of an image."""
    env = environment(PATHCC_PROFILE=f"{profiles}/%e.pathprof", ACCESSES=str(seen))
    stdin = step.stdin if isinstance(step.stdin, bytes) else step.stdin.read_bytes()
    run([image, *step.argv[1:]], profiles, stdin, env)


def arrays_of(image: Path) -> set[int]:
    """The addresses at which the code of a trace reads: both halves of an array's first word."""
    symbols = run(["nm", image], image.parent).decode()
    found = re.findall(r"^([0-9a-f]+) \w __pathcc\.counters\.", symbols, re.MULTILINE)
    if not found:
        raise CheckFailed("the image has no traced unit")
    return {int(address, 16) + half for address in found for half in (0, 4)}


def accesses_of(line: bytes) -> Iterator[tuple[str, int, int]]:
    """The accesses of a path for which there are callbacks."""
    step = json.loads(line)
    if step.get("event") in ("synchronised", "allocated"):
        return
    if "event" in step:
        raise CheckFailed(f"something is missing: {line.decode()}")
    for kind, size, address, _ in step["accesses"]:
        if kind in ("load", "store") and size in SIZES:
            yield kind, size, address


def chunk_size(trace: Path) -> int:
    """How long the chunks of a trace are."""
    with trace.open("rb") as file:
        file.seek(CHUNK_SIZE_AT)
        return int.from_bytes(file.read(8), "little")


def callbacks_of(seen: Path, arrays: set[int], chunk: int) -> Iterator[tuple[str, int, int]]:
    """What was called back, without what the code of the trace does."""
    for address, size, full, block in struct.iter_unpack("<QQQQ", seen.read_bytes()):
        end = full + RESERVE
        is_record = full and end - chunk <= address < end
        is_word = block <= address < block + WORDS
        if address < USER and not (is_record or is_word or address in arrays):
            is_store = size > SIZE_OF_STORE
            yield ("store", size - SIZE_OF_STORE, address) if is_store else ("load", size, address)
