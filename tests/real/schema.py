"""The schema of JSON, `share/pathprof-1.schema.json`, holds for what pathprof writes.

Exported are the programs in `tests/cases`, in every mode and at both stages, sums of runs, and runs
that did not end; differences between them, rankings, tables, and task graphs. So are the documents
in `tests/exports`, which an earlier pathprof wrote. Copies that break one rule each must be
refused. The validator comes from the package index into an environment of its own.
"""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.real.packages import WHEELS, python_with
from tests.real.tools import PATHPROF, ROOT, SCRATCH, TREE, CheckFailed, attempt, environment, run

SCHEMA = ROOT / "share/pathprof-1.schema.json"
EARLIER = ROOT / "tests/exports/1"
VALIDATE = ROOT / "tests/real/validate.py"
NEEDS = ROOT / "tests/real/schema.txt"
PLACE = SCRATCH / "schema"
TASKS_PLACE = SCRATCH / "schema-tasks"
CASES = ROOT / "tests/cases"

WAYS = (
    "",
    "-fpath-stage=early",
    "-O2",
    "-fpath-limit=4 -fpath-overflow=hash",
    "-fpath-callees=8",
    "-fpath-mode=edges",
    "-fpath-mode=blocks",
    "-fpath-mode=blocks -fpath-placement=patterns",
    "-fpath-mode=blocks -fpath-placement=every-block",
    "-fpath-mode=calls -O1",
)
"""How the cases are compiled."""

KILLED = """\
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int twice(int x) { return 2 * x; }
int main(int count, char **words) {
    int (*call)(int) = twice;
    if (count > 1 && fork())
        raise(SIGKILL);
    return call(count) == 0;
}
"""


def exported(name: str, *profiles: Path) -> Path:
    """The export of profiles, as the file `NAME.json`."""
    out = PLACE / f"{name}.json"
    run([PATHPROF, "export", "--format", "json", "-o", out, *profiles], PLACE)
    return out


def flags(source: Path) -> list[str]:
    """What a case asks for: options, and sources besides it."""
    words = ["-g", "-O0"]
    for line in source.read_text().splitlines():
        if line.startswith("//#flags:"):
            words += line.removeprefix("//#flags:").split()
        elif line.startswith("//#with:"):
            words += [str(CASES / name) for name in line.removeprefix("//#with:").split()]
    return words


def cases() -> Iterator[Path]:
    """The cases in C and C++ that are programs of their own."""
    sources = sorted([*CASES.glob("*.c"), *CASES.glob("*.cc")])
    return (source for source in sources if "//#part" not in source.read_text())


def built_and_run(source: Path, number: int, way: str) -> Path:
    """A profile of a case, compiled in one of the ways."""
    program = PLACE / f"{source.stem}-{number}"
    compiler = TREE / "bin" / ("pathc++" if source.suffix == ".cc" else "pathcc")
    run([compiler, *flags(source), *way.split(), source, "-o", program], PLACE)
    profile = program.with_suffix(".pathprof")
    run([program], PLACE, env=environment(PATHCC_PROFILE=str(profile)))
    return profile


def exports_of_cases() -> Iterator[Path]:
    """A third of the cases in each way, one of them summed with itself, and all in one document."""
    everything = []
    for number, way in enumerate(WAYS):
        profiles = [built_and_run(source, number, way) for source in list(cases())[number % 3 :: 3]]
        for profile in profiles:
            yield exported(profile.stem, profile)
        merged = PLACE / f"merged-{number}.pathprof"
        twice = [profiles[-1], profiles[-1]]
        run([PATHPROF, "merge", "--allow-duplicates", "-o", merged, *twice], PLACE)
        yield exported(merged.stem, merged)
        everything += profiles
    yield exported("everything", *everything)
    yield from documents_of_two(everything)


def documents_of_two(profiles: list[Path]) -> Iterator[Path]:
    """What is different between a case in two ways, a ranking of both, and tables of one."""
    first, last = profiles[0], profiles[-1]
    by_way = [of for of in profiles if of.stem.rpartition("-")[0] == first.stem.rpartition("-")[0]]
    pairs = {"same": [first, first], "ways": [first, by_way[-1]], "others": [first, last]}
    commands = {f"diff-{name}": ["diff", *pair] for name, pair in pairs.items()}
    commands |= {
        "diff-per-run": ["diff", "--per-run", first, last],
        "ranking": ["diff", "--spectra", first, "--against", last],
    }
    for command in ("report", "coverage", "runs"):
        commands[f"tables-{command}"] = [command, first]
    for name, line in commands.items():
        out = PLACE / f"{name}.json"
        out.write_bytes(run([PATHPROF, *line, "--format", "json"], PLACE))
        yield out


def export_of_killed() -> Path:
    """A program that was killed, and the fork that it left."""
    program, profile = PLACE / "killed", PLACE / "killed.pathprof"
    (PLACE / "killed.c").write_text(KILLED)
    run([TREE / "bin/pathcc", "-O0", "-fpath-callees=8", "killed.c", "-o", program], PLACE)
    env = environment(PATHCC_PROFILE=str(profile))
    for argument in ([], ["fork"]):
        attempt([program, *argument], PLACE, env=env)
    return exported("killed", profile)


def breaks() -> dict[str, Callable[[dict], object]]:
    """Changes after which a document breaks a rule, by what they do."""
    return {
        "a key more": lambda of: of.update(more=1),
        "a key less": lambda of: of.pop("stage"),
        "another schema": lambda of: of.update(schema="pathprof/2"),
        "a key more in a block": lambda of: of["functions"][0]["blocks"][0].update(more=1),
        "a count that is a text": lambda of: of["functions"][0].update(entries="1"),
        "a count that is no integer": lambda of: of["functions"][0].update(entries=0.5),
        "an id that is a number": lambda of: of["functions"][0]["paths"][0].update(id=0),
        "an end that is not known": lambda of: of["functions"][0]["paths"][0].update(end="?"),
        "an edge without its cases": lambda of: of["functions"][0]["edges"][0].update(
            outcome="cases"
        ),
        "a mark that is false": lambda of: of["profiles"][0].update(cut=False),
    }


def breaks_of_others() -> dict[str, dict[str, Callable[[dict], object]]]:
    """As `breaks`, for the other documents of profiles, by the names of their files."""
    return {
        "difference": {
            "a key more in a side": lambda of: of["a"].update(more=1),
            "a word that is not known": lambda of: of["functions"][0].update(matched="?"),
            "a call among functions": lambda of: of["functions"].append(of["calls"][0]),
            "a count of one side": lambda of: of["blocks"][0]["count"].pop(),
        },
        "ranking": {
            "no run that failed": lambda of: of.update(failing=0),
            "a formula less": lambda of: of["rankings"].pop("dstar"),
            "a place before the first": lambda of: of["rankings"]["ochiai"]["paths"]["functions"][
                0
            ].update(best_place=0),
        },
        "tables": {
            "a tone that is not known": lambda of: of["remarks"].append({"tone": "?", "text": ""}),
            "a table without rows": lambda of: of["tables"][0].pop("rows"),
            "a cell that is an object": lambda of: of["tables"][0]["rows"][0].update(x={}),
        },
    }


def broken(
    document: Path, changes: dict[str, Callable[[dict], object]]
) -> Iterator[tuple[str, Path]]:
    """Copies of a document that break one rule each."""
    whole = json.loads(document.read_text())
    for number, (name, change) in enumerate(changes.items()):
        changed = copy.deepcopy(whole)
        change(changed)
        out = document.parent / f"broken-{document.stem}-{number}.json"
        out.write_text(json.dumps(changed))
        yield name, out


def beyond_64_bits(document: Path) -> Path:
    """A copy of a document with a count that no machine word holds."""
    whole = json.loads(document.read_text())
    whole["functions"][0]["entries"] = 3 * 2**64
    out = PLACE / "beyond.json"
    out.write_text(json.dumps(whole))
    return out


def graph_of(name: str, *options: str) -> Path:
    """The task graph of a kernel of examples/parallel, as the file `NAME.json`."""
    program, source = TASKS_PLACE / name, ROOT / f"examples/parallel/{name}.c"
    pathcc = [TREE / "bin/pathcc", "-g", "-O1", "-pthread", "-fpath-mode=trace", *options]
    run([*pathcc, source, "-o", program, "-lm"], TASKS_PLACE)
    run([program, "2", "20"], TASKS_PLACE, env=environment(PATHCC_PROFILE=f"{program}.pathprof"))
    (trace,) = TASKS_PLACE.glob(f"{name}.*.pathtrace")
    out = program.with_suffix(".json")
    out.write_bytes(run([PATHPROF, "trace", "graph", "--format", "json", trace], TASKS_PLACE))
    return out


def breaks_of_tasks() -> dict[str, Callable[[dict], object]]:
    """As `breaks`, for task graphs."""
    return {
        "a key more": lambda of: of.update(more=1),
        "a key less": lambda of: of.pop("locks"),
        "another schema": lambda of: of.update(schema="pathprof-tasks/2"),
        "a type that is not known": lambda of: of["tasks"][0].__setitem__(2, "?"),
        "a task with less": lambda of: of["tasks"][0].__delitem__(slice(9, None)),
        "an edge with more": lambda of: of["edges"][0].append(1),
        "an edge from nowhere": lambda of: of["edges"][0].__setitem__(0, -1),
        "a thread without streams": lambda of: of["threads"][0].update(streams=[]),
        "a span that is a text": lambda of: of["time"].update(span="1"),
    }


def check_tasks() -> str:
    """Validates task graphs; returns how many."""
    python = python_with(NEEDS, *WHEELS)
    shutil.rmtree(TASKS_PLACE, ignore_errors=True)
    TASKS_PLACE.mkdir(parents=True)
    documents = [graph_of("lu"), graph_of("dedup"), graph_of("fibonacci", "-fopenmp")]
    validate = [python, VALIDATE, SCHEMA]
    outcome = attempt([*validate, *documents], TASKS_PLACE)
    if outcome.status != 0:
        raise CheckFailed((outcome.out + outcome.err).decode()[-2000:])
    changed = list(broken(documents[0], breaks_of_tasks()))
    for name, document in changed:
        if attempt([*validate, document], TASKS_PLACE).status != 1:
            raise CheckFailed(f"the schema accepts {name}")
    shutil.rmtree(TASKS_PLACE)
    return f"{len(documents)} graphs satisfy it, {len(changed)} that are broken do not"


def check() -> str:
    """Validates all exports; returns how many."""
    python = python_with(NEEDS, *WHEELS)
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    documents = [*exports_of_cases(), export_of_killed()]
    example = PLACE / "04-loop-0.json"
    documents.append(beyond_64_bits(example))
    documents += sorted(EARLIER.glob("*.json"))
    validate = [python, VALIDATE, SCHEMA]
    outcome = attempt([*validate, *documents], PLACE)
    if outcome.status != 0:
        raise CheckFailed((outcome.out + outcome.err).decode()[-2000:])
    changed = list(broken(example, breaks()))
    for name, changes in breaks_of_others().items():
        changed += broken(Path(shutil.copy(EARLIER / f"{name}.json", PLACE)), changes)
    for name, document in changed:
        if attempt([*validate, document], PLACE).status != 1:
            raise CheckFailed(f"the schema accepts {name}")
    shutil.rmtree(PLACE)
    return f"{len(documents)} documents satisfy it, {len(changed)} that are broken do not"
