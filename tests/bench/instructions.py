"""Counts how often each instruction of a program executes, by function: callgrind counts, and
objdump tells what the instructions are.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from tests.bench.costs import HOME, fresh_directory, run_steps, strip_debug
from tests.bench.workloads import Workload
from tests.real.programs import Step
from tests.real.tools import run

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
# An increment or a decrement of 64 bits of memory, and the register that selects an element.
INCREMENT = re.compile(r"^(?:inc|dec)q\s+\S*\((?:%\w+)?(,%\w+)?")


class Kind(Enum):
    """What an instruction does, so far as its text tells."""

    COUNT = "count"
    MOVING = "moving"
    ADDRESS = "address"
    REGISTER = "register"
    STACK = "stack"
    JUMP = "jump"
    OTHER = "other"


@dataclass
class Executed:
    """What a program executed."""

    # All instructions, also those of libraries.
    total: int = 0
    # Those of the program itself, by function and text.
    instructions: Counter[tuple[str, str]] = field(default_factory=Counter)

    def functions(self) -> Counter[str]:
        """How many instructions each function executed."""
        functions: Counter[str] = Counter()
        for (function, _), count in self.instructions.items():
            functions[function] += count
        return functions

    def kinds(self, function: str) -> Counter[Kind]:
        """How many of each kind a function executed."""
        kinds: Counter[Kind] = Counter()
        for (name, text), count in self.instructions.items():
            if name == function:
                kinds[kind(text)] += count
        return kinds


def kind(text: str) -> Kind:
    """The kind of an instruction, as objdump writes it."""
    name, _, operands = text.partition(" ")
    if step := INCREMENT.match(text):
        return Kind.MOVING if step[1] else Kind.COUNT
    if "%fs:" in operands:
        return Kind.ADDRESS
    if name in ("push", "pop") or re.search(r"\(%rsp|,%rsp$", operands):
        return Kind.STACK
    if name.startswith("j"):
        return Kind.JUMP
    moves = name.startswith(("mov", "lea", "add", "sub", "xor"))
    if moves and (name == "lea" or "(" not in operands):
        return Kind.REGISTER
    return Kind.OTHER


def count(
    workload: Workload,
    tree: Path,
    steps: Iterable[Step],
    variables: dict[str, str],
    *,
    demangle: bool,
) -> Executed:
    """Runs steps under callgrind."""
    strip_debug(workload, tree)
    place = fresh_directory(HOME / "callgrind")
    prefix = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no"]
    prefix += ["--compress-strings=no", f"--demangle={'yes' if demangle else 'no'}"]
    run_steps(workload, tree, steps, [*prefix, f"--callgrind-out-file={place}/%p.%n"], variables)
    executed = Executed()
    images: dict[Path, dict[int, str]] = {}
    for file in sorted(place.iterdir()):
        read(file.read_text(errors="replace"), tree, images, executed)
    return executed


def read(costs: str, tree: Path, images: dict[Path, dict[int, str]], executed: Executed) -> None:
    """Adds what callgrind counted in the images below a tree."""
    image: dict[int, str] = {}
    function, is_call = "", False
    for line in costs.splitlines():
        if is_call:
            # The cost of a call is that of the callee's own lines.
            is_call = False
        elif line.startswith("ob="):
            path = Path(line.removeprefix("ob="))
            is_ours = path.is_relative_to(tree) and path.exists()
            if is_ours and path not in images:
                images[path] = disassembled(path)
            image = images[path] if is_ours else {}
        elif line.startswith("fn="):
            function = line.removeprefix("fn=").partition("'")[0]
        elif line.startswith("calls="):
            is_call = True
        elif line.startswith("totals:"):
            executed.total += int(line.split()[1])
        elif line.startswith("0x") and image:
            address, _, times = line.split()
            text = image.get(int(address, 16))
            if text is not None:
                executed.instructions[function, text] += int(times)


def disassembled(image: Path) -> dict[int, str]:
    """The text of each instruction by its address."""
    listing = run(["objdump", "-d", "--no-show-raw-insn", image], HOME).decode()
    found = filter(None, map(LINE.match, listing.splitlines()))
    return {int(line[1], 16): line[2] for line in found}
