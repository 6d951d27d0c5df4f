"""Random programs of C++ threads without races, killed or not, in which none may be told.

    python3 -m tests.real.random_threads [--seed N] [--programs N]

A program has some phases, one barrier after the other. In each, its threads execute actions in any
order. Whatever an action accesses is guarded as C++ or POSIX want: by a lock of any kind, by an
atomic variable that is released and acquired, by fences, by what runs once, by creation and join,
by the barrier, or by the allocator. Locks are taken in one order, so that no thread waits for ever.
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from subprocess import DEVNULL, PIPE

from tests.real import races, seeds
from tests.real.tools import PATHCC, CheckFailed, environment, run

LOCKS, CELLS, STATICS = 3, 8, 3
CLANG_CXX = "clang++-22"

HEAD = f"""#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <semaphore>
#include <semaphore.h>
#include <shared_mutex>
#include <stdio.h>
#include <stdlib.h>
#include <thread>
#include <vector>

static std::mutex locks[{LOCKS}];
static std::recursive_mutex again[{LOCKS}];
static std::timed_mutex timed[{LOCKS}];
static std::shared_mutex shared[{LOCKS}];
static pthread_spinlock_t spins[{LOCKS}];
static pthread_rwlock_t readers[{LOCKS}];
static sem_t tokens[{LOCKS}];
static std::binary_semaphore binary{{1}};
static std::atomic_flag flag;
static long a[{LOCKS}], b[{LOCKS}], c[{LOCKS}], d[{LOCKS}], e[{LOCKS}], f[{LOCKS}], g[{LOCKS}];
static long h, k;

// Blocks that one thread makes and another one frees.
static std::mutex gate;
static std::condition_variable filled;
static long *blocks[64];
static int count;

static std::once_flag once[{STATICS}];
static long made[{STATICS}];

// What a thread publishes.
struct Cell {{
    long content = 0;
    std::atomic<int> is_ready = 0;
    long fenced = 0;
    std::atomic<int> is_fenced = 0;
    std::atomic<long *> block = nullptr;
}};
static Cell cells[{CELLS}];

static thread_local long mine;

static long *of_static(int n) {{
    static long known[4] = {{n, 1, 2, 3}};
    return known;
}}

static void give() {{
    long *block = static_cast<long *>(malloc(64));
    block[0] = 1;
    std::lock_guard held(gate);
    if (count < 64)
        blocks[count++] = block;
    else
        free(block);
    filled.notify_one();
}}

static void take() {{
    long *block;
    {{
        std::unique_lock held(gate);
        if (!count)
            return;
        filled.wait(held, [] {{ return count > 0; }});
        block = blocks[--count];
    }}
    block[0]++;
    free(block);
}}

static void spin_up(int turns) {{
    for (int i = 0; i < turns; i++) {{
        while (flag.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
        h++;
        flag.clear(std::memory_order_release);
    }}
}}

"""


def guarded(dice: random.Random) -> list[str]:
    """An update under a lock of some kind."""
    n = dice.randrange(LOCKS)
    return dice.choice(
        [
            [f"{{ std::lock_guard held(locks[{n}]); a[{n}]++; }}"],
            [f"if (locks[{n}].try_lock()) {{ a[{n}]++; locks[{n}].unlock(); }}"],
            [
                f"{{ std::lock_guard held(again[{n}]); b[{n}]++;",
                f"std::lock_guard twice(again[{n}]); b[{n}]++; }}",
            ],
            [
                f"if (timed[{n}].try_lock_for(std::chrono::seconds(100))) {{",
                f"c[{n}]++; timed[{n}].unlock(); }}",
            ],
            [f"{{ std::unique_lock held(shared[{n}]); d[{n}]++; }}"],
            [f"{{ std::shared_lock held(shared[{n}]); mine += d[{n}]; }}"],
            [f"pthread_spin_lock(&spins[{n}]); e[{n}]++; pthread_spin_unlock(&spins[{n}]);"],
            [
                f"pthread_rwlock_wrlock(&readers[{n}]);",
                f"f[{n}]++; pthread_rwlock_unlock(&readers[{n}]);",
            ],
            [
                f"pthread_rwlock_rdlock(&readers[{n}]);",
                f"mine += f[{n}]; pthread_rwlock_unlock(&readers[{n}]);",
            ],
            [f"sem_wait(&tokens[{n}]); g[{n}]++; sem_post(&tokens[{n}]);"],
            ["binary.acquire(); k++; binary.release();"],
            [f"spin_up({dice.randrange(1, 4)});"],
            ["{ std::scoped_lock both(locks[0], locks[1]); a[0] += a[1]; }"],
            [
                "{ std::lock_guard outer(locks[0]); std::lock_guard inner(locks[2]);",
                "a[0]++; a[2] += a[0]; }",
            ],
        ]
    )


def once(dice: random.Random) -> list[str]:
    n = dice.randrange(STATICS)
    return dice.choice(
        [
            [f"std::call_once(once[{n}], [] {{ made[{n}] = {n} + 1; }});", f"mine += made[{n}];"],
            [f"mine += of_static({n})[{n}];"],
        ]
    )


def heap(dice: random.Random) -> list[str]:
    return dice.choice(
        [
            ["give();"],
            ["take();"],
            ["give();", "take();"],
            ["{ std::vector<long> own(10); own[3] = mine; mine += own[3]; }"],
            ["{ long *own = new long[4]; own[2] = 1; delete[] own; }"],
            ["free(malloc(100));"],
        ]
    )


def child(dice: random.Random) -> list[str]:
    """A thread of a thread, which has what its creator wrote before, and gives back a result."""
    body = " ".join(line for _ in range(dice.randrange(1, 3)) for line in guarded(dice))
    return [
        "{ long result = mine; long *made = new long(1);",
        f"std::thread other([&] {{ result += *made; {body} delete made; }});",
        "other.join(); mine = result; }",
    ]


def read(dice: random.Random) -> list[str]:
    """What another thread may have published."""
    cell = f"cells[{dice.randrange(CELLS)}]"
    return dice.choice(
        [
            [f"if ({cell}.is_ready.load(std::memory_order_acquire)) mine += {cell}.content;"],
            [
                f"if ({cell}.is_fenced.load(std::memory_order_relaxed)) {{",
                "std::atomic_thread_fence(std::memory_order_acquire);",
                f"mine += {cell}.fenced; }}",
            ],
            [
                f"if (long *block = {cell}.block.exchange(nullptr, std::memory_order_acq_rel))",
                "{ *block += 1; free(block); }",
            ],
        ]
    )


def publish(number: int, dice: random.Random) -> list[str]:
    """What only one thread of the phase publishes: it is the number of a cell."""
    cell = f"cells[{number}]"
    return dice.choice(
        [
            [f"{cell}.content = 5;", f"{cell}.is_ready.store(1, std::memory_order_release);"],
            [
                f"{cell}.fenced = 6;",
                "std::atomic_thread_fence(std::memory_order_release);",
                f"{cell}.is_fenced.store(1, std::memory_order_relaxed);",
            ],
            [
                "{ long *block = static_cast<long *>(malloc(32)); *block = 1;",
                f"free({cell}.block.exchange(block, std::memory_order_acq_rel)); }}",
            ],
        ]
    )


def thread(number: int, phases: int, dice: random.Random) -> tuple[list[str], list[str]]:
    """The body of a thread, and what of it can be done again: what is published is not changed."""
    body: list[str] = []
    repeated: list[str] = []
    free_cells = [cell for cell in range(CELLS) if cell % 4 == number % 4]
    for phase in range(phases):
        for _ in range(dice.randrange(2, 8)):
            kind = dice.randrange(12)
            if kind == 11 and free_cells:
                body += publish(free_cells.pop(), dice)
                continue
            action = [guarded] * 5 + [once] + [heap] * 2 + [child] + [read] * 3
            lines = action[kind](dice)
            body += lines
            repeated += lines
        turns = f"turns[{phase % 2}]"
        lines = [f"{turns}[{number}] = mine;", "meet.arrive_and_wait();"]
        lines += [f"mine += {turns}[{dice.randrange(4)}];", "meet.arrive_and_wait();"]
        body += lines
        repeated += lines
    return body, repeated


def generate(seed: int) -> str:
    """A program. Its word says how often all of it is done."""
    dice = random.Random(seed)
    threads, phases = dice.randrange(2, 5), dice.randrange(1, 4)
    lines = [f"static std::barrier<> meet({threads});", "static long turns[2][4];"]
    lines += [f"static std::latch begun({threads});"]
    for number in range(threads):
        body, repeated = thread(number, phases, dice)
        lines += [f"static void first{number}() {{", *body, "}"]
        lines += [f"static void again{number}() {{", *repeated, "}"]
        lines += [f"static void run{number}(int rounds) {{", "begun.arrive_and_wait();"]
        lines += [f"first{number}();", "for (int i = 1; i < rounds; i++)", f"again{number}();", "}"]
    lines += ["int main(int, char **words) {", f"for (int n = 0; n < {LOCKS}; n++) {{"]
    lines += ["pthread_spin_init(&spins[n], 0); pthread_rwlock_init(&readers[n], nullptr);"]
    lines += ["sem_init(&tokens[n], 0, 1); }", "const int rounds = atoi(words[1]);"]
    lines += ["std::vector<std::thread> all;"]
    lines += [f"all.emplace_back(run{number}, rounds);" for number in range(threads)]
    lines += ["for (std::thread &one : all) one.join();"]
    lines += ['printf("%ld\\n", a[0] + h + k + count + turns[0][0]);', "}"]
    return HEAD + "\n".join(lines) + "\n"


def check(seed: int, level: str, home: Path, *, deaths: int = 3) -> str:
    """Fails if a race is told in a program, of which some runs are killed at any time."""
    source = home / f"threads{seed}.cpp"
    source.write_text(generate(seed))
    flags = ["-std=c++20", "-g", level, "-w", "-pthread", "-fpath-mode=trace"]
    run([PATHCC.with_name("pathc++"), *flags, source, "-o", "traced"], home)
    dice = random.Random(seed)
    for death in [None] * 2 + [dice.random() * 0.02 for _ in range(deaths)]:
        command = [home / "traced", "2" if death is None else "100000"]
        child = subprocess.Popen(
            command,
            cwd=home,
            env=environment(PATHCC_PROFILE=str(home)),
            stdout=DEVNULL,
            stderr=PIPE,
        )
        if death is not None:
            time.sleep(death)
            child.kill()
        _, errors = child.communicate(timeout=300)
        if errors or (death is None and child.returncode != 0):
            raise CheckFailed(f"seed {seed}: {child.returncode}, {errors.decode()}")
        for trace in home.glob("*.pathtrace"):
            if trace.stat().st_size == 0:
                # It was killed when it had just made the file.
                trace.unlink()
                continue
            for name, rows in races.tables(trace).items():
                if rows:
                    when = "" if death is None else f", killed after {death * 1000:.1f} ms"
                    raise CheckFailed(f"seed {seed} {level}{when}, {name}: {rows[0]}")
            trace.unlink()
    return f"{len(source.read_text().splitlines())} lines, {2 + deaths} runs, {deaths} killed"


def without_fences() -> Iterator[int]:
    """Seeds of programs without fences, which ThreadSanitizer does not know."""
    return (seed for seed in count() if "atomic_thread_fence" not in generate(seed))


def check_sanitized(seed: int, home: Path) -> str:
    """Fails if ThreadSanitizer tells a race in a program."""
    source = home / f"threads{seed}.cpp"
    source.write_text(generate(seed))
    flags = ["-std=c++20", "-g", "-O1", "-w", "-pthread", "-fsanitize=thread"]
    run([CLANG_CXX, *flags, source, "-o", "sanitized"], home)
    run([home / "sanitized", "3"], home)
    return "ThreadSanitizer tells no race"


if __name__ == "__main__":
    sys.exit(seeds.main(__doc__, check))
