"""Random programs whose loops leave no register free, counted in machine code.

    python3 -m tests.real.full_loops [--seconds N] [--count N] [--seed N]

Counting has to borrow registers of the program there, in one loop and in the loop around it. Each
program must print what it prints with plain clang, and its counts must equal those of its block
log, with counters in memory and in registers. A program that fails is kept in
target/real/full-loops and its seed is printed.
"""

import random
import shutil
import sys

from tests.real import csmith, random_programs
from tests.real.tools import SCRATCH, CheckFailed, build_tools

KEPT = SCRATCH / "full-loops"

# What `make test` checks. Each once printed something else, with counters in registers.
SEEDS = (3, 8, 14, 20)


def make(seed: int) -> str:
    """The program of a seed: a loop in a loop, while up to fifteen values are alive."""
    dice = random.Random(seed)
    values = [f"v{number}" for number in range(dice.randint(10, 15))]
    parameters = ", ".join(f"unsigned long {value}" for value in values)
    lines = [
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "__attribute__((noinline)) unsigned long",
        f"f(const unsigned char *a, long n, {parameters}) {{",
        "    unsigned long s = 0;",
        "    for (long o = 0; o < 6; o++) {",
        f"        if (a[o] & 1) s += {dice.choice(values)}; else s ^= {dice.choice(values)};",
        "        for (long i = 0; i < n; i++) {",
    ]
    for _ in range(dice.randint(1, 3)):
        one, other = dice.sample(values, 2)
        step = f"s = s * 3 + {one}; if (s & {dice.choice([1, 2, 4])}) s -= {other};"
        lines.append(f"            if (a[i] > {dice.randint(20, 230)}) {{ {step} }}")
    arguments = ", ".join(f"t + {dice.randint(1, 99)}" for _ in values)
    lines += [
        "        }",
        f"        s += {' ^ '.join(values)} ^ o;",
        "    }",
        "    return s;",
        "}",
        "int main(void) {",
        "    unsigned char a[512];",
        "    srand(7);",
        "    for (int i = 0; i < 512; i++) a[i] = rand() >> 7;",
        "    unsigned long t = 0;",
        f"    for (int k = 0; k < 20; k++) t += f(a, 512 - k, {arguments});",
        '    printf("%lu\\n", t);',
        "    return 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def check(seed: int) -> str:
    """Checks the program of one seed."""
    home = KEPT / str(seed)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "program.c").write_text(make(seed))
    found = []
    for less in ("", " -fpath-promotion=no"):
        try:
            found.append(csmith.check_level(home, "-g -O2", f"-fpath-stage=machine{less}"))
        except CheckFailed as failure:
            raise CheckFailed(f"{less}, kept in {home}: {failure}") from None
    shutil.rmtree(home)
    return "; ".join(found)


def main() -> int:
    build_tools()
    return random_programs.roll(__doc__.splitlines()[0], check)


if __name__ == "__main__":
    sys.exit(main())
