"""Who is called: callgrind and clang's value profile count the same calls.

At -O0 nothing is inlined. There callgrind counts as many calls of every function, and clang's own
value profile names the same functions, equally often, for calls through pointers.

clang names only functions that it counts itself; of the others the sum is compared. Its sites and
ours are the calls of a function in some order, so they are compared as a multiset. clang's function
inliner before instrumentation is off, and it gets room for all callees.
"""

import re
from collections import Counter, defaultdict
from pathlib import Path

from tests.real.build import build, work
from tests.real.programs import Program, Step
from tests.real.tools import CheckFailed, export, run

# A call through a pointer: named callees with their counts, and how often any other was called.
Site = tuple[frozenset[tuple[str, int]], int]
# The sites that ran, by the function that they are in.
Sites = dict[str, Counter[Site]]


def ours(profiles: Path) -> Sites:
    """What pathcc says, with all callees named."""
    exported = export(profiles, *sorted(profiles.glob("*.pathprof")))
    functions = [function for function in exported["functions"] if function["skipped"] is None]
    counted = {function["name"] for function in functions}
    # A library may be in several images; clang adds them up.
    found: defaultdict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
    for function in functions:
        for number, site in enumerate(function["indirect_calls"]):
            if site["others"]:
                raise CheckFailed(f"{function['name']}: {site['others']} callees found no room")
            for of in site["targets"]:
                found[function["module"], function["name"], number][
                    of["name"] if of["name"] in counted else ""
                ] += of["count"]
    sites: Sites = defaultdict(Counter)
    for (_, name, _), callees in found.items():
        rest = callees.pop("", 0)
        sites[name][frozenset(callees.items()), rest] += 1
    return dict(sites)


def clangs(raw: Path) -> Sites:
    """What clang says."""
    profile = raw / "merged.profdata"
    run(["llvm-profdata-22", "merge", *raw.glob("*.profraw"), "-o", profile], raw)
    shown = run(
        ["llvm-profdata-22", "show", "--all-functions", "--ic-targets", profile], raw
    ).decode()
    sites: Sites = defaultdict(Counter)
    name, found = "", defaultdict(list)
    for line in [*shown.splitlines(), "  :"]:
        target = re.fullmatch(r"\t\[ *(\d+), (.*), +(\d+) \] \(.*\)", line)
        header = re.fullmatch(r"  (\S*):", line)
        if target:
            site, callee, count = target.groups()
            found[site].append((plain(callee.strip()), int(count)))
        elif header:
            for targets in found.values():
                named = frozenset((callee, count) for callee, count in targets if callee)
                sites[name][named, sum(count for callee, count in targets if not callee)] += 1
            name, found = plain(header[1]), defaultdict(list)
    return dict(sites)


def plain(name: str) -> str:
    """A static function has its file before its name."""
    return name.rpartition(";")[2]


def entries(profiles: Path) -> Counter[str]:
    """How often each function was entered, in all images together."""
    exported = export(profiles, *sorted(profiles.glob("*.pathprof")))
    entered: Counter[str] = Counter()
    for function in exported["functions"]:
        entered[function["name"]] += function["entries"]
    return entered


def callgrinds(out: Path, home: Path, calls: Counter[str]) -> None:
    """Adds how often each function of the images in `home` was called in one process."""
    names: dict[str, str] = {}
    objects: dict[str, str] = {}
    callee = within = called = ""
    for line in out.read_text().splitlines():
        if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                objects[match[2]] = match[3]
            called = objects[match[2]]
            within = within if match[1] else called
        elif match := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            if match[2]:
                names[match[1]] = match[2]
            if line.startswith("c"):
                # A recursive call is to name'2.
                callee = names[match[1]].partition("'")[0]
        elif match := re.match(r"calls=(\d+)", line):
            calls[callee] += int(match[1]) if called.startswith(str(home)) else 0
            called = within


def compare_with_callgrind(program: Program, tree: Path, counted: Counter[str], home: Path) -> str:
    """Compares the entries of all functions; `tree` is a build by plain clang."""
    place = home / "callgrind"
    place.mkdir()
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/%p.out"]
    steps = [Step([*tool, *step.argv], step.stdin) for step in program.calm(tree)]
    ran = work(program, tree, steps, home / "callgrind.profiles")
    if any(outcome.status != 0 for outcome in ran.outcomes):
        raise CheckFailed(f"under callgrind a step fails: {ran.outcomes[-1].err[-300:]!r}")
    calls: Counter[str] = Counter()
    for out in place.glob("*.out"):
        callgrinds(out, home, calls)
    wrong = [
        f"{name}: callgrind has {calls[name]}, counted {count}"
        for name, count in counted.items()
        if calls[name] != count
    ]
    if wrong or not counted.total():
        raise CheckFailed(
            f"{len(wrong)} functions were called differently often:\n" + "\n".join(wrong[:20])
        )
    called = sum(count > 0 for count in counted.values())
    return f"callgrind: {called} functions, {counted.total()} calls"


def check(program: Program, source: Path | None, home: Path) -> str:
    """Compares every function and call through a pointer that ran; returns how many there are."""
    tree = build(program, source, "callees", "-g -O0", home)
    work(program, tree, program.calm(tree), home / "callees.profiles")
    found = ours(home / "callees.profiles")
    # Without debug information, of which valgrind cannot read every form.
    tree = build(program, source, "plain", "-O0", home)
    told = compare_with_callgrind(program, tree, entries(home / "callees.profiles"), home)
    tree = build(program, source, "values", "-g -O0", home)
    raw = home / "values.raw"
    raw.mkdir()
    most = {"LLVM_PROFILE_FILE": f"{raw}/%p.profraw", "LLVM_VP_MAX_NUM_VALS_PER_SITE": "255"}
    work(program, tree, program.calm(tree), home / "values.profiles", **most)
    expected = clangs(raw)
    wrong = [
        f"{name}: clang has {expected.get(name)}, counted {found.get(name)}"
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    ]
    if wrong:
        raise CheckFailed(f"{len(wrong)} functions differ:\n" + "\n".join(wrong[:20]))
    calls = sum(sites.total() for sites in found.values())
    targets = sum(len(named) for sites in found.values() for named, _ in sites)
    return f"{told}; {calls} calls through pointers with {targets} named callees"
