"""What was executed: callgrind counts the same machine instructions.

At the stage `machine` the count of each block is that of each of its instructions. So callgrind
must have the same number at every address of counted code, the code that counts included. And
without the code that counts, a function must have executed as many instructions as in a build by
plain clang.

A block may end with two jumps. The second one runs where the first one is not taken.

Reports tell of the code that clang makes without counters. So the instructions that they have for a
function must be what callgrind counts of it in the build by plain clang, jumps included.

What is not compared:

* An instruction with a `rep` prefix is one to pathcc each time that control comes to it; callgrind
  counts its rounds.
* Bytes that align code are instructions that do nothing, of no block. How many there are depends on
  where the code is.
* Where both of two conditional jumps may lead to one block, as for floating-point numbers that may
  be unordered, nothing tells how often the second one ran. Reports count it as often as the block.
  The totals of functions with such jumps are only not too small.
* Where LLVM splits a `lea` behind our pass, reports count one instruction. The totals of functions
  that have more instructions than their description are only not too large.
* Between two builds, jumps without a condition: where a branch is turned so that code that counts
  comes first, one of them may not be needed. And functions whose other instructions are not the
  same in both: LLVM splits a `lea` only where it sees that flags are free.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.real.build import build, work
from tests.real.programs import Program, Step
from tests.real.tools import PATHPROF, CheckFailed, export, run

# How often each instruction of an image was executed, by its address.
Executed = Counter[int]


@dataclass(frozen=True)
class Part:
    """A part of the code of a function: of a block, or an edge behind the blocks."""

    start: int
    end: int
    owner: int
    counts: bool


@dataclass
class Code:
    """The instructions of an image."""

    # The text of each, by address.
    texts: dict[int, str] = field(default_factory=dict)
    # The functions, by address.
    names: dict[int, str] = field(default_factory=dict)

    def within(self, start: int, end: int) -> list[int]:
        """The addresses of the instructions there."""
        addresses = []
        while start < end and start in self.texts:
            addresses.append(start)
            start = self.behind[start]
        return addresses

    def __post_init__(self) -> None:
        self.behind = dict(pairwise([*sorted(self.texts), 1 << 64]))


def disassembled(image: Path) -> Code:
    """All instructions of an image."""
    shown = run(["objdump", "-d", "-w", "--no-show-raw-insn", image], image.parent).decode()
    texts, names = {}, {}
    for line in shown.splitlines():
        if match := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line):
            texts[int(match[1], 16)] = match[2]
        elif match := re.match(r"([0-9a-f]+) <(.*)>:", line):
            names[int(match[1], 16)] = match[2]
    return Code(texts, names)


def code_map(image: Path) -> list[list[Part]]:
    """The map of an image: the parts of each function. `docs/format.md` has its form."""
    sections = run(["readelf", "-WS", image], image.parent).decode()
    place = re.search(r" \.pathcc\.code\s+PROGBITS\s+(\w+) (\w+) (\w+)", sections)
    if not place:
        raise CheckFailed(f"{image} has no map of its code")
    address, offset, size = (int(word, 16) for word in place.groups())
    content = image.read_bytes()[offset : offset + size]
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    runs = []
    while at < len(content):
        place_of_distance = address + at + 8
        distance = int.from_bytes(content[at + 8 : at + 16], "little")
        here = (place_of_distance + distance) % (1 << 64)
        at += 16
        parts: list[Part] = []
        owner, counts = None, False
        for number in range(varint()):
            behind = here + (varint() if number else 0)
            if owner is not None and behind > here:
                parts.append(Part(here, behind, owner, counts))
            here = behind
            value, kind = divmod(varint(), 4)
            counts = kind == 1
            owner = value if kind == 0 else None if kind == 3 else owner
        runs.append(parts)
    return runs


def executed(outs: list[Path], images: dict[str, Path]) -> dict[Path, Executed]:
    """What callgrind counted at each address of these images, by the name of their file."""
    found: dict[Path, Executed] = {image: Counter() for image in images.values()}
    for out in outs:
        here, skip = None, False
        for line in out.read_text().splitlines():
            if line.startswith("ob="):
                here = images.get(Path(line[3:]).name)
            elif line.startswith("calls="):
                # The next line has what the callee executed.
                skip = True
            elif line.startswith("0x"):
                if here and not skip:
                    address, *_, count = line.split()
                    found[here][int(address, 16)] += int(count)
                skip = False
    return found


def watched(program: Program, tree: Path, home: Path, profiles: Path) -> dict[Path, Executed]:
    """What the work of a program executes, by image; the profiles are of the same work."""
    place = home / "callgrind.instructions"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    tool = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no"]
    tool += ["--compress-strings=no", "--skip-plt=no", f"--callgrind-out-file={place}/%p.out"]
    steps = [Step([*tool, *step.argv], step.stdin) for step in program.calm(tree)]
    ran = work(program, tree, steps, profiles)
    if any(outcome.status != 0 for outcome in ran.outcomes):
        raise CheckFailed(f"under callgrind a step fails: {ran.outcomes[-1].err[-300:]!r}")
    images = {Path(name).name: (tree / name).resolve() for name in program.images}
    return executed(list(place.glob("*.out")), images)


def is_compared(text: str) -> bool:
    """Whether callgrind counts an instruction as pathcc does, and its place is that of no other."""
    is_nop = re.match(r"(data16 |cs |xchg\s+%ax,%ax|repz nop)*(nop|xchg\s+%ax,%ax)", text)
    return not is_nop and not is_repeated(text)


def is_repeated(text: str) -> bool:
    """Whether callgrind counts the rounds of an instruction."""
    return re.match(r"(rep|repz|repnz) \w+(s|sb|sw|sl|sq)\b", text) is not None


def is_jump(text: str) -> bool:
    """Whether it always jumps to an address that it names."""
    return re.match(r"jmp\s+[0-9a-f]", text) is not None


def check(program: Program, source: Path | None, flags: str, home: Path) -> str:
    """Compares every address of counted code, and every function; returns how many there are.

    `flags` ask for no debug information, of which valgrind cannot read every form.
    """
    tree = build(program, source, "machine", flags, home)
    profiles = home / "machine.instructions"
    counted = watched(program, tree, home, profiles)
    of_work = sorted(profiles.glob("*.pathprof"))
    exported = export(profiles, *of_work)
    asked = [PATHPROF, "show", "--asm", "--top", "0", "--format", "json", *of_work]
    shown = json.loads(run(asked, profiles))["tables"][0]["rows"]
    tree = build(program, source, "plain", flags, home)
    plain = watched(program, tree, home, home / "plain.instructions")
    addresses = functions = instructions = others = vague = split = 0
    wrong: list[str] = []
    for (image, found), (other, expected) in zip(counted.items(), plain.items(), strict=True):
        code = disassembled(image)
        own, told, lines = predicted(image, code, found, exported)
        wrong += lines
        wrong += told_otherwise(image, own, shown)
        addresses += sum(told.values())
        of_plain = by_function(disassembled(other), expected)
        for name, of_counted in own.items():
            if of_plain[name].static != of_counted.static:
                others += 1
                continue
            functions += 1
            wrong += reported_otherwise(name, of_counted, of_plain[name])
            vague += of_counted.is_vague or of_plain[name].is_vague
            split += of_counted.described < of_plain[name].length
            instructions += of_counted.executed
            if of_plain[name].executed != of_counted.executed:
                before = of_plain[name].executed
                wrong.append(f"{name}: plain {before}, counted {of_counted.executed}")
    if wrong or not addresses:
        raise CheckFailed(f"{len(wrong)} numbers differ:\n" + "\n".join(wrong[:30]))
    if others > 1 + (functions + others) // 10:
        raise CheckFailed(f"{others} functions have other code than in a plain build")
    if max(vague, split) > 2 + functions // 5:
        raise CheckFailed(f"of {functions} functions {vague} are vague, {split} have split code")
    return (
        f"callgrind: {addresses} addresses, {functions} functions with {instructions} instructions"
        f"; reports have the same totals, {vague} vague ones and {split} of split code aside"
        f"; {others} functions have other code"
    )


@dataclass
class Total:
    """The instructions of a function that are compared between two builds."""

    executed: int = 0
    # All of the program's that are known, and those that count, as `pathprof show --asm` has them.
    program: int = 0
    counting: int = 0
    # Those of a plain build, jumps included; and what a report has, without those that repeat.
    whole: int = 0
    reported: int = 0
    # Whether it has instructions of which nothing tells how often they ran.
    is_vague: bool = False
    # How many instructions the code has; how many its description has.
    length: int = 0
    described: int = 0
    # How many there are of each kind.
    static: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, count: int) -> None:
        """Takes an instruction that ran this often."""
        self.whole += count if is_compared(text) else 0
        self.length += is_compared(text) or is_repeated(text)
        if is_compared(text) and not is_jump(text):
            self.executed += count
            name = text.split()[0]
            # A branch may be turned.
            self.static["jcc" if name.startswith("j") and name != "jmp" else name] += 1


def by_function(code: Code, found: Executed) -> defaultdict[str, Total]:
    """What each function of an image executed."""
    totals: defaultdict[str, Total] = defaultdict(Total)
    name = ""
    for address in sorted(code.texts):
        name = code.names.get(address, name)
        totals[name].add(code.texts[address], found[address])
        # Only unordered numbers take a jump on parity.
        totals[name].is_vague |= re.match(r"jn?p\s", code.texts[address]) is not None
    return totals


def told_otherwise(image: Path, own: dict[str, Total], shown: list[dict]) -> list[str]:
    """Where `pathprof show --asm` has other sums for the functions of an image."""
    rows = {row["symbol"]: row for row in shown if Path(row["image"]).name == image.name}
    wrong = []
    for name, total in own.items():
        row = rows.get(name, {"instructions": 0, "counting": 0})
        told = (row["instructions"], row["counting"])
        if told != (total.program, total.counting):
            wrong.append(f"{name}: shown {told}, and has {(total.program, total.counting)}")
    return wrong


def reported_otherwise(name: str, own: Total, plain: Total) -> list[str]:
    """What is wrong with the instructions that reports have for a function."""
    is_less = own.reported < plain.whole and own.described >= plain.length
    is_vague = own.is_vague or plain.is_vague
    if is_less or (own.reported > plain.whole and not is_vague):
        return [f"{name}: plain {plain.whole}, reported {own.reported}"]
    return []


def described(function: dict) -> int:
    """How many instructions the description of an exported function has."""
    own: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for edge in function["edges"]:
        own[edge["from"]] |= Counter(edge.get("opcodes", {}))
    of_blocks = sum(block["instructions"] for block in function["blocks"])
    return of_blocks + sum(of.total() for of in own.values())


def reported(function: dict) -> int:
    """The executed instructions of an exported function, from its blocks and edges."""
    of_blocks = sum(block["count"] * block["instructions"] for block in function["blocks"])
    own = [edge for edge in function["edges"] if "instructions" in edge and edge["count"]]
    return of_blocks + sum(edge["count"] * edge["instructions"] for edge in own)


def predicted(
    image: Path, code: Code, found: Executed, exported: dict
) -> tuple[defaultdict[str, Total], Counter[str], list[str]]:
    """What each function of an image executed of the program; how many addresses of it were
    compared with callgrind; and the differences.
    """
    known: dict[str, list[dict]] = {}
    for function in exported["functions"]:
        where = Path(exported["images"][function["image"]]["path"]).name
        if where == image.name and function["skipped"] is None and function["blocks"]:
            known.setdefault(function["name"], []).append(function)
    own: defaultdict[str, Total] = defaultdict(Total)
    told: Counter[str] = Counter()
    wrong: list[str] = []
    for parts in code_map(image):
        name = code.names.get(parts[0].start, "") if parts else ""
        same = known.get(name, [])
        if len(same) != 1:
            # Several of this name, or what the linker dropped.
            continue
        total = own[name]
        total.reported = same[0]["instructions"]
        total.described = described(same[0])
        total.is_vague = any(
            "instructions" in of and of["count"] is None for of in same[0]["edges"]
        )
        if not total.is_vague and total.reported != reported(same[0]):
            wrong.append(f"{name}: {total.reported}, by blocks and edges {reported(same[0])}")
        for address, count, counts in times(parts, code, same[0]):
            total.program += 0 if counts else count or 0
            total.counting += (count or 0) if counts else 0
            total.is_vague |= count is None
            total.reported -= (count or 0) if is_repeated(code.texts[address]) else 0
            if not is_compared(code.texts[address]):
                continue
            if not counts:
                total.add(code.texts[address], found[address] if count is None else count)
            if count is None:
                continue
            told[name] += 1
            if found[address] != count:
                what = f"{name} at {address:x} ({code.texts[address]})"
                wrong.append(f"{what}: callgrind {found[address]}, counted {count}")
    return own, told, wrong


def times(parts: list[Part], code: Code, function: dict) -> Iterator[tuple[int, int | None, bool]]:
    """The instructions of a function: address, how often it ran, and whether it counts."""
    blocks, edges = function["blocks"], function["edges"]
    owners = {part.start: part.owner for part in reversed(parts)}
    numbers = {(edge["from"], edge["to"]): number for number, edge in enumerate(edges)}

    def edge_to(block: int, address: int) -> int | None:
        """The edge out of a block that leads to an address."""
        owner = owners.get(address)
        if owner is None:
            return None
        return numbers.get((block, owner)) if owner < len(blocks) else owner - len(blocks)

    of_block: defaultdict[int, list[tuple[int, bool]]] = defaultdict(list)
    for part in parts:
        inside = [(address, part.counts) for address in code.within(part.start, part.end)]
        of_block[part.owner] += inside
    for owner, inside in of_block.items():
        if owner >= len(blocks):
            count = edges[owner - len(blocks)]["count"]
            yield from ((address, count, counts) for address, counts in inside)
            continue
        count = blocks[owner]["count"]
        jumps = [re.match(r"j(\w+)\s+([0-9a-f]+) ", code.texts[address]) for address, _ in inside]
        taken = [edge_to(owner, int(jump[2], 16)) if jump else None for jump in jumps]
        out = [number for number, edge in enumerate(edges) if edge["from"] == owner]
        for (address, counts), jump, edge in zip(inside, jumps, taken, strict=True):
            yield address, count, counts
            if jump and jump[1] != "mp" and count is not None and edge is not None:
                is_clear = len(jumps) - jumps.count(None) <= len(out) and taken.count(edge) == 1
                count = count - edges[edge]["count"] if is_clear else None
