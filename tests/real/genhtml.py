"""lcov's own genhtml on tracefiles, called as the documents say.

It must say nothing to standard error, and find the totals of `pathprof coverage`: in C, in C++ with
templates and closures of which some never run, and in code that `#line` gives to files of which
some, or all, do not exist.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from tests.real.tools import PATHCC, PATHPROF, CheckFailed, attempt, environment, run

PLAIN = """\
#include <stdio.h>
static int sign(int x) { if (x < 0) return -1; return x > 0; }
int unused(int x) {
    return x ? 2 : 3;
}
int main(int count, char **words) {
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        if (i % 3 == 0 && i % 2)
            sum += sign(i - 10);
        switch (i & 3) {
        case 0: sum++; break;
        case 1: sum--; break;
        default: ;
        }
    }
    return printf("%d\\n", count > 1 ? unused(**words) : sum) < 0;
}
"""

TEMPLATES = """\
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
template <class T> struct Stack {
    std::vector<T> items;
    void push(T item) { items.push_back(item); }
    T pop() {
        if (items.empty())
            throw std::out_of_range("nothing, alas");
        T item = items.back();
        items.pop_back();
        return item;
    }
};
template <class T, class U> auto most(T a, U b) -> decltype(a < b ? b : a) { return a < b ? b : a; }
template <class T> T half(T x) { return x > 1 ? x / 2 : x; }
template long half<long>(long);
namespace {
struct Base { virtual ~Base() = default; virtual int f(int, char) { return 1; } };
struct Derived : Base { int f(int, char c) override { return c ? 2 : 0; } };
}
static std::string global = std::string("x") + "y";
int operator,(Stack<int> &a, Stack<int> &b) { return a.pop() + b.pop(); }
int main(int count, char **) {
    Stack<int> a, c;
    Stack<std::string> b;
    a.push(1), b.push("q"), c.push(4);
    int sum = (a, c);
    auto never = [](int x) {
        return x + 1;
    };
    auto often = [&](int x) { return x > count ? x : count; };
    if (count > 5)
        sum += never(2);
    try {
        a.pop();
    } catch (std::exception &failure) {
        std::cout << failure.what() << '\\n';
    }
    std::map<std::string, int> words{{"a", int(most(sum, 3.5))}};
    Base *base = count > 5 ? new Base : new Derived;
    sum += base->f(half(1), 'c');
    delete base;
    for (auto &[word, number] : words)
        std::cout << word << number << often(sum) << global << '\\n';
}
"""

GENERATED = """\
#include <stdio.h>
#line 1 "nowhere"
static int helper(int x) { return x > 2 ? x : 2; }
#line 2 "user.txt"
int main(void) {
    printf("%d\\n", helper(3));
    return 0;
}
"""

OPTIONS = ["--branch-coverage", "--rc", "derive_function_end_line=0"]
"""Those of `docs/coverage.md`."""


@dataclass(frozen=True)
class Case:
    """A program, which other files there are, and what else genhtml is told."""

    source: str
    text: str
    others: dict[str, str] = field(default_factory=dict)
    # What `pathprof export` and `coverage` say of files that are not there.
    choice: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    warnings: int = 0


CASES = {
    "C": Case("plain.c", PLAIN),
    "templates": Case("templates.cpp", TEMPLATES),
    "#line": Case("generated.c", GENERATED, {"user.txt": "one\n" * 5}, ("--hide", "nowhere")),
    "#line to nowhere": Case(
        "generated.c", GENERATED, options=("--ignore-errors", "source"), warnings=2
    ),
}

TOTAL = re.compile(r"^  (lines|functions|branches)\.+: (?:.*\((\d+) of (\d+) |no data found)", re.M)


def check(name: str, home: Path) -> str:
    """Each of the two stages, not optimised and optimised."""
    case = CASES[name]
    sums = [
        check_one(case, stage, level, home / f"{stage}{level}")
        for stage, level in product(("early", "late"), ("-O0", "-O2"))
    ]
    lines = sum(total["lines"][1] for total in sums)
    return f"{len(sums)} tracefiles, {lines} lines: genhtml shows the totals of `pathprof coverage`"


def check_one(case: Case, stage: str, level: str, place: Path) -> dict[str, tuple[int, int]]:
    place.mkdir()
    for file, text in {case.source: case.text, **case.others}.items():
        (place / file).write_text(text)
    compiler = PATHCC.with_name("pathc++") if case.source.endswith(".cpp") else PATHCC
    run([compiler, "-g", level, f"-fpath-stage={stage}", case.source, "-o", "prog"], place)
    run(["./prog"], place, env=environment(PATHCC_PROFILE="prog.pathprof"))
    run([PATHPROF, "export", "--format", "lcov", "-o", "coverage.info", "prog"], place)
    outcome = attempt(["genhtml", *OPTIONS, *case.options, "coverage.info", "-o", "html"], place)
    told = outcome.err.decode().splitlines()
    # The optimiser may leave nothing of a file.
    if outcome.status != 0 or len(told) > case.warnings:
        raise CheckFailed(f"genhtml ends with {outcome.status} (in {place}): {told}")
    if not (place / "html/index.html").exists():
        raise CheckFailed(f"genhtml wrote no page (in {place})")
    shown = {
        kind: (int(covered or 0), int(total or 0))
        for kind, covered, total in TOTAL.findall(outcome.out.decode())
    }
    expected = totals(case, place)
    if shown != expected:
        raise CheckFailed(f"genhtml shows {shown}, `pathprof coverage` {expected} (in {place})")
    return shown


def totals(case: Case, place: Path) -> dict[str, tuple[int, int]]:
    """What `pathprof coverage` shows in its last row."""
    words = [PATHPROF, "coverage", "--format", "json", *case.choice, "prog"]
    tables = json.loads(run(words, place))["tables"]
    (row,) = next(table["sums"] for table in tables if table["name"] == "files")
    return {
        kind: (row[f"{kind}_covered"], row[f"{kind}_all"])
        for kind in ("lines", "functions", "branches")
    }
