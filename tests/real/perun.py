"""The collector in contrib/perun, with the real Perun: a regression between two commits is found.

Perun comes from the package index into an environment of its own. The first run installs it, which
takes a few minutes and 1.5 GB.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.real.packages import python_with
from tests.real.tools import ROOT, SCRATCH, TREE, CheckFailed, attempt, environment, export, run

NEEDS = ROOT / "tests/real/perun.txt"
PACKAGE = ROOT / "contrib/perun"
PLACE = SCRATCH / "perun"
SIZE = 256
WORDS = 4000

LOOKUP = """\
// Looks numbers up in a table with linear probing, and says how many slots it looked at.
#include <stdio.h>

static unsigned table[SIZE];

static unsigned find(unsigned key) {
    unsigned slot = HASH, looked = 1;
    while (table[slot] && table[slot] != key) {
        slot = (slot + 1) % SIZE;
        looked++;
    }
    table[slot] = key;
    return looked;
}

int main(void) {
    unsigned state = 1, looked = 0;
    for (int i = 0; i < WORDS; i++) {
        state = state * 1103515245u + 12345u;
        looked += find((state >> 16) % 128 + 1);
    }
    printf("%u\\n", looked);
    return 0;
}
"""

MAKEFILE = """\
CFLAGS = -g -O0
lookup: lookup.c
	$(CC) $(CFLAGS) $< -o $@
clean:
	rm -f lookup
"""

BEFORE = "key % 126 * 2"
AFTER = "key / 2"


def source(hash_of_key: str) -> str:
    """The program with one of its two hash functions."""
    text = LOOKUP.replace("HASH", hash_of_key)
    return text.replace("SIZE", str(SIZE)).replace("WORDS", str(WORDS))


def looked(before: bool) -> int:
    """How many slots the program looks at: the oracle."""
    table = [0] * SIZE
    state, steps = 1, 0
    for _ in range(WORDS):
        state = (state * 1103515245 + 12345) % 2**32
        key = (state >> 16) % 128 + 1
        slot = key % 126 * 2 if before else key // 2
        steps += 1
        while table[slot] not in (0, key):
            slot = (slot + 1) % SIZE
            steps += 1
        table[slot] = key
    return steps


def install() -> Path:
    """Installs Perun, unless it is there, and the collector; returns the folder of programs."""
    python = python_with(NEEDS)
    bin_folder = python.parent
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    # From a copy, since a build leaves files in its folder.
    copy = PLACE / "package"
    shutil.copytree(PACKAGE, copy)
    # With its dependencies: pip fails if they are not those that it asks for.
    run([*pip, "--no-index", "--no-build-isolation", "--force-reinstall", "--no-deps", copy], ROOT)
    run([python, "-m", "pip", "check"], ROOT)
    return bin_folder


class Repository:
    """A git repository of two commits, the second with a worse hash function."""

    def __init__(self, programs: Path) -> None:
        self.place = PLACE / "repository"
        self.temporary = PLACE / "temporary"
        self.env = environment(
            PATH=f"{programs}:{TREE}/bin:{environment()['PATH']}",
            HOME=str(PLACE),
            XDG_CONFIG_HOME=str(PLACE / "config"),
            TMPDIR=str(self.temporary),
            GIT_CONFIG_NOSYSTEM="1",
        )
        del self.env["PATHCC_PROFILE"]
        self.place.mkdir()
        self.temporary.mkdir()
        self.type("git init -q .")
        self.type("git config user.name Test && git config user.email test@example.org")
        (self.place / "Makefile").write_text(MAKEFILE)
        (self.place / ".gitignore").write_text(".perun\nlookup\n")
        for name, text in (("Every other slot", BEFORE), ("Half as many slots", AFTER)):
            (self.place / "lookup.c").write_text(source(text))
            self.type(f"git add -A && git commit -q -m '{name}'")
        self.type("perun init --vcs-type=git .")

    def type(self, line: str) -> str:
        """Types a line that must succeed; returns what it prints, without colours."""
        text = run(["sh", "-eu", "-c", line], self.place, env=self.env).decode()
        return re.sub(r"\x1b\[[0-9;]*m", "", text)

    def collected(self, commit: str, options: str = "") -> dict:
        """Collects a profile of a commit, and takes it from Perun's pending ones."""
        self.type(f"perun collect -m {commit} -c ./lookup pathcc --clean 'make clean' {options}")
        left = [*self.temporary.glob("perun-pathcc-*"), *self.place.glob("lookup")]
        if left:
            raise CheckFailed(f"teardown left {left}")
        return self.pending(commit)

    def pending(self, name: str) -> dict:
        """The only pending profile, which becomes the file `NAME.perf`."""
        found = list((self.place / ".perun/jobs").glob("*.perf"))
        if len(found) != 1:
            raise CheckFailed(f"one profile is expected, not {found}")
        found[0].rename(self.place / f"{name}.perf")
        return json.loads((self.place / f"{name}.perf").read_text())


def amounts(profile: dict) -> dict[str, int]:
    """The amount of each place of a profile of Perun."""
    types = profile["resource_type_map"]
    return {
        types[name]["uid"]: sum(values["amount"]) for name, values in profile["resources"].items()
    }


def total(found: dict[str, int], kind: str) -> int:
    return sum(amount for uid, amount in found.items() if uid.startswith(f"{kind};"))


def runs_of(profile: dict, uid: str) -> int:
    """How often a place ran."""
    types = profile["resource_type_map"]
    names = [name for name in types if types[name]["uid"] == uid]
    return sum(sum(profile["resources"][name]["count"]) for name in names)


def compare_with_export(repository: Repository, profile: dict) -> int:
    """The same program, built and run without Perun, has the same counts."""
    repository.type("make CC=pathcc && ./lookup")
    document = export(repository.place, "lookup")
    repository.type("make clean && rm lookup.pathprof")
    found = amounts(profile)
    for function in document["functions"]:
        uid = f"instructions;lookup;lookup.c;{function['name']}"
        if found.get(uid) != function["instructions"]:
            raise CheckFailed(f"{uid} is {found.get(uid)}, and not {function['instructions']}")
    executed = sum(function["instructions"] for function in document["functions"])
    for kind in ("instructions", "blocks", "paths"):
        if total(found, kind) != executed:
            raise CheckFailed(f"{kind} are {total(found, kind)} instructions, and not {executed}")
    return len(found)


def compare_with_oracle(profile: dict, before: bool) -> None:
    """The loop in `find` ran as often as a model of the program says."""
    turns = looked(before) - WORDS
    block = "blocks;lookup;lookup.c;find;+3 +4 +2"
    if runs_of(profile, block) != turns:
        raise CheckFailed(f"{block} ran {runs_of(profile, block)} times, and not {turns}")


def degradations(printed: str) -> set[str]:
    """The places that `perun check` calls degraded."""
    found = re.findall(r"^at ?(.*):\n.*: mixed (\w+)", printed, re.MULTILINE)
    return {place.strip() for place, change in found if change == "Degradation"}


def degraded(profiles: list[dict]) -> Iterator[str]:
    """The places with twice the instructions, as Perun's threshold is."""
    old, new = map(amounts, profiles)
    return (uid for uid, amount in new.items() if uid in old and amount >= 2 * old[uid])


def check_differences(repository: Repository, profiles: list[dict]) -> int:
    """Perun's own commands say what became worse."""
    files = "HEAD~1.perf HEAD.perf"
    told = degradations(repository.type(f"perun check profiles {files}"))
    expected = set(degraded(profiles))
    wanted = {("instructions", "find"), ("paths", "find")}
    seen = {(uid.split(";")[0], uid.split(";")[3]) for uid in told}
    if told != expected or not wanted <= seen:
        raise CheckFailed(f"perun check tells {told}, and {expected} is expected")
    short = repository.type(f"perun showdiff short -n 1 -f subtype instructions {files}")
    if not re.search(r"^target.*\bfind\b", short, re.MULTILINE):
        raise CheckFailed(f"perun showdiff short does not put find first:\n{short}")
    for view in ("flamegraph", "report"):
        native = "native" if view == "report" else ""
        repository.type(f"perun showdiff {view} -o {view}.html {native} {files}")
        if "find" not in (repository.place / f"{view}.html").read_text():
            raise CheckFailed(f"perun showdiff {view} does not show find")
    return len(told)


def check_failures(repository: Repository) -> None:
    """What cannot be collected is an error that says why."""
    for build, why in (("make CC=gcc", "no counts were written"), ("false", "`false` failed")):
        line = f"perun collect -c ./lookup pathcc --build '{build}' --clean 'make clean'"
        outcome = attempt(["sh", "-c", line], repository.place, env=repository.env)
        text = (outcome.out + outcome.err).decode()
        if outcome.status == 0 or why not in text:
            raise CheckFailed(f"`{line}` is to fail because {why}:\n{text}")
        if any(repository.temporary.glob("perun-pathcc-*")):
            raise CheckFailed(f"`{line}` leaves files behind")


def check() -> str:
    """Collects both commits, and lets Perun compare them."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    repository = Repository(install())
    profiles = [repository.collected(commit) for commit in ("HEAD~1", "HEAD")]
    places = compare_with_export(repository, profiles[1])
    for before, profile in zip((True, False), profiles, strict=True):
        compare_with_oracle(profile, before)
    told = check_differences(repository, profiles)
    repository.type("perun run job -c pathcc -cp pathcc 'build: make' -b ./lookup -w ''")
    if amounts(repository.pending("job")) != amounts(profiles[1]):
        raise CheckFailed("perun run job and perun collect differ")
    kinds = {uid.split(";")[0] for uid in amounts(repository.collected("HEAD", "-k paths"))}
    if kinds != {"paths"}:
        raise CheckFailed(f"only paths are asked for, and {kinds} are told")
    check_failures(repository)
    shutil.rmtree(PLACE)
    return f"{places} places, {told} of them degraded"
