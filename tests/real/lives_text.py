"""The text of a random program of `random_lives.py`, in C or C++."""

from tests.real.random_lives import DEATHS, FIRST, Function, Node, Program


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
        parts = [
            f'#define DEATH {self.program.death}\n#include "lives_head.h"\n\n',
            *functions,
            f"\n#define TABLE {table}\n#define COUNT {len(numbers)}\n",
            '#include "lives_work.h"\n\nint main(void) {\n',
            "\n".join(main),
            '\n    printf("%u\\n", state);\n    return 0;\n}\n',
        ]
        return "".join(parts)

    def function(self, function: Function) -> str:
        name = f"f{function.number}"
        entry = self.probe()
        self.entries[name] = self.probes - 1
        twice = _twice(function.body)
        apart = "__attribute__((noinline)) " if function.is_apart or twice else ""
        volatile = "volatile " if twice else ""
        lines = self.lines(function.body, 1)
        return (
            f"{apart}static unsigned {name}(unsigned depth) {{\n    {entry}\n"
            f"    {volatile}unsigned x = depth;\n"
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
        return self.line(
            depth, f"if (depth < 2) {{ x += any(dice(9), depth + 2); {self.probe()} }}"
        )

    def write_either(self, node: Node, depth: int) -> list[str]:
        one, other = node.numbers[:2]
        return self.line(
            depth, f"x += dice(2) ? f{one}(depth + 1) : f{other}(depth + 2); {self.probe()}"
        )

    def write_return(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"if (dice({2 + node.numbers[0] % 6}) == 0) {{ top = mine; {self.probe()} return x; }}",
        )

    def write_die(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"if (dice({50 + node.numbers[0] % 200}) == 0 && !aside) {{ {self.probe()} die(); }}",
        )

    def write_leap(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"if (dice({2 + node.numbers[1] % 5}) == 0 && top == mine && top) "
            f"{{ {self.probe()} leap(); }}",
        )

    def write_throw(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth, f"if (dice({3 + node.numbers[0] % 12}) == 0) {{ {self.probe()} throw 1; }}"
        )

    def write_fork(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"if (dice(10) == 0 && forks > 0 && !aside) {{ {self.probe()} "
            f"if (part() == 0) {{ {self.probe()} x++; }} {self.probe()} }}",
        )

    def write_kill(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"{self.probe()} {DEATHS[node.numbers[0]]};")

    # Statements with others in them.

    def write_if(self, node: Node, depth: int) -> list[str]:
        way = self.nest(
            f"if (dice({2 + node.numbers[0] % 4}) == 0)", node.bodies[0], depth, "} else {"
        )
        return [*way, *self.block(node.bodies[1], depth), *self.line(depth, "}")]

    def write_quiet(self, node: Node, depth: int) -> list[str]:
        """Both ways without calls first, so that a mode may leave them without a counter."""
        way = self.nest(
            f"if (x & {1 << node.numbers[0] % 4})",
            (Node("count", node.numbers), *node.bodies[0]),
            depth,
            "} else {",
        )
        return [
            *way,
            *self.lines((Node("count", node.numbers[::-1]), *node.bodies[1]), depth + 1),
            *self.line(depth, "}"),
        ]

    def write_for(self, node: Node, depth: int) -> list[str]:
        i = f"i{self.label()}"
        return self.nest(
            f"for (volatile unsigned {i} = dice({2 + node.numbers[0] % 5}); {i} > 0; {i}--)",
            node.bodies[0],
            depth,
        )

    def write_while(self, node: Node, depth: int) -> list[str]:
        head = f"while (dice({2 + node.numbers[0] % 3}) != 0)"
        stop = self.line(
            depth + 1,
            f"if (dice(8) == 0) {{ {self.probe()} break; }}",
            f"if (dice(4) == 0) {{ {self.probe()} continue; }}",
        )
        return (
            self.line(depth, f"{head} {{")
            + stop
            + self.block(node.bodies[0], depth)
            + self.line(depth, "}")
        )

    def write_do(self, node: Node, depth: int) -> list[str]:
        return self.nest(
            "do", node.bodies[0], depth, f"}} while (dice({2 + node.numbers[0] % 3}) == 0);"
        )

    def write_switch(self, node: Node, depth: int) -> list[str]:
        lines = self.line(depth, f"switch (dice({3 + node.numbers[0] % 4})) {{")
        for case, body in enumerate(node.bodies):
            lines += self.nest(f"case {case}:", body, depth)
            lines += (
                self.line(depth, "break;")
                if node.numbers[1] >> case & 1
                else self.line(depth, "/* falls through */")
            )
        return lines + self.line(depth, f"default: {self.probe()} }}")

    def write_jumps(self, node: Node, depth: int) -> list[str]:
        labels = [f"l{self.label()}" for _ in node.bodies]
        past = f"l{self.label()}"
        table = ", ".join(f"&&{label}" for label in labels)
        lines = self.line(
            depth, f"{{ static void *const to[] = {{{table}}}; goto *to[dice({len(labels)})]; }}"
        )
        for label, body in zip(labels, node.bodies, strict=True):
            lines += [
                *self.nest(f"{label}:", body, depth),
                *self.line(depth, f"if (dice(3)) goto {past};"),
            ]
        return lines + self.line(depth, f"{past}: {self.probe()}")

    def write_and(self, node: Node, depth: int) -> list[str]:
        one, two = 2 + node.numbers[0] % 3, 2 + node.numbers[1] % 3
        return self.nest(
            f"if ((dice({one}) && dice({two})) || dice(4) == 0)", node.bodies[0], depth
        )

    def write_try(self, node: Node, depth: int) -> list[str]:
        at = f"at{self.label()}"
        kind = ("int", "...", "char")[node.numbers[0] % 3 if node.numbers[1] % 3 else 0]
        lines = self.line(depth, f"{{ struct jump *const {at} = top; (void){at};")
        lines += self.nest("try", node.bodies[0], depth, f"}} catch ({kind}) {{ top = {at};")
        lines += self.block(node.bodies[1], depth)
        again = (
            self.line(depth + 1, f"if (dice(5) == 0) {{ {self.probe()} throw; }}")
            if node.numbers[2] % 3 == 0
            else []
        )
        return lines + again + self.line(depth, "} }")

    def write_guard(self, node: Node, depth: int) -> list[str]:
        at = f"g{self.label()}"
        return self.nest(
            f"{{ struct {at} {{ ~{at}() {{ {self.probe()} }} }} object;",
            node.bodies[0],
            depth,
            "} }",
        )

    def _setjmp(self, node: Node, depth: int, call: str) -> list[str]:
        here = f"here{self.label()}"
        kind = int(call.startswith("__builtin"))
        lines = self.line(
            depth, f"{{ struct jump {here}; {here}.up = top; {here}.kind = {kind}; top = &{here};"
        )
        lines += self.nest(
            f"if ({call.replace('HERE', here)} == 0)",
            node.bodies[0],
            depth,
            f"}} else {{ top = {here}.up;",
        )
        return (
            lines
            + self.block(node.bodies[1], depth)
            + self.line(depth, f"}} top = {here}.up; {self.probe()} }}")
        )

    def write_setjmp(self, node: Node, depth: int) -> list[str]:
        return self._setjmp(
            node,
            depth,
            "setjmp(HERE.buffer)" if node.numbers[0] % 2 else "sigsetjmp(HERE.buffer, 0)",
        )

    def write_bsetjmp(self, node: Node, depth: int) -> list[str]:
        return self._setjmp(node, depth, "__builtin_setjmp(HERE.words)")

    # What `main` does.

    def write_work(self, node: Node, depth: int) -> list[str]:
        return self.line(depth, f"work({node.numbers[0]}, {node.numbers[1]}); {self.probe()}")

    def write_threads(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"threads({node.numbers[0]}, {node.numbers[1]}, {node.numbers[2]}, 0); {self.probe()}",
        )

    def write_park(self, node: Node, depth: int) -> list[str]:
        return self.line(
            depth,
            f"threads({node.numbers[0]}, {node.numbers[1]}, {node.numbers[2]}, 1); {self.probe()}",
        )

    def write_child(self, node: Node, depth: int) -> list[str]:
        lines = self.line(depth, "if (part() == 0) {") + self.block(node.bodies[0], depth)
        return lines + self.line(depth + 1, "exit(0);") + self.line(depth, "}")


def _twice(body: tuple[Node, ...]) -> bool:
    """Whether a function comes back to where it was."""
    return any(
        node.kind in ("setjmp", "bsetjmp") or any(_twice(inner) for inner in node.bodies)
        for node in body
    )
