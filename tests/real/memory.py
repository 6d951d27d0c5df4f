"""What a trace says of memory against cachegrind, and against answers in closed form.

Cachegrind sees what only machine code has: the return addresses of calls, registers that a function
saves, and spills. It counts an instruction that reads and writes as a read. So reads and misses of
a function may differ by some accesses for each of its calls. Its arrays are far larger.
Instructions share the last level with data.
"""

import json
from pathlib import Path

from tests.real.tools import CLANG, PATHCC, PATHPROF, CheckFailed, environment, run

CACHES = {
    "32K": (["--size", "32K", "--ways", "8", "--line", "64"], "32768,8,64"),
    "direct": (["--size", "16K", "--ways", "1", "--line", "32"], "16384,1,32"),
    "wide": (["--size", "48K", "--ways", "12", "--line", "64"], "49152,12,64"),
}

KERNELS = """#include <stdlib.h>
enum { N = 96, M = 1 << 15 };
static double a[N][N], b[N][N], c[N][N];
static long table[M];
static volatile long sink;
#define KERNEL __attribute__((noinline)) void
KERNEL fill(long seed) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = seed + i, b[i][j] = seed - j;
}
KERNEL multiply(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}
KERNEL stride(int step) {
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < M; i += step) table[i] += i;
}
KERNEL chase(void) {
  unsigned x = 1;
  long s = 0;
  for (int i = 0; i < 50000; i++) {
    x = x * 1664525u + 1013904223u;
    s += table[x >> 17];
  }
  sink = s;
}
KERNEL straddle(const char *bytes, long n) {
  long s = 0;
  for (long i = 0; i + 8 <= n; i += 13) s += *(const long *)(bytes + i);
  sink = s;
}
int main(int argc, char **argv) {
  fill(argc);
  multiply();
  stride(8);
  stride(3);
  chase();
  straddle((const char *)table, sizeof table);
  return c[3][4] == 0;
}
"""

FUNCTIONS = ("fill", "multiply", "stride", "chase", "straddle")
FLAGS = ["-g", "-O1", "-fno-vectorize", "-fno-unroll-loops", "-no-pie"]

ROUNDS = 200
ITEMS = 1000

THREADS = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#define ROUNDS {rounds}
#define ITEMS {items}
sem_t turn[2], full;
struct { volatile int first, second; } neighbours __attribute__((aligned(64)));
struct { volatile int first __attribute__((aligned(64))), second __attribute__((aligned(64))); }
    padded __attribute__((aligned(64)));
volatile int counter __attribute__((aligned(64)));
volatile long total __attribute__((aligned(64)));
volatile long *items __attribute__((aligned(64)));
void *one(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&turn[0]);
    neighbours.first++;
    padded.first++;
    counter++; /* one */
    sem_post(&turn[1]);
  }
  for (int i = 0; i < ITEMS; i++)
    items[i] = i; /* produce */
  sem_post(&full);
  return unused;
}
void *two(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&turn[1]);
    neighbours.second++;
    padded.second++;
    counter++; /* two */
    sem_post(&turn[0]);
  }
  sem_wait(&full);
  for (int i = 0; i < ITEMS; i++)
    total += items[i]; /* consume */
  return unused;
}
int main(void) {
  pthread_t threads[2];
  items = malloc(ITEMS * sizeof *items); /* items */
  sem_init(&turn[0], 0, 1);
  sem_init(&turn[1], 0, 0);
  sem_init(&full, 0, 0);
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  free((void *)items);
  return total != (long)ITEMS * (ITEMS - 1) / 2;
}
"""


def traced(source: str, flags: list[str], home: Path) -> Path:
    """The trace of a program."""
    (home / "memory.c").write_text(source)
    run([PATHCC, *flags, "-fpath-mode=trace", "memory.c", "-o", "traced"], home)
    run([home / "traced"], home, env=environment(PATHCC_PROFILE=str(home)))
    (trace,) = home.glob("*.pathtrace")
    return trace


def tables(trace: Path, *arguments: str) -> list[list[dict]]:
    """The rows of the tables that `pathprof trace` writes."""
    command = [PATHPROF, "trace", *arguments, trace, "--format", "json", "--top", "0"]
    return [table["rows"] for table in json.loads(run(command, trace.parent))["tables"]]


def cachegrind(path: Path) -> dict[str, dict[str, int]]:
    """The counts of each function in a file of cachegrind."""
    functions: dict[str, dict[str, int]] = {}
    events: list[str] = []
    current: dict[str, int] = {}
    for line in path.read_text().splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):
            current = functions.setdefault(line[3:], dict.fromkeys(events, 0))
        elif line[:1].isdigit():
            for event, count in zip(events, line.split()[1:], strict=False):
                current[event] += int(count)
    return functions


def check_cache(home: Path) -> str:
    """Misses of caches are those that cachegrind tells."""
    trace = traced(KERNELS, [*FLAGS, "-fpath-trace=all-memory"], home)
    run([CLANG, *FLAGS, "memory.c", "-o", "plain"], home)
    most = 0
    for name, (options, layout) in CACHES.items():
        line = layout.rsplit(",", 1)[1]
        last = f"1048576,16,{line}"
        command = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", f"--D1={layout}"]
        command += [f"--I1=32768,8,{line}", f"--LL={last}", "--cachegrind-out-file=counts"]
        run([*command, home / "plain"], home)
        theirs = cachegrind(home / "counts")
        ours = {row["function"]: row for row in tables(trace, "cache", *options, "--ll", last)[0]}
        for function in FUNCTIONS:
            row, counts = ours[function], theirs[function]
            pairs = [
                ("reads", row["reads"], counts["Dr"]),
                (
                    "D1 misses",
                    row["read_misses"] + row["write_misses"],
                    counts["D1mr"] + counts["D1mw"],
                ),
                (
                    "LL misses",
                    row["read_misses_last"] + row["write_misses_last"],
                    counts["DLmr"] + counts["DLmw"],
                ),
            ]
            for what, mine, other in pairs:
                if abs(mine - other) > 16 + other // 100:
                    raise CheckFailed(f"{name}, {function}: {mine} {what}, cachegrind {other}")
                most = max(most, abs(mine - other))
    return f"{len(CACHES)} caches, {len(FUNCTIONS)} functions, at most {most} apart"


def check_threads(home: Path) -> str:
    """Objects, communication and shared lines of a program whose order is fixed."""
    source = THREADS.replace("{rounds}", str(ROUNDS)).replace("{items}", str(ITEMS))
    trace = traced(source, ["-g", "-O1", "-pthread"], home)
    lines = {
        word: number
        for number, text in enumerate(source.splitlines(), 1)
        for word in [text.partition("/* ")[2].partition(" */")[0]]
        if word
    }
    objects, _, _, ways, shared = tables(trace, "memory")
    items = f"heap: main memory.c:{lines['items']}"
    by_name = {row["object"]: row for row in objects}
    expect(
        "items",
        by_name[items],
        reads=ITEMS,
        writes=ITEMS,
        bytes=8 * ITEMS,
        blocks=1,
        allocated=8 * ITEMS,
    )
    expect("counter", by_name["counter"], reads=2 * ROUNDS, writes=2 * ROUNDS, bytes=4, lines=1)
    expect("padded", by_name["padded"], reads=2 * ROUNDS, writes=2 * ROUNDS, bytes=8, lines=2)
    false = {row["object"]: (row["false_sharing"], row["true_sharing"]) for row in shared}
    if false.get("neighbours") != (2 * ROUNDS - 1, 0) or "padded" in false:
        raise CheckFailed(f"false sharing: {false}")
    if false.get("counter") != (0, 2 * ROUNDS - 1):
        raise CheckFailed(f"true sharing: {false}")
    produce, consume = (f"memory.c:{lines[word]}" for word in ("produce", "consume"))
    told = {(row["written"], row["read"], row["object"]): row["bytes"] for row in ways}
    one, two = (f"memory.c:{lines[word]}" for word in ("one", "two"))
    wanted = {
        (produce, consume, items): 8 * ITEMS,
        (one, two, "counter"): 4 * ROUNDS,
        (two, one, "counter"): 4 * (ROUNDS - 1),
    }
    for way, count in wanted.items():
        if told.get(way) != count:
            raise CheckFailed(f"{way}: {told.get(way)} bytes, not {count}")
    return f"{len(objects)} objects, {len(ways)} ways, {len(shared)} shared lines"


def expect(name: str, row: dict, **values: int) -> None:
    """Fails unless a row has these values."""
    for key, value in values.items():
        if row[key] != value:
            raise CheckFailed(f"{name}: {row[key]} {key}, not {value}")


CHECKS = {"cachegrind": check_cache, "threads": check_threads}
