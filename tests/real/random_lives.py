"""Random C and C++ programs that leave their functions in every way.

They are trees, which can be made smaller. A program calls `pN()` wherever control may come to: a
*probe*, a function of `work/probes.c` that is not counted and adds to memory which outlives every
process. So the program knows by itself what ran, however it ended. With `-DNO_PROBES` there are
none, which gives the functions blocks without calls; then the block log says what ran.

What is random in a run comes from `dice`, whose state belongs to the thread: each run takes the
same way.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

# How many probes `work/probes.c` has, and the number of the first.
PROBES = FIRST = 1000

# What ends a process at once.
DEATHS = ["_exit(0)", "quick_exit(0)", "abort()", "raise(SIGKILL)"]


@dataclass(frozen=True)
class Node:
    """A statement: its kind, the numbers that it was made with, and the statements inside it."""

    kind: str
    numbers: tuple[int, ...] = ()
    bodies: tuple[tuple["Node", ...], ...] = ()


@dataclass(frozen=True)
class Function:
    """A function, called by its number."""

    number: int
    body: tuple[Node, ...]
    # `noinline` if it may not be inlined.
    is_apart: bool = True


@dataclass(frozen=True)
class Program:
    """A program."""

    is_cpp: bool
    functions: tuple[Function, ...]
    deeds: tuple[Node, ...]
    # What the statement `die` does.
    death: str = "exit(0)"

    @property
    def suffix(self) -> str:
        return ".cc" if self.is_cpp else ".c"

    @property
    def kinds(self) -> set[str]:
        """The kinds of all its statements."""
        nodes = [*self.deeds, *(node for function in self.functions for node in function.body)]
        kinds = set()
        while nodes:
            node = nodes.pop()
            kinds.add(node.kind)
            nodes += [inner for body in node.bodies for inner in body]
        return kinds


# Statements of functions: how likely each is, whether C has it, and how many bodies it has.
SIMPLE = {
    "count": 4,
    "call": 6,
    "pointer": 1,
    "either": 2,
    "return": 2,
    "die": 1,
    "leap": 2,
    "throw": 3,
    "fork": 1,
}
NESTED = {
    "if": (5, 2),
    "for": (3, 1),
    "while": (2, 1),
    "do": (1, 1),
    "switch": (2, 3),
    "jumps": (1, 3),
    "and": (2, 1),
    "try": (4, 2),
    "guard": (2, 1),
    "setjmp": (2, 2),
    "bsetjmp": (2, 2),
    "quiet": (2, 2),
}
ONLY_CPP = {"throw", "try", "guard", "rethrow"}
# Ways out of a block that a program of one kind does not have.
STYLES = {
    "exceptions": {"leap", "setjmp", "bsetjmp", "jumps", "fork"},
    "jumps": {"throw", "try", "guard", "fork"},
    "both": {"guard", "jumps", "fork"},
    "forks": {"leap", "setjmp", "bsetjmp", "jumps"},
}


class Maker:
    """Makes a program from a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.is_cpp = self.dice.random() < 0.6
        self.style = self.dice.choice(
            ["exceptions", "exceptions", "both", "jumps", "forks"]
            if self.is_cpp
            else ["jumps"] * 4 + ["forks"]
        )
        self.without = STYLES[self.style] | (set() if self.is_cpp else ONLY_CPP)
        if self.dice.random() < 0.4:
            self.without = self.without | {"die"}
        if not self.is_cpp and self.style == "jumps" and self.dice.random() < 0.5:
            self.without = self.without - {"jumps"}

    def program(self) -> Program:
        count = self.dice.choice([1, 2, 2, 3, 3, 4, 6])
        functions = tuple(
            Function(
                number,
                self.body(number, count, 0, self.dice.randint(1, 4)),
                self.dice.random() < 0.7,
            )
            for number in range(count)
        )
        deeds = []
        for deed in range(self.dice.randint(1, 4)):
            kind = self.dice.choices(["work", "threads", "child", "park"], [4, 2, 2, 1])[0]
            inner = (
                (Node("kill", (self.dice.randrange(len(DEATHS)),)),)
                if self.dice.random() < 0.4
                else ()
            )
            bodies = (
                (((Node("work", (deed * 31 + 7, self.dice.randint(3, 30))), *inner)),)
                if kind == "child"
                else ()
            )
            deeds.append(
                Node(
                    kind,
                    (deed * 7919 + 1, self.dice.randint(3, 40), self.dice.randint(1, 4)),
                    bodies,
                )
            )
        death = "exit(0)" if self.dice.random() < 0.6 else self.dice.choice(DEATHS)
        return Program(self.is_cpp, functions, tuple(deeds), death)

    def body(self, number: int, count: int, depth: int, length: int) -> tuple[Node, ...]:
        return tuple(self.statement(number, count, depth) for _ in range(length))

    def statement(self, number: int, count: int, depth: int) -> Node:
        weights = {kind: weight for kind, weight in SIMPLE.items() if kind not in self.without}
        if number + 1 == count:
            weights = {
                kind: weight for kind, weight in weights.items() if kind not in ("call", "either")
            }
        if depth < 3:
            weights |= {
                kind: weight for kind, (weight, _) in NESTED.items() if kind not in self.without
            }
        kind = self.dice.choices(list(weights), list(weights.values()))[0]
        numbers = [self.dice.randrange(1 << 16) for _ in range(3)]
        if kind in ("call", "either"):
            numbers[0], numbers[1] = (self.dice.randrange(number + 1, count) for _ in range(2))
        bodies = NESTED[kind][1] if kind in NESTED else 0
        return Node(
            kind,
            tuple(numbers),
            tuple(
                self.body(number, count, depth + 1, self.dice.choice([1, 1, 1, 2, 2, 3]))
                for _ in range(bodies)
            ),
        )


def make(seed: int) -> Program:
    """The program of a seed."""
    return Maker(seed).program()


def smaller(program: Program) -> Iterator[Program]:
    """Programs with a little less, the least first."""
    if len(program.functions) > 1:
        called = _called(program)
        for function in program.functions:
            if function.number not in called:
                yield replace(
                    program,
                    functions=tuple(other for other in program.functions if other is not function),
                )
    for function in program.functions:
        if len(function.body) > 1:
            empty = replace(function, body=())
            yield replace(
                program,
                functions=tuple(
                    empty if other is function else other for other in program.functions
                ),
            )
    for deeds in _shrunk(program.deeds):
        if deeds:
            yield replace(program, deeds=deeds)
    for place, function in enumerate(program.functions):
        for body in _shrunk(function.body):
            functions = list(program.functions)
            functions[place] = replace(function, body=body)
            yield replace(program, functions=tuple(functions))


def _called(program: Program) -> set[int]:
    found: set[int] = set()

    def look(body: tuple[Node, ...]) -> None:
        for node in body:
            found.update(
                node.numbers[:1]
                if node.kind == "call"
                else node.numbers[:2]
                if node.kind == "either"
                else ()
            )
            for inner in node.bodies:
                look(inner)

    for function in program.functions:
        look(function.body)
    return found


def _shrunk(body: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """The body without one statement, or with one that is replaced by what is in it, or smaller
    inside.
    """
    if len(body) > 3:
        yield body[: len(body) // 2]
        yield body[len(body) // 2 :]
    for place, node in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        yield before + after
        if node.kind not in ("child",):
            for inner in node.bodies:
                yield before + inner + after
        for number, inner in enumerate(node.bodies):
            for less in _shrunk(inner):
                bodies = (*node.bodies[:number], less, *node.bodies[number + 1 :])
                yield (*before, replace(node, bodies=bodies), *after)


def minimal(program: Program, fails: Callable[[Program], bool], tries: int = 150) -> Program:
    """A smaller program that fails in the same way."""
    found = True
    while found and tries > 0:
        found = False
        for candidate in smaller(program):
            tries -= 1
            if tries <= 0:
                break
            if fails(candidate):
                program, found = candidate, True
                break
    return program
