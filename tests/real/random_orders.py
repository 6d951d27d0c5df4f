"""Random OpenMP programs without races, in which none may be told.

    python3 -m tests.real.random_orders [--seed N] [--programs N]

A program is a sequence of parallel regions. What a phase of a region, from one barrier to the next
one, writes is used by nothing else in the phase, or guarded as the program's rules want: elements
by the index of an iteration, counters by a critical region, a lock or an atomic update, variables
of a task tree by `taskwait`, chains of tasks by `depend`, blocks of the heap by the thread that has
them.
"""

import random
import subprocess
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE

from tests.real import races, seeds
from tests.real.tools import PATHCC, CheckFailed, environment, run

ARRAYS, SCALARS, COUNTERS = 6, 6, 3
LENGTH = 40
THREADS = (1, 2, 3, 4, 8)

HEAD = f"""#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long a[{ARRAYS}][{LENGTH + 1}], s[{SCALARS}], c[{COUNTERS}], d[{COUNTERS}], e[{COUNTERS}];
static omp_lock_t locks[{COUNTERS}];

static long tree(int depth, long n) {{
    long left = 0, right = 0;
    if (depth == 0)
        return n;
#pragma omp task shared(left)
    left = tree(depth - 1, n + 1);
#pragma omp task shared(right) if (depth % 2)
    right = tree(depth - 1, n + 2);
#pragma omp taskwait
    return left + right;
}}

static void fill(int from, int to, int array) {{
    if (to - from < 5) {{
        for (int i = from; i < to; i++)
            a[array][i] += i;
        return;
    }}
#pragma omp task
    fill(from, (from + to) / 2, array);
#pragma omp task
    fill((from + to) / 2, to, array);
}}

"""


class Phase:
    """What is still free until the next barrier."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.arrays = list(range(ARRAYS))
        self.scalars = list(range(SCALARS))
        dice.shuffle(self.arrays)
        dice.shuffle(self.scalars)


def schedule(dice: random.Random) -> str:
    kinds = ["", "schedule(static)", "schedule(static, 3)", "schedule(dynamic)"]
    return dice.choice([*kinds, "schedule(dynamic, 2)", "schedule(guided)", "schedule(auto)"])


def guarded(dice: random.Random) -> list[str]:
    """Statements that any thread may execute at any time."""
    n = dice.randrange(COUNTERS)
    return dice.choice(
        [
            [f"#pragma omp critical(name{n})", f"c[{n}]++;"],
            ["#pragma omp atomic", f"d[{n}] += {n};"],
            [f"omp_set_lock(&locks[{n}]);", f"e[{n}]++;", f"omp_unset_lock(&locks[{n}]);"],
            ["{", "long *block = malloc(64);", "*block = 1;", "free(block);", "}"],
        ]
    )


def loop(phase: Phase) -> list[str]:
    """A shared loop over elements, or one that reduces or is ordered."""
    dice, array = phase.dice, phase.arrays.pop()
    ends = dice.choice(["", "nowait"])
    head = f"for (int i = 0; i < {LENGTH}; i++) {{"
    kind = dice.randrange(5)
    if kind == 0 and phase.scalars:
        # Behind it is a barrier, since the result is the program's.
        scalar = phase.scalars.pop()
        return [
            f"#pragma omp for {schedule(dice)} reduction(+ : s[{scalar} : 1])",
            head,
            f"a[{array}][i]++;",
            f"s[{scalar}] += i;",
            "}",
        ]
    if kind == 1 and phase.scalars:
        scalar = phase.scalars.pop()
        return [
            f"#pragma omp for ordered {schedule(dice)}",
            head,
            f"a[{array}][i]++;",
            "#pragma omp ordered",
            f"s[{scalar}] += a[{array}][i];",
            "}",
        ]
    body = [f"long own = a[{array}][i];", *guarded(dice), f"a[{array}][i] = own + i;"]
    return [f"#pragma omp for {schedule(dice)} {ends}", head, *body, "}"]


def single(phase: Phase) -> list[str]:
    """A block of one thread, perhaps with tasks."""
    dice, scalar = phase.dice, phase.scalars.pop()
    ends = dice.choice(["", "nowait"])
    kind = dice.randrange(5)
    if kind == 0 and phase.arrays:
        array = phase.arrays.pop()
        body = ["#pragma omp taskgroup", f"fill(0, {LENGTH}, {array});"]
        body += [f"s[{scalar}] = a[{array}][3];"]
    elif kind == 1:
        body = []
        for _ in range(dice.randrange(1, 5)):
            access = dice.choice(["inout", "out", "mutexinoutset"])
            body += [f"#pragma omp task depend({access} : s[{scalar}])", f"s[{scalar}]++;"]
    elif kind == 2 and phase.arrays:
        array = phase.arrays.pop()
        body = [f"#pragma omp taskloop grainsize({dice.randrange(1, 9)})"]
        body += [f"for (int i = 0; i < {LENGTH}; i++)", f"a[{array}][i] += i;"]
        body += [f"s[{scalar}] = a[{array}][7];"]
    elif kind == 3:
        body = []
        for _ in range(dice.randrange(1, 6)):
            body += ["#pragma omp task", "{", *guarded(dice), "}"]
    else:
        body = [f"s[{scalar}] = tree({dice.randrange(1, 5)}, {scalar});"]
    return [f"#pragma omp single {ends}", "{", *body, "}"]


def sections(phase: Phase) -> list[str]:
    dice = phase.dice
    lines = [f"#pragma omp sections {dice.choice(['', 'nowait'])}", "{"]
    for _ in range(min(dice.randrange(1, 4), len(phase.scalars))):
        scalar = phase.scalars.pop()
        lines += ["#pragma omp section", "{", f"s[{scalar}]++;", *guarded(dice), "}"]
    return [*lines, "}"]


def master(phase: Phase) -> list[str]:
    return ["#pragma omp master", f"s[{phase.scalars.pop()}]++;"]


def region(dice: random.Random) -> list[str]:
    """A parallel region of some phases."""
    clause = dice.choice(["", "", "num_threads(3)", "if (0)", "num_threads(1)"])
    lines = [f"#pragma omp parallel {clause}", "{", "long mine[4] = {0};"]
    for _ in range(dice.randrange(1, 4)):
        phase = Phase(dice)
        for _ in range(dice.randrange(1, 5)):
            if len(phase.arrays) < 2 or len(phase.scalars) < 4:
                break
            lines += dice.choice([loop, loop, single, sections, master])(phase)
            lines += ["mine[1]++;"]
            if dice.randrange(3) == 0:
                lines += guarded(dice)
        lines += ["#pragma omp barrier"]
    return [*lines, "}"]


def generate(seed: int) -> str:
    """A program."""
    dice = random.Random(seed)
    lines = ["int main(void) {", f"for (int i = 0; i < {COUNTERS}; i++)"]
    lines += ["omp_init_lock(&locks[i]);"]
    for _ in range(dice.randrange(1, 4)):
        lines += region(dice)
        lines += [f"a[0][{LENGTH}] += s[{dice.randrange(SCALARS)}];"]
    lines += [f'printf("%ld %ld\\n", a[0][{LENGTH}], a[1][3] + c[0] + d[1] + e[2]);', "}"]
    return HEAD + "\n".join(lines) + "\n"


def check(seed: int, level: str, home: Path) -> str:
    """Fails if a race is told in a program."""
    source = home / f"random{seed}.c"
    source.write_text(generate(seed))
    flags = ["-g", level, "-w", "-fopenmp", "-fpath-mode=trace"]
    run([PATHCC, *flags, source, "-o", "traced"], home)
    for threads in THREADS:
        env = environment(PATHCC_PROFILE=str(home), OMP_NUM_THREADS=str(threads))
        done = subprocess.run(
            [home / "traced"], cwd=home, env=env, check=False, stdout=DEVNULL, stderr=PIPE
        )
        if done.returncode != 0 or done.stderr:
            raise CheckFailed(f"seed {seed}: {done.returncode}, {done.stderr.decode()}")
        (trace,) = home.glob("*.pathtrace")
        for name, rows in races.tables(trace).items():
            if rows:
                raise CheckFailed(f"seed {seed} {level}, {threads} threads, {name}: {rows[0]}")
        trace.unlink()
    return f"{len(source.read_text().splitlines())} lines, {len(THREADS)} runs"


if __name__ == "__main__":
    sys.exit(seeds.main(__doc__, check))
