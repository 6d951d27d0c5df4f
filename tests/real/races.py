"""Races that a trace tells against those that ThreadSanitizer finds.

Each program has two threads and statements on lines of their own. Whatever pair of lines
ThreadSanitizer reports must be told; and where a program has no race, none must be.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from tests.real.tools import CLANG, PATHCC, PATHPROF, CheckFailed, environment, run

START = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_barrier_t b;
pthread_once_t o = PTHREAD_ONCE_INIT;
sem_t s;
_Atomic int flag, number;
int x, y, ready, *pointer;
char bytes[16];
void once(void) {
  x = 1;
}
"""

END = """
void *first(void *unused) {
{first}
  return unused;
}
void *second(void *unused) {
{second}
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&b, 0, 2);
  sem_init(&s, 0, 0);
  pointer = malloc(64);
{before}
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
{meanwhile}
  pthread_join(one, 0);
  pthread_join(two, 0);
{after}
  return x + y + *pointer == 12345;
}
"""


@dataclass(frozen=True)
class Program:
    """What its two threads do, and its first thread before, meanwhile and after."""

    name: str
    races: bool
    first: str
    second: str
    before: str = ""
    meanwhile: str = ""
    after: str = ""

    @property
    def source(self) -> str:
        text = END
        for part in ("first", "second", "before", "meanwhile", "after"):
            statements = "\n".join(
                f"  {statement};" for statement in getattr(self, part).split("; ") if statement
            )
            text = text.replace("{" + part + "}", statements)
        return START + text


LOCKED = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)"
PROGRAMS = [
    Program("two_writes", True, "x = 1", "x = 2"),
    Program("write_and_read", True, "x = 1", "y = x + 1"),
    Program("two_reads", False, "return (void *)(long)(x + 1)", "return (void *)(long)(x + 2)"),
    Program("one_lock", False, LOCKED, LOCKED),
    Program("two_locks", True, LOCKED, LOCKED.replace("&m", "&n")),
    Program("one_without", True, LOCKED, "x++"),
    Program(
        "try",
        False,
        "(void)(pthread_mutex_trylock(&m) || (x++, pthread_mutex_unlock(&m)))",
        LOCKED,
    ),
    Program(
        "spin",
        False,
        LOCKED.replace("mutex", "spin").replace("&m", "&spin"),
        LOCKED.replace("mutex", "spin").replace("&m", "&spin"),
    ),
    Program(
        "shared_lock",
        False,
        "pthread_rwlock_rdlock(&rw); flag = x; pthread_rwlock_unlock(&rw)",
        "pthread_rwlock_wrlock(&rw); x = 1; pthread_rwlock_unlock(&rw)",
    ),
    Program(
        "write_under_shared_lock",
        True,
        "pthread_rwlock_rdlock(&rw); x = 2; pthread_rwlock_unlock(&rw)",
        "pthread_rwlock_rdlock(&rw); x = 1; pthread_rwlock_unlock(&rw)",
    ),
    Program("before_and_after", False, "x = 1", "y = 1", "x = 2; y = 2", "", "x = 3; y = 3"),
    Program("meanwhile", True, "x = 1", "y = 1", "", "x = 2"),
    Program("semaphore", False, "x = 1; sem_post(&s)", "sem_wait(&s); x = 2"),
    Program("behind_semaphore", True, "sem_post(&s); x = 1", "sem_wait(&s); x = 2"),
    Program("barrier", False, "x = 1; pthread_barrier_wait(&b)", "pthread_barrier_wait(&b); x = 2"),
    Program(
        "behind_barrier", True, "pthread_barrier_wait(&b); x = 1", "pthread_barrier_wait(&b); x = 2"
    ),
    Program(
        "condition",
        False,
        "pthread_mutex_lock(&m); ready = 1; x = 1; pthread_cond_signal(&c); "
        "pthread_mutex_unlock(&m)",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); "
        "pthread_mutex_unlock(&m); x = 2",
    ),
    Program(
        "behind_condition",
        True,
        "pthread_mutex_lock(&m); ready = 1; pthread_cond_broadcast(&c); "
        "pthread_mutex_unlock(&m); x = 1",
        "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); "
        "pthread_mutex_unlock(&m); x = 2",
    ),
    Program("once", False, "pthread_once(&o, once); y = x", "pthread_once(&o, once); flag = x"),
    Program(
        "released",
        False,
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_release)",
        "while (!atomic_load_explicit(&flag, memory_order_acquire)) usleep(1); x = 2",
    ),
    Program(
        "relaxed",
        True,
        "x = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed)",
        "while (!atomic_load_explicit(&flag, memory_order_relaxed)) usleep(1); x = 2",
    ),
    Program(
        "atomic_updates",
        False,
        "for (int i = 0; i < 100; i++) number++",
        "for (int i = 0; i < 100; i++) atomic_fetch_add_explicit(&number, 1, memory_order_relaxed)",
    ),
    Program(
        "own_spin_lock",
        False,
        "while (atomic_exchange_explicit(&flag, 1, memory_order_acquire)) usleep(1); x++; "
        "atomic_store_explicit(&flag, 0, memory_order_release)",
        "while (atomic_exchange_explicit(&flag, 1, memory_order_acquire)) usleep(1); x++; "
        "atomic_store_explicit(&flag, 0, memory_order_release)",
    ),
    Program("bytes_of_a_word", False, "bytes[0] = 1", "bytes[1] = 2"),
    Program("bytes_that_overlap", True, "memset(bytes, 1, 3)", "bytes[2] = 2"),
    Program("heap", True, "pointer[3] = 1", "pointer[3] = 2"),
    Program("elements", False, "pointer[0] = 1", "pointer[1] = 2"),
    Program(
        "freed_and_had_again",
        False,
        "free(pointer); pointer = malloc(64); *pointer = 1; sem_post(&s)",
        "sem_wait(&s); *pointer = 2",
    ),
]

FRAME = re.compile(r"#0 \S+ \S*?race\.c:(\d+)")
LINE = re.compile(r"race\.c:(\d+)")


def sanitizer_pairs(text: str) -> set[frozenset[int]]:
    """The pairs of lines in ThreadSanitizer's reports."""
    pairs = set()
    for report in text.split("WARNING: ThreadSanitizer: data race")[1:]:
        accesses = re.split(r"\n  (?=Previous|Location|Thread|As if)", report)
        lines = [FRAME.search(access) for access in accesses[:2]]
        if all(lines):
            pairs.add(frozenset(int(line[1]) for line in lines if line))
    return pairs


def tables(trace: Path) -> dict[str, list[dict]]:
    """The rows of all tables of the races of a trace."""
    told = run([PATHPROF, "trace", "races", "--format", "json", "--top", "0", trace], trace.parent)
    return {table["name"]: table["rows"] for table in json.loads(told)["tables"]}


def rows(trace: Path) -> list[dict]:
    """The races of a trace."""
    return tables(trace)["races"]


def check_calls(home: Path) -> str:
    """Fails unless both sides of a race say how their functions were called."""
    lines = START.count("\n") + 1
    source = home / "calls.c"
    source.write_text(
        START
        + "void inner(int by) { x += by; }\n"
        + "void *first(void *unused) {\n  inner(1);\n  return unused;\n}\n"
        + "void *second(void *unused) {\n  inner(2);\n  return unused;\n}\n"
        + "int main(void) {\n  pthread_t one;\n  pthread_create(&one, 0, first, 0);\n"
        + "  second(0);\n  pthread_join(one, 0);\n}\n"
    )
    run([PATHCC, "-g", "-O0", "-pthread", "-fpath-mode=trace", source, "-o", "calls"], home)
    run(["./calls"], home, env=environment(PATHCC_PROFILE=str(home)))
    (trace,) = home.glob("*.pathtrace")
    command = [PATHPROF, "trace", "races", "--calls", "--format", "json", trace]
    (_, calls) = json.loads(run(command, home))["tables"]
    called = {row["called_at"] for row in calls["rows"] if row["pair"] == 1}
    expected = {f"first calls.c:{lines + 2}", f"second calls.c:{lines + 6}"}
    expected.add(f"main calls.c:{lines + 12}")
    if called != expected:
        raise CheckFailed(f"the functions are called at {called}, not at {expected}")
    return "both sides"


def told_pairs(trace: Path) -> set[frozenset[int]]:
    """The pairs of lines that pathprof tells."""
    # The object has the line that allocated it.
    accesses = [{key: cell for key, cell in row.items() if key != "object"} for row in rows(trace)]
    return {frozenset(int(line) for line in LINE.findall(json.dumps(row))) for row in accesses}


def check(program: Program, home: Path) -> str:
    """What is told of a program's races."""
    (home / "race.c").write_text(program.source)
    flags = ["-g", "-O0", "-pthread", "race.c"]
    run([CLANG, *flags, "-fsanitize=thread", "-o", "sanitized"], home)
    run([PATHCC, *flags, "-fpath-mode=trace", "-o", "traced"], home)
    quiet = environment(TSAN_OPTIONS="exitcode=0 log_path=report")
    found: set[frozenset[int]] = set()
    told: set[frozenset[int]] = set()
    for _ in range(3):
        run([home / "sanitized"], home, env=quiet)
        for report in home.glob("report.*"):
            found |= sanitizer_pairs(report.read_text())
            report.unlink()
        run([home / "traced"], home, env=environment(PATHCC_PROFILE=str(home)))
        for trace in home.glob("*.pathtrace"):
            told |= told_pairs(trace)
            trace.unlink()
    if missed := found - told:
        raise CheckFailed(f"{program.name}: ThreadSanitizer finds {missed}, which is not told")
    if bool(told) != program.races:
        raise CheckFailed(f"{program.name}: {sorted(map(sorted, told))} is told")
    return f"{len(told)} pairs of lines, {len(found)} of which ThreadSanitizer found"
