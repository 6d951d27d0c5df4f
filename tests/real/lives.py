#!/usr/bin/env python3
"""Random programs that thread, fork, throw and die: `lives.py [--seconds N] [--count N] [--seed N]`.

A program keeps count by itself of how often each of its functions is entered, in all its threads and processes, by atomic
additions in memory that they share. At its end it prints the sums. The profiles of its processes, raw files of those
that were killed included, must say the same, whatever linker, stage or mode it was built with; and it must print what the
same program says without us. A program that fails is kept in target/real/lives and its seed is printed.
"""

import json
import random
import shutil
import sys
from pathlib import Path

import random_programs
from tools import PATHCC, PATHPROF, SCRATCH, CheckFailed, attempt, environment, run

KEPT = SCRATCH / "lives"

WAYS = [
    "-O0",
    "-O1",
    "-O2",
    "-O2 -fuse-ld=lld",
    "-O2 -static",
    "-O1 -fpath-in-flight=yes",
    "-O2 -fpath-stage=early",
    "-O2 -fpath-limit=4",
    "-O2 -flto=thin -fuse-ld=lld",
    "-O1 -fpath-threads=atomic",
]

HEAD = """
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
static std::atomic<long> *entered;
static thread_local unsigned state;
// The same numbers in every run: they depend on where they are asked for alone.
static unsigned dice(unsigned sides) { state = state * 1103515245 + 12345; return (state >> 16) % sides; }
static void enter(int function) { entered[function].fetch_add(1, std::memory_order_relaxed); }
"""


def function(dice: random.Random, number: int, count: int) -> str:
    """A function that may call those with higher numbers."""

    def statement(depth: int) -> str:
        kind = dice.randrange(9 if depth < 3 else 4)
        later = range(number + 1, count)
        if kind == 0 and later:
            return f"x += f{dice.choice(later)}(depth + 1);"
        if kind == 1:
            return f"if (dice({dice.randint(20, 60)}) == 0) throw x;"
        if kind == 2:
            return f"if (dice({dice.randint(2, 5)}) == 0) return x + {number};"
        if kind == 3 or kind == 0:
            return f"x = x * {dice.randint(3, 99)} + {dice.randrange(99)};"
        body = " ".join(statement(depth + 1) for _ in range(dice.randint(1, 3)))
        if kind == 4:
            return f"if (x & {1 << dice.randrange(4)}) {{ {body} }} else {{ {statement(depth + 1)} }}"
        if kind == 5:
            return f"for (int i{depth} = dice({dice.randint(2, 6)}); i{depth} > 0; i{depth}--) {{ {body} }}"
        if kind == 6:
            return f"try {{ {body} }} catch (int e) {{ x ^= e; {statement(depth + 1)} }}"
        if kind == 7:
            cases = " ".join(f"case {case}: {statement(depth + 1)} break;" for case in range(dice.randint(2, 5)))
            return f"switch (dice(6)) {{ {cases} default: x++; }}"
        return f"{{ {body} }}"

    body = "\n    ".join(statement(0) for _ in range(dice.randint(2, 6)))
    return (
        f"__attribute__((noinline)) static int f{number}(int depth) {{\n    enter({number});\n"
        f"    int x = depth + (int)dice(100);\n    if (depth > 6) return x;\n    {body}\n    return x;\n}}\n"
    )


def program(seed: int) -> str:
    """The text of a program."""
    dice = random.Random(seed)
    count = dice.randint(3, 8)
    functions = [function(dice, number, count) for number in reversed(range(count))]
    table = ", ".join(f"f{number}" for number in range(count))
    ends = ["return", "std::exit(0)", "_exit(0)", "raise(SIGKILL)", "quick_exit(0)", "std::abort()"]
    deeds = []
    for deed in range(dice.randint(2, 6)):
        kind = dice.randrange(4)
        work = f"work({deed * 7919 + 1}, {dice.randint(5, 60)})"
        if kind == 0:
            deeds.append(f"{work};")
        elif kind == 1:
            deeds.append(f"threads({dice.randint(1, 6)}, {deed}, {dice.randint(5, 40)}, {str(dice.random() < 0.3).lower()});")
        else:
            end = dice.choice(ends)
            threads = f"threads({dice.randint(1, 3)}, {deed}, 20, false);" if dice.random() < 0.4 else ""
            leave = "return 0;" if end == "return" else f"{end};"
            deeds.append(f"if (fork() == 0) {{ {work}; {threads} {leave} }}")
            if dice.random() < 0.5:
                deeds.append("wait(nullptr);")
    body = "\n    ".join(deeds)
    return (
        HEAD
        + "".join(functions)
        + f"""
static int (*const table[])(int) = {{{table}}};
__attribute__((noinline)) static void work(unsigned seed, int times) {{
    enter({count});
    state = seed;
    for (int i = 0; i < times; i++) try {{ table[i % {count}](0); }} catch (int) {{}}
}}
__attribute__((noinline)) static void threads(int number, unsigned seed, int times, bool forks) {{
    enter({count + 1});
    std::vector<std::thread> all;
    for (int i = 0; i < number; i++)
        all.emplace_back([=] {{
            work(seed * 31 + i, times);
            if (forks) {{
                pid_t child = fork();
                if (child == 0) {{ work(i, times); _exit(0); }}
                waitpid(child, nullptr, 0);
            }}
        }});
    for (auto &thread : all) thread.join();
}}
int main() {{
    entered = static_cast<std::atomic<long> *>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    {body}
    while (wait(nullptr) > 0) {{}}
    for (int i = 0; i < {count + 2}; i++) std::printf("%ld\\n", entered[i].load());
}}
"""
    )


def names(text: str) -> list[str]:
    """The functions in the order in which the program prints them."""
    count = text.count("static int f")
    return [f"f{number}" for number in range(count)] + ["work", "threads"]


def live(home: Path, compiler: str, flags: str) -> tuple[list[int], Path]:
    """Builds and runs the program; gives what it printed, and where its profiles are."""
    profiles = home / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    run([compiler, "-g", *flags.split(), "-w", "-pthread", "program.cc", "-o", "program"], home)
    outcome = attempt(["./program"], home, env=environment(PATHCC_PROFILE=f"{profiles}/"))
    if outcome.status != 0 or outcome.err:
        raise CheckFailed(f"{flags}: the program ended with {outcome.status}: {outcome.err.decode()}")
    return [int(line) for line in outcome.out.split()], profiles


def counted(profiles: Path, functions: list[str]) -> list[int]:
    """What the profiles say of these functions."""
    outcome = attempt([PATHPROF, "export", "--format", "json", profiles], profiles)
    if outcome.status != 0:
        raise CheckFailed(f"pathprof: {outcome.err.decode()}")
    export = json.loads(outcome.out)
    if any(profile["unregistered_threads"] or profile["partial"] for profile in export["profiles"]):
        raise CheckFailed("a profile says that it may be wrong")
    entries = {name: 0 for name in functions}
    for function in export["functions"]:
        if "::" in function["demangled"]:
            continue
        name = function["demangled"].split("(")[0]
        if name in entries:
            entries[name] += function["entries"]
    return [entries[name] for name in functions]


def check(seed: int) -> str:
    """Checks the program of one seed in every way."""
    home = KEPT / str(seed)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    text = program(seed)
    (home / "program.cc").write_text(text)
    functions = names(text)
    expected, _ = live(home, "clang++-22", "-O1")
    # A child of many threads may not throw in a static program: libgcc's unwinder may have been locked by another thread.
    possible = [way for way in WAYS if "-static" not in way or ", true);" not in text]
    ways = random.Random(seed).sample(possible, 3)
    for way in ways:
        printed, profiles = live(home, str(PATHCC.with_name("pathc++")), way)
        if printed != expected:
            raise CheckFailed(f"{way}: printed {printed}, not {expected}; kept in {home}")
        found = counted(profiles, functions)
        if found != expected:
            raise CheckFailed(f"{way}: counted {found}, not {expected}; kept in {home}")
    shutil.rmtree(home)
    return f"{sum(expected)} entries, {', '.join(ways)}"


def main() -> int:
    return random_programs.roll(__doc__.splitlines()[0], check)


if __name__ == "__main__":
    sys.exit(main())
