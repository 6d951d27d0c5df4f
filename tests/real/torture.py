"""Tortures pathcc with every C and C++ program of some folders.

    python3 -m tests.real.torture [FOLDER…] [--quick] [--only WORD] [--jobs N] [--keep]

Any compiler's test suite will do; without a folder it is the corpus of our own, `tests/torture` and
what `torture_templates.py` writes. Each program that plain clang builds, and that ends soon and in
the same way twice, is built at three levels and both stages with every kind of counters (`--quick`:
at one level and stage, with `paths` and one of another kind, a trace or coverage, in rotation), and

* does what it did without us: output, error output, status;
* has the counts of its block log, block for block and edge for edge, in every mode (`truth.py`);
* at `-O0` and stage `early` has the entries and lines that gcc's gcov and llvm-cov give, where the
  two say the same, and no branch that llvm-cov does not have.

Flags of a program may stand in it: `flags: …` in a comment on its first line, or gcc's
`dg-options`. Prints what differs, and how many programs were left out and why. Exit status 1 if
anything differs.
"""

import argparse
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from tests.real.tools import ROOT, SCRATCH, CheckFailed, build_tools
from tests.real.torture_one import Result, torture
from tests.real.torture_programs import Source, corpus, sources, write_templates
from tests.real.ways import STAGES

# How often it is said how far a run has come.
PROGRESS_SECONDS = 10
# Differences of the corpus that are known, each with its reason.
KNOWN = ROOT / "tests/torture/known.txt"


def known_differences() -> list[tuple[str, str]]:
    """What `tests/torture/known.txt` lists: globs of programs' names and of what is said."""
    lines = (line.split("#")[0].strip() for line in KNOWN.read_text().splitlines())
    pairs = (line.split(": ", 1) for line in lines if line)
    return [(program, text) for program, text in pairs]


def is_known(said: str, known: list[tuple[str, str]]) -> bool:
    """Whether a line of `torture_all`, which begins with the program, is among these."""
    program, text = said.split(": ", 1)
    name = Path(program).name
    return any(fnmatchcase(name, one) and fnmatchcase(text, other) for one, other in known)


def check_one(source: Source, quick: bool) -> str:
    """Tortures a program of the corpus; returns what was compared. What differs must be known."""
    how = "quick" if quick else "whole"
    result = torture(source, SCRATCH / f"torture/{source.path.name}.{how}", quick, keep=False)
    if result.left_out:
        raise CheckFailed(f"{source.path}: left out: {result.left_out}")
    known = known_differences()
    said = [f"{source.path}: {text}" for text in result.differences]
    texts = [text for text in said if not is_known(text, known)]
    if texts:
        raise CheckFailed("\n".join(texts[:10]))
    return (
        f"{result.builds} builds, {result.compared} counts of blocks and edges, {result.lines} of "
        f"entries and lines, {len(said)} known differences"
    )


def torture_all(
    programs: list[Source],
    home: Path,
    quick: bool,
    keep: bool,
    jobs: int | None,
    stages: Sequence[str],
    say: Callable[[str], None],
    progress: Callable[[str], None],
) -> tuple[list[Result], str]:
    """All programs; gives the results and a summary of them. Differences are said as they are
    found, and how far it has come.
    """
    # A program that dies leaves no core.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    build_tools()
    start = told_at = time.monotonic()
    results = []
    with ThreadPoolExecutor(jobs) as pool:
        names: Counter[str] = Counter()
        running = set()
        for source in programs:
            names[source.path.name] += 1
            place = home / f"{source.path.name}.{names[source.path.name]}"
            running.add(pool.submit(torture, source, place, quick, keep, stages))
        try:
            while running:
                done, running = wait(running, PROGRESS_SECONDS, FIRST_COMPLETED)
                for result in (job.result() for job in done):
                    results.append(result)
                    for text in result.differences[:10]:
                        say(f"{result.source.path}: {text}")
                if time.monotonic() - told_at >= PROGRESS_SECONDS:
                    told_at = time.monotonic()
                    progress(f"{len(results)} of {len(programs)} programs, {told_at - start:.0f} s")
        finally:
            # Who interrupts it does not wait for the rest.
            pool.shutdown(cancel_futures=True)
    left_out = Counter(result.left_out for result in results if result.left_out)
    reasons = "".join(f"\n  {count} left out: {why}" for why, count in left_out.most_common())
    differing = sum(bool(result.differences) for result in results)
    total = {
        what: sum(getattr(result, what) for result in results)
        for what in ("builds", "compared", "unlogged", "lines", "disputed")
    }
    return results, (
        f"{len(programs) - sum(left_out.values())} programs, {total['builds']} builds, "
        f"{total['compared']} counts of blocks and edges "
        f"({total['unlogged']} builds ran too long for a log), {total['lines']} of entries and "
        f"lines ({total['disputed']} on which gcov and llvm-cov disagree), "
        f"{differing} programs differ, {time.monotonic() - start:.0f} s{reasons}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", nargs="*", type=Path, help="a folder of programs (default: the corpus)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one level and stage and some modes for each program, in rotation",
    )
    parser.add_argument(
        "--only", default="", metavar="WORD", help="only programs whose path contains this"
    )
    parser.add_argument(
        "--stage", action="append", choices=STAGES, help="count at this stage (default: at all)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="how many programs at once"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep all that was built, not only what differs"
    )
    parser.add_argument(
        "--home",
        type=Path,
        default=SCRATCH / "torture",
        help="where to build (default: target/real/torture)",
    )
    options = parser.parse_args()
    if not options.folder:
        write_templates()
    programs = [
        source
        for source in (sources(options.folder) if options.folder else corpus())
        if options.only in str(source.path)
    ]
    if not programs:
        parser.error(f"no C or C++ program in {', '.join(map(str, options.folder))}")
    say = partial(print, flush=True)
    progress = partial(print, file=sys.stderr, flush=True)
    results, summary = torture_all(
        programs,
        options.home.resolve(),
        options.quick,
        options.keep,
        options.jobs,
        options.stage or STAGES,
        say,
        progress,
    )
    print(summary)
    return 1 if any(result.differences for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
