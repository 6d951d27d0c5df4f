#!/usr/bin/env python3
"""Tortures pathcc with every C and C++ program of some folders: `torture.py [FOLDER…] [--quick] [--only WORD] [--jobs N] [--keep]`.

Any compiler's test suite will do; without a folder it is the corpus of our own, `tests/torture` and what `torture_templates.py` writes. Each program that plain clang builds, and that ends soon and in the same way twice, is built at
three levels and both stages with every kind of counters (`--quick`: at one level and stage, with some of them, in rotation), and

* does what it did without us: output, error output, status;
* has the counts of its block log, block for block and edge for edge, in every mode (`truth.py`);
* at `-O0` and stage `early` has the entries and lines that gcc's gcov and llvm-cov give, where the two say the same.

Flags of a program may stand in it: `flags: …` in a comment on its first line, or gcc's `dg-options`. Prints what differs, and how many
programs were left out and why. Exit status 1 if anything differs.
"""

import argparse
import json
import os
import re
import resource
import shutil
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import oracle_cov
import torture_templates
import truth
from tools import CLANG, PATHCC, PATHPROF, ROOT, SCRATCH, CheckFailed, Outcome, TookTooLong, attempt, build_tool, environment, export, run
from ways import MODES, PEELED, STAGES, log_flags

LEVELS = ["-O0", "-O2", "-O3"]
SUFFIXES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".C": "c++"}
# Older suites need an older language.
OLDER = {"c": ["-std=gnu17", "-std=gnu89 -Wno-error=incompatible-pointer-types -Wno-error=int-conversion"], "c++": ["-std=gnu++14"]}
# What a build of plain clang may take and its program, and both with counters.
PLAIN_BUILD_SECONDS, PLAIN_SECONDS, BUILD_SECONDS, COUNTED_SECONDS = 120, 10, 900, 300
# A log of more bytes than that is not worth its time: the program is compared without one.
LONGEST_LOG = 100 << 20
# How often it is said how far a run has come.
PROGRESS_SECONDS = 10
# What is built of each program in a quick run, besides `paths`: so many, in rotation.
QUICK_MODES = 2
# A line of labels alone.
LABEL = re.compile(r"\s*((case\b[^:]*|\w+)\s*:[\s;]*)+(/[/*].*)?")
# Differences of the corpus that are known, each with its reason.
KNOWN = ROOT / "tests/torture/known.txt"


@dataclass(frozen=True)
class Source:
    """A program."""

    path: Path
    flags: str
    # Whether it is known to end, so that it is waited for on a busy machine.
    ends: bool = False

    @property
    def language(self) -> str:
        return SUFFIXES[self.path.suffix]

    @property
    def number(self) -> int:
        """The same in every run, and different from that of the next program."""
        return zlib.crc32(self.path.stem.encode())


@dataclass
class Result:
    """What came out for one program."""

    source: Source
    left_out: str = ""
    builds: int = 0
    compared: int = 0
    lines: int = 0
    disputed: int = 0
    unlogged: int = 0
    differences: list[str] = field(default_factory=list)


def sources(folders: list[Path]) -> list[Source]:
    """The programs of some folders."""
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    return [Source(path.resolve(), flags_of(path)) for path in found]


def corpus() -> list[Source]:
    """The programs of our own."""
    made = SCRATCH / "torture.templates"
    shutil.rmtree(made, ignore_errors=True)
    torture_templates.write(made)
    return [replace(source, ends=True) for source in sources([ROOT / "tests/torture", made])]


def known_differences() -> list[tuple[str, str]]:
    """What `tests/torture/known.txt` lists: globs of a program's name, and of what is said of it."""
    lines = (line.split("#")[0].strip() for line in KNOWN.read_text().splitlines())
    pairs = (line.split(": ", 1) for line in lines if line)
    return [(program, text) for program, text in pairs]


def is_known(said: str, known: list[tuple[str, str]]) -> bool:
    """Whether a line of `torture_all`, which begins with the program, is among these."""
    program, text = said.split(": ", 1)
    name = Path(program).name
    return any(fnmatchcase(name, one) and fnmatchcase(text, other) for one, other in known)


def check_corpus() -> str:
    """Runs the corpus quickly; returns what was compared. What differs must be known."""
    said: list[str] = []
    results, summary = torture_all(corpus(), SCRATCH / "torture", True, False, os.cpu_count(), said.append, lambda _: None)
    known = known_differences()
    texts = [text for text in said if not is_known(text, known)]
    summary += f", {len(said) - len(texts)} known differences"
    if texts or any(result.left_out for result in results):
        left_out = [f"{result.source.path}: left out: {result.left_out}" for result in results if result.left_out]
        raise CheckFailed("\n".join([*left_out, *texts, summary]))
    return summary


def flags_of(path: Path) -> str:
    """The flags that stand in a program."""
    text = path.read_text(errors="replace")
    own = re.match(r"/[/*] flags: (.*?)(?:\*/)?\n", text)
    if own:
        return own[1].strip()
    theirs = re.findall(r"\{ *dg-(?:additional-)?options +\"([^\"]*)\" *\}", text)
    # Levels are ours to choose.
    return " ".join(flag for flags in theirs for flag in flags.split() if not re.match(r"-O|-W|-fdump|-save-temps", flag))


class Torture:
    """One program at work: everything happens in a folder of its own."""

    def __init__(self, source: Source, home: Path) -> None:
        self.source, self.home = source, home
        self.result = Result(source)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)

    def build(self, cc: str, flags: str, name: str = "program", seconds: float = BUILD_SECONDS) -> Outcome:
        self.result.builds += 1
        argv = [*cc.split(), "-g", "-w", *self.source.flags.split(), *flags.split(), self.source.path, "-o", name]
        return attempt([*argv, "-pthread", "-lm"], self.home, seconds=seconds)

    def plain(self, cc: str, flags: str) -> bool:
        """Whether plain clang builds it."""
        return self.build(cc, flags, seconds=PLAIN_BUILD_SECONDS).status == 0

    def counted(self, flags: str) -> None:
        """A build that must succeed, since plain clang's did."""
        built = self.build(str(PATHCC if self.source.language == "c" else PATHCC.with_name("pathc++")), flags)
        if built.status != 0:
            raise CheckFailed(f"does not build: {built.err.decode(errors='replace')[-300:]}")

    def run(self, seconds: float, name: str = "./program", limits: tuple[str, ...] = (), **variables: str) -> Outcome:
        place = self.home / "work"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return attempt([*limits, f"../{name}"], place, env=environment(**variables), seconds=seconds)

    def profiled(self, suffix: str, limits: tuple[str, ...] = ()) -> tuple[Outcome, Path]:
        """Runs the program; gives what it did, and where its profiles or logs are."""
        profiles = self.home / f"profiles.{suffix}"
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir()
        return self.run(COUNTED_SECONDS, limits=limits, PATHCC_PROFILE=f"{profiles}/%p.now.pathprof"), profiles

    def torture(self, quick: bool) -> Result:
        """Does all that is to be done."""
        cc = CLANG if self.source.language == "c" else CLANG.replace("clang", "clang++")
        places = [(level, stage) for level in LEVELS for stage in STAGES]
        number = self.source.number
        if quick:
            places = [places[number % len(places)]]
        standards = ["", *OLDER[self.source.language]]
        try:
            standard = next((flags for flags in standards if self.plain(cc, f"{places[0][0]} {flags}")), None)
        except TookTooLong:
            self.result.left_out = f"plain clang does not end at {places[0][0]}"
            return self.result
        if standard is None:
            self.result.left_out = "plain clang does not build it"
            return self.result
        self.source = replace(self.source, flags=f"{standard} {self.source.flags}".strip())
        for level, stage in places:
            if not self.place(cc, level, stage, self.modes(number // 6, quick), quick):
                return self.result
        if not quick or number // 36 % 3 == 0:
            self.coverage()
        return self.result

    def modes(self, number: int, quick: bool) -> list[str]:
        """What is counted. In a quick run paths and some other modes."""
        others = [mode for mode in MODES if mode != "paths"]
        if not quick:
            return ["paths", *others]
        return ["paths", *(others[(number + step * len(others) // QUICK_MODES) % len(others)] for step in range(QUICK_MODES))]

    def place(self, cc: str, level: str, stage: str, modes: list[str], quick: bool) -> bool:
        """Compares all modes at one level and stage, the first of which is built; says whether the program is suitable at all."""
        try:
            if (level, stage) != (LEVELS[0], STAGES[0]) and not quick and not self.plain(cc, level):
                self.result.left_out = f"plain clang does not build it at {level}"
                return False
        except TookTooLong:
            self.result.left_out = f"plain clang does not end at {level}"
            return False
        try:
            seconds = COUNTED_SECONDS if self.source.ends else PLAIN_SECONDS
            plain, again = self.run(seconds), self.run(seconds)
        except TookTooLong:
            self.result.left_out = f"it does not end within {PLAIN_SECONDS} s"
            return False
        if plain != again:
            self.result.left_out = "it does something else each time"
            return False
        logs: dict[bool, truth.Truth | None] = {}
        for mode in modes:
            where = f"{level} {stage} {mode}"
            try:
                if (mode in PEELED) not in logs:
                    logs[mode in PEELED] = None
                    self.counted(f"{level} {log_flags(mode, stage)}")
                    logs[mode in PEELED] = self.log(plain)
                    (self.home / "program").rename(self.home / f"logging.{mode in PEELED}")
                self.mode(f"{level} -fpath-stage={stage} {MODES[mode]}", plain, logs[mode in PEELED], mode in PEELED, where)
            except CheckFailed as failure:
                self.result.differences.append(f"{where}: {failure}")
        return True

    def log(self, plain: Outcome) -> truth.Truth | None:
        """What the logging build, which is the program now, says; `None` if that is too much."""
        # A program that would log for minutes, and fill the disk, ends by a signal.
        outcome, logs = self.profiled("log", ("prlimit", f"--fsize={LONGEST_LOG}"))
        files = sorted(logs.glob("*.pathlog"), key=lambda log: int(log.name.partition(".")[0]))
        if sum(file.stat().st_size for file in files) >= LONGEST_LOG:
            self.result.unlogged += 1
            shutil.rmtree(logs)
            return None
        if outcome != plain:
            raise CheckFailed(f"the logging build does something else: {told(plain, outcome)}")
        found = truth.read_logs(self.home / "program", files)
        shutil.rmtree(logs)
        return found

    def varies(self, plain: Outcome, logged: truth.Truth, is_peeled: bool) -> bool:
        """Whether the program takes another way each time, by a clock or an address: then nothing can be compared."""
        (self.home / f"logging.{is_peeled}").rename(self.home / "program")
        again = self.log(plain)
        (self.home / "program").rename(self.home / f"logging.{is_peeled}")
        return again != logged

    def mode(self, flags: str, plain: Outcome, logged: truth.Truth | None, is_peeled: bool, where: str) -> None:
        """Checks one build."""
        self.counted(flags)
        outcome, profiles = self.profiled("counted")
        if outcome != plain:
            raise CheckFailed(f"does something else: {told(plain, outcome)}")
        if not any(profiles.iterdir()):
            raise CheckFailed("left no profile")
        exported = export(self.home, profiles)
        if logged is not None:
            compared, wrong = truth.against_log(exported, logged, truth.imported(self.home / "program"))
            self.result.compared += compared
            if wrong and not self.varies(plain, logged, is_peeled):
                self.result.differences += [f"{where}: {one}" for one in wrong[:5]]

    def coverage(self) -> None:
        """Entries and lines against gcov and llvm-cov."""
        language = self.source.language
        gcc = "gcc" if language == "c" else "g++"
        clang = CLANG if language == "c" else CLANG.replace("clang", "clang++")
        notes = self.home / "gcov"
        notes.mkdir()
        flags = f"-O0 -dumpdir {notes}/ --coverage"
        if self.build(gcc, flags, "by-gcc").status != 0 or self.build(clang, "-O0 -fprofile-instr-generate -fcoverage-mapping", "by-clang").status != 0:
            return
        raw = self.home / "coverage.profraw"
        try:
            outcomes = [self.run(COUNTED_SECONDS, "by-gcc"), self.run(COUNTED_SECONDS, "by-clang", LLVM_PROFILE_FILE=str(raw))]
        except CheckFailed:
            return
        data = list(notes.glob("*.gcda"))
        if not raw.exists() or len(data) != 1 or outcomes[0].status != outcomes[1].status or outcomes[0].out != outcomes[1].out:
            return
        self.counted("-O0 -fpath-stage=early")
        outcome, profiles = self.profiled("coverage")
        if outcome.status != outcomes[1].status:
            raise CheckFailed(f"coverage: does something else: {told(outcomes[1], outcome)}")
        ours = read_lcov(run([PATHPROF, "export", "--format", "lcov", profiles], self.home))
        theirs = [read_gcov(self.home, data[0]), read_llvm(self.home, raw)]
        name = self.source.path.name
        # There is nothing in LLVM's code for a line that only names a place.
        labels = {number for number, line in enumerate(self.source.path.read_text(errors="replace").splitlines(), 1) if LABEL.fullmatch(line)}
        missing: defaultdict[str, list[str]] = defaultdict(list)
        for kind, own, one, other in zip(("entries", "lines"), ours, *theirs, strict=True):
            for key in sorted(one.keys() & other.keys(), key=str):
                if key[0] != name:
                    continue
                if one[key] != other[key]:
                    self.result.disputed += 1
                    continue
                if kind == "lines" and key not in own and key[1] in labels:
                    continue
                self.result.lines += 1
                if key not in own:
                    missing[kind].append(str(key[1]))
                elif one[key] != own[key]:
                    self.result.differences.append(f"{kind} of {name}:{key[1]}: gcov and llvm-cov say {one[key]}, counted {own[key]}")
        # Of what is left out, gcov and llvm-cov know more.
        has_skipped = any(function["skipped"] is not None for function in export(self.home, profiles)["functions"])
        for kind, places in missing.items() if not has_skipped else ():
            self.result.differences.append(f"{kind} that gcov and llvm-cov have are not listed: {', '.join(places)}")


def told(expected: Outcome, got: Outcome) -> str:
    """Where two outcomes differ."""
    for what in ("status", "out", "err"):
        before, after = getattr(expected, what), getattr(got, what)
        if before != after:
            return f"{what} was {before!r:.200} and is {after!r:.200}"
    return "nothing differs"


def read_lcov(tracefile: bytes) -> tuple[Counter, Counter]:
    """Functions and lines of a tracefile."""
    functions: Counter[oracle_cov.Function] = Counter()
    lines: Counter[oracle_cov.Line] = Counter()
    oracle_cov.read_rows(tracefile, functions, lines)
    return functions, lines


def read_llvm(home: Path, raw: Path) -> tuple[Counter, Counter]:
    """Those of clang's source-based coverage."""
    run(["llvm-profdata-22", "merge", raw, "-o", "coverage.profdata"], home)
    command = ["llvm-cov-22", "export", "-format=lcov", "by-clang", "-instr-profile=coverage.profdata"]
    functions, lines = read_lcov(run(command, home))
    # A static function is called file:name.
    renamed: Counter[oracle_cov.Function] = Counter()
    for (file, name), count in functions.items():
        renamed[file, name.rpartition(":")[2]] += count
    return renamed, lines


def read_gcov(home: Path, data: Path) -> tuple[Counter, Counter]:
    """Those of gcc's gcov."""
    told = json.loads(run(["gcov", "--json-format", "--stdout", data], home))
    functions: Counter[oracle_cov.Function] = Counter()
    lines: Counter[oracle_cov.Line] = Counter()
    for file in told["files"]:
        name = oracle_cov.base(file["file"])
        for function in file["functions"]:
            functions[name, function["name"]] += function["execution_count"]
        for line in file["lines"]:
            lines[name, line["line_number"]] += line["count"]
    return functions, lines


def torture(source: Source, home: Path, quick: bool, keep: bool) -> Result:
    """One program; its folder stays if anything differs."""
    job = Torture(source, home)
    try:
        result = job.torture(quick)
    except Exception as failure:  # a broken check is a failed check
        result = job.result
        result.differences.append(str(failure) if isinstance(failure, CheckFailed) else f"{type(failure).__name__}: {failure}")
    if not keep and not result.differences:
        shutil.rmtree(home)
    return result


def torture_all(
    programs: list[Source], home: Path, quick: bool, keep: bool, jobs: int, say: Callable[[str], None], progress: Callable[[str], None]
) -> tuple[list[Result], str]:
    """All programs; gives the results and a summary of them. Differences are said as they are found, and how far it has come."""
    # A program that dies leaves no core.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    build_tool("ran")
    start = told_at = time.monotonic()
    results = []
    with ThreadPoolExecutor(jobs) as pool:
        names = Counter()
        running = set()
        for source in programs:
            names[source.path.name] += 1
            place = home / f"{source.path.name}.{names[source.path.name]}"
            running.add(pool.submit(torture, source, place, quick, keep))
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
    total = {what: sum(getattr(result, what) for result in results) for what in ("builds", "compared", "unlogged", "lines", "disputed")}
    return results, (
        f"{len(programs) - sum(left_out.values())} programs, {total['builds']} builds, {total['compared']} counts of blocks and edges "
        f"({total['unlogged']} builds ran too long for a log), "
        f"{total['lines']} of entries and lines ({total['disputed']} on which gcov and llvm-cov disagree), "
        f"{differing} programs differ, {time.monotonic() - start:.0f} s{reasons}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="*", type=Path, help="a folder of programs (default: the corpus)")
    parser.add_argument("--quick", action="store_true", help="one level and stage and some modes for each program, in rotation")
    parser.add_argument("--only", default="", metavar="WORD", help="only programs whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many programs at once")
    parser.add_argument("--keep", action="store_true", help="keep all that was built, not only what differs")
    parser.add_argument("--home", type=Path, default=SCRATCH / "torture", help="where to build (default: target/real/torture)")
    options = parser.parse_args()
    programs = [source for source in (sources(options.folder) if options.folder else corpus()) if options.only in str(source.path)]
    if not programs:
        parser.error(f"no C or C++ program in {', '.join(map(str, options.folder))}")
    say = partial(print, flush=True)
    progress = partial(print, file=sys.stderr, flush=True)
    results, summary = torture_all(programs, options.home.resolve(), options.quick, options.keep, options.jobs, say, progress)
    print(summary)
    return 1 if any(result.differences for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
