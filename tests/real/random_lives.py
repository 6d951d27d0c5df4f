"""Random C and C++ programs that leave their functions in every way, as trees that can be made smaller.

A program calls `pN()` wherever control may come to: a *probe*, a function of `work/probes.c` that is not counted and adds to
memory which outlives every process. So the program knows by itself what ran, however it ended. With `-DNO_PROBES` there are
none, which gives the functions blocks without calls; then the block log says what ran.

What is random in a run comes from `dice`, whose state belongs to the thread: each run takes the same way.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

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
SIMPLE = {"count": 4, "call": 6, "pointer": 1, "either": 2, "return": 2, "die": 1, "leap": 2, "throw": 3, "fork": 1}
NESTED = {
    "if": (5, 2), "for": (3, 1), "while": (2, 1), "do": (1, 1), "switch": (2, 3), "jumps": (1, 3), "and": (2, 1),
    "try": (4, 2), "guard": (2, 1), "setjmp": (2, 2), "bsetjmp": (2, 2), "quiet": (2, 2),
}  # fmt: skip
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
        self.style = self.dice.choice(["exceptions", "exceptions", "both", "jumps", "forks"] if self.is_cpp else ["jumps"] * 4 + ["forks"])
        self.without = STYLES[self.style] | (set() if self.is_cpp else ONLY_CPP)
        if self.dice.random() < 0.4:
            self.without = self.without | {"die"}
        if not self.is_cpp and self.style == "jumps" and self.dice.random() < 0.5:
            self.without = self.without - {"jumps"}

    def program(self) -> Program:
        count = self.dice.choice([1, 2, 2, 3, 3, 4, 6])
        functions = tuple(
            Function(number, self.body(number, count, 0, self.dice.randint(1, 4)), self.dice.random() < 0.7)
            for number in range(count)
        )
        deeds = []
        for deed in range(self.dice.randint(1, 4)):
            kind = self.dice.choices(["work", "threads", "child", "park"], [4, 2, 2, 1])[0]
            inner = (Node("kill", (self.dice.randrange(len(DEATHS)),)),) if self.dice.random() < 0.4 else ()
            bodies = (((Node("work", (deed * 31 + 7, self.dice.randint(3, 30))), *inner)),) if kind == "child" else ()
            deeds.append(Node(kind, (deed * 7919 + 1, self.dice.randint(3, 40), self.dice.randint(1, 4)), bodies))
        death = "exit(0)" if self.dice.random() < 0.6 else self.dice.choice(DEATHS)
        return Program(self.is_cpp, functions, tuple(deeds), death)

    def body(self, number: int, count: int, depth: int, length: int) -> tuple[Node, ...]:
        return tuple(self.statement(number, count, depth) for _ in range(length))

    def statement(self, number: int, count: int, depth: int) -> Node:
        weights = {kind: weight for kind, weight in SIMPLE.items() if kind not in self.without}
        if number + 1 == count:
            weights = {kind: weight for kind, weight in weights.items() if kind not in ("call", "either")}
        if depth < 3:
            weights |= {kind: weight for kind, (weight, _) in NESTED.items() if kind not in self.without}
        kind = self.dice.choices(list(weights), list(weights.values()))[0]
        numbers = [self.dice.randrange(1 << 16) for _ in range(3)]
        if kind in ("call", "either"):
            numbers[0], numbers[1] = (self.dice.randrange(number + 1, count) for _ in range(2))
        bodies = NESTED[kind][1] if kind in NESTED else 0
        return Node(
            kind,
            tuple(numbers),
            tuple(self.body(number, count, depth + 1, self.dice.choice([1, 1, 1, 2, 2, 3])) for _ in range(bodies)),
        )


class Writer:
    """Writes a program as text. Probes are numbered in the order in which they stand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.probes = 0
        self.labels = 0
        self.entries: dict[str, int] = {}

    def probe(self) -> str:
        self.probes += 1
        return f"P({FIRST + self.probes - 1});"

    def label(self) -> int:
        self.labels += 1
        return self.labels

    def text(self) -> str:
        functions = [self.function(function) for function in reversed(self.program.functions)]
        deeds = self.lines(self.program.deeds, 1)
        main = [f"    {self.probe()}", *deeds, f"    {self.probe()}"]
        numbers = sorted(function.number for function in self.program.functions)
        table = ", ".join(f"f{number}" for number in numbers)
        return "".join([
            f'#define DEATH {self.program.death}\n#include "lives_head.h"\n\n',
            *functions,
            f'\n#define TABLE {table}\n#define COUNT {len(numbers)}\n#include "lives_work.h"\n\n',
            "int main(void) {\n" + "\n".join(main) + '\n    printf("%u\\n", state);\n    return 0;\n}\n',
        ])  # fmt: skip

    def function(self, function: Function) -> str:
        name = f"f{function.number}"
        entry = self.probe()
        self.entries[name] = self.probes - 1
        twice = _twice(function.body)
        apart = "__attribute__((noinline)) " if function.is_apart or twice else ""
        volatile = "volatile " if twice else ""
        lines = self.lines(function.body, 1)
        return (
            f"{apart}static unsigned {name}(unsigned depth) {{\n    {entry}\n    {volatile}unsigned x = depth;\n"
            "    struct jump *const mine = top;\n    (void)mine;\n    if (depth > 5) return x;\n"
            + "\n".join(lines)
            + f"\n    {self.probe()}\n    return x;\n}}\n"
        )

    def lines(self, body: tuple[Node, ...], depth: int) -> list[str]:
        return [line for node in body for line in getattr(self, f"write_{node.kind}")(node, depth)]

    def block(self, body: tuple[Node, ...], depth: int) -> list[str]:
        return [f"{'    ' * (depth + 1)}{self.probe()}", *self.lines(body, depth + 1)]

    def nest(self, head: str, body: tuple[Node, ...], depth: int, tail: str = "}") -> list[str]:
        indent = "    " * depth
        return [f"{indent}{head} {{", *self.block(body, depth), f"{indent}{tail}"]

    def line(self, depth: int, *texts: str) -> list[str]:
        return [f"{'    ' * depth}{text}" for text in texts]

    # Statements without others in them.

    def write_count(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"x = x * {node.numbers[0] | 1}u + {node.numbers[1]}u;")

    def write_call(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"x += f{node.numbers[0]}(depth + 1); {self.probe()}")

    def write_pointer(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (depth < 2) {{ x += any(dice(9), depth + 2); {self.probe()} }}")

    def write_either(self, node: Node, depth: int) -> list[str]:
        one, other = node.numbers[:2]
        return self.line(depth, f"x += dice(2) ? f{one}(depth + 1) : f{other}(depth + 2); {self.probe()}")

    def write_return(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (dice({2 + node.numbers[0] % 6}) == 0) {{ top = mine; {self.probe()} return x; }}")

    def write_die(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (dice({50 + node.numbers[0] % 200}) == 0 && !aside) {{ {self.probe()} die(); }}")

    def write_leap(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (dice({2 + node.numbers[1] % 5}) == 0 && top == mine && top) {{ {self.probe()} leap(); }}")

    def write_throw(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (dice({3 + node.numbers[0] % 12}) == 0) {{ {self.probe()} throw 1; }}")

    def write_fork(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"if (dice(10) == 0 && forks > 0 && !aside) {{ {self.probe()} if (part() == 0) {{ {self.probe()} x++; }} {self.probe()} }}")

    def write_kill(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"{self.probe()} {DEATHS[node.numbers[0]]};")

    # Statements with others in them.

    def write_if(self, node: Node, depth: int) -> list[str]:
        way = self.nest(f"if (dice({2 + node.numbers[0] % 4}) == 0)", node.bodies[0], depth, "} else {")
        return way + [*self.block(node.bodies[1], depth), *self.line(depth, "}")]

    def write_quiet(self, node: Node, depth: int) -> list[str]:
        """Both ways without calls first, so that a mode may leave them without a counter."""
        way = self.nest(f"if (x & {1 << node.numbers[0] % 4})", (Node("count", node.numbers), *node.bodies[0]), depth, "} else {")
        return way + [*self.lines((Node("count", node.numbers[::-1]), *node.bodies[1]), depth + 1), *self.line(depth, "}")]

    def write_for(self, node: Node, depth: int) -> list[str]:
        i = f"i{self.label()}"
        return self.nest(f"for (volatile unsigned {i} = dice({2 + node.numbers[0] % 5}); {i} > 0; {i}--)", node.bodies[0], depth)

    def write_while(self, node: Node, depth: int) -> list[str]:
        head = f"while (dice({2 + node.numbers[0] % 3}) != 0)"
        stop = self.line(depth + 1, f"if (dice(8) == 0) {{ {self.probe()} break; }}", f"if (dice(4) == 0) {{ {self.probe()} continue; }}")
        return self.line(depth, f"{head} {{") + stop + self.block(node.bodies[0], depth) + self.line(depth, "}")

    def write_do(self, node: Node, depth: int) -> list[str]:
        return self.nest("do", node.bodies[0], depth, f"}} while (dice({2 + node.numbers[0] % 3}) == 0);")

    def write_switch(self, node: Node, depth: int) -> list[str]:
        lines = self.line(depth, f"switch (dice({3 + node.numbers[0] % 4})) {{")
        for case, body in enumerate(node.bodies):
            lines += self.nest(f"case {case}:", body, depth)
            lines += self.line(depth, "break;") if node.numbers[1] >> case & 1 else self.line(depth, "/* falls through */")
        return lines + self.line(depth, f"default: {self.probe()} }}")

    def write_jumps(self, node: Node, depth: int) -> list[str]:
        labels = [f"l{self.label()}" for _ in node.bodies]
        past = f"l{self.label()}"
        table = ", ".join(f"&&{label}" for label in labels)
        lines = self.line(depth, f"{{ static void *const to[] = {{{table}}}; goto *to[dice({len(labels)})]; }}")
        for label, body in zip(labels, node.bodies):
            lines += [*self.nest(f"{label}:", body, depth), *self.line(depth, f"if (dice(3)) goto {past};")]
        return lines + self.line(depth, f"{past}: {self.probe()}")

    def write_and(self, node: Node, depth: int) -> list[str]:
        one, two = 2 + node.numbers[0] % 3, 2 + node.numbers[1] % 3
        return self.nest(f"if ((dice({one}) && dice({two})) || dice(4) == 0)", node.bodies[0], depth)

    def write_try(self, node: Node, depth: int) -> list[str]:
        at = f"at{self.label()}"
        kind = ("int", "...", "char")[node.numbers[0] % 3 if node.numbers[1] % 3 else 0]
        lines = self.line(depth, f"{{ struct jump *const {at} = top; (void){at};")
        lines += self.nest("try", node.bodies[0], depth, f"}} catch ({kind}) {{ top = {at};")
        lines += self.block(node.bodies[1], depth)
        again = self.line(depth + 1, f"if (dice(5) == 0) {{ {self.probe()} throw; }}") if node.numbers[2] % 3 == 0 else []
        return lines + again + self.line(depth, "} }")

    def write_guard(self, node: Node, depth: int) -> list[str]:
        at = f"g{self.label()}"
        return self.nest(f"{{ struct {at} {{ ~{at}() {{ {self.probe()} }} }} object;", node.bodies[0], depth, "} }")

    def _setjmp(self, node: Node, depth: int, call: str) -> list[str]:
        here = f"here{self.label()}"
        kind = int(call.startswith("__builtin"))
        lines = self.line(depth, f"{{ struct jump {here}; {here}.up = top; {here}.kind = {kind}; top = &{here};")
        lines += self.nest(f"if ({call.replace('HERE', here)} == 0)", node.bodies[0], depth, f"}} else {{ top = {here}.up;")
        return lines + self.block(node.bodies[1], depth) + self.line(depth, f"}} top = {here}.up; {self.probe()} }}")

    def write_setjmp(self, node: Node, depth: int) -> list[str]:
        return self._setjmp(node, depth, "setjmp(HERE.buffer)" if node.numbers[0] % 2 else "sigsetjmp(HERE.buffer, 0)")

    def write_bsetjmp(self, node: Node, depth: int) -> list[str]:
        return self._setjmp(node, depth, "__builtin_setjmp(HERE.words)")

    # What `main` does.

    def write_work(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"work({node.numbers[0]}, {node.numbers[1]}); {self.probe()}")

    def write_threads(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"threads({node.numbers[0]}, {node.numbers[1]}, {node.numbers[2]}, 0); {self.probe()}")

    def write_park(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"threads({node.numbers[0]}, {node.numbers[1]}, {node.numbers[2]}, 1); {self.probe()}")

    def write_child(self, node: Node, depth: int) -> list[str]:
        lines = self.line(depth, "if (part() == 0) {") + self.block(node.bodies[0], depth)
        return lines + self.line(depth + 1, "exit(0);") + self.line(depth, "}")


def _twice(body: tuple[Node, ...]) -> bool:
    """Whether a function comes back to where it was."""
    return any(node.kind in ("setjmp", "bsetjmp") or any(_twice(inner) for inner in node.bodies) for node in body)


def make(seed: int) -> Program:
    """The program of a seed."""
    return Maker(seed).program()


def smaller(program: Program) -> Iterator[Program]:
    """Programs with a little less, the least first."""
    if len(program.functions) > 1:
        called = _called(program)
        for function in program.functions:
            if function.number not in called:
                yield replace(program, functions=tuple(other for other in program.functions if other is not function))
    for function in program.functions:
        if len(function.body) > 1:
            empty = replace(function, body=())
            yield replace(program, functions=tuple(empty if other is function else other for other in program.functions))
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
            found.update(node.numbers[:1] if node.kind == "call" else node.numbers[:2] if node.kind == "either" else ())
            for inner in node.bodies:
                look(inner)

    for function in program.functions:
        look(function.body)
    return found


def _shrunk(body: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """The body without one statement, or with one that is replaced by what is in it, or smaller inside."""
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
                bodies = node.bodies[:number] + (less,) + node.bodies[number + 1 :]
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
