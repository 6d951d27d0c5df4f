"""Tortures one program: every build of it that there is, against plain clang, logs and coverage."""

import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.real import truth
from tests.real.tools import (
    CLANG,
    PATHCC,
    PATHPROF,
    CheckFailed,
    Outcome,
    TookTooLong,
    attempt,
    environment,
    export,
    run,
)
from tests.real.torture_coverage import read_gcov, read_lcov, read_llvm, read_ways
from tests.real.torture_programs import TEMPLATES, Source
from tests.real.ways import MODES, STAGES, log_flags, modes_of

LEVELS = ["-O0", "-O2", "-O3"]
# Older suites need an older language.
OLDER = {
    "c": [
        "-std=gnu17",
        "-std=gnu89 -Wno-error=incompatible-pointer-types -Wno-error=int-conversion",
    ],
    "c++": ["-std=gnu++14"],
}
# Programs that are for the comparison of coverage.
HIDDEN = "hidden_"
# What a build of plain clang may take and its program, and both with counters.
PLAIN_BUILD_SECONDS, PLAIN_SECONDS, BUILD_SECONDS, COUNTED_SECONDS = 120, 10, 900, 300
# A log of more bytes than that is not worth its time: the program is compared without one.
LONGEST_LOG = 100 << 20
# What has ways of its own kind: llvm-cov counts a case on its own line, and jumps to addresses not
# at all.
OTHER_WAYS = re.compile(r"\b(switch|case|goto|asm|__asm__)\b")
# A line of labels alone.
LABEL = re.compile(r"\s*((case\b[^:]*|\w+)\s*:[\s;]*)+(/[/*].*)?")


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


class Torture:
    """One program at work: everything happens in a folder of its own."""

    def __init__(self, source: Source, home: Path, stages: Sequence[str]) -> None:
        self.source, self.home, self.stages = source, home, stages
        self.result = Result(source)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)

    def build(
        self, cc: str, flags: str, name: str = "program", seconds: float = BUILD_SECONDS
    ) -> Outcome:
        self.result.builds += 1
        argv = [
            *cc.split(),
            "-g",
            "-w",
            *self.source.flags.split(),
            *flags.split(),
            self.source.path,
            "-o",
            name,
        ]
        return attempt([*argv, "-pthread", "-lm"], self.home, seconds=seconds)

    def plain(self, cc: str, flags: str) -> bool:
        """Whether plain clang builds it."""
        return self.build(cc, flags, seconds=PLAIN_BUILD_SECONDS).status == 0

    def counted(self, flags: str) -> None:
        """A build that must succeed, since plain clang's did."""
        built = self.build(
            str(PATHCC if self.source.language == "c" else PATHCC.with_name("pathc++")), flags
        )
        if built.status != 0:
            raise CheckFailed(f"does not build: {built.err.decode(errors='replace')[-300:]}")

    def run(
        self,
        seconds: float,
        name: str = "./program",
        limits: tuple[str, ...] = (),
        **variables: str,
    ) -> Outcome:
        place = self.home / "work"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return attempt(
            [*limits, f"../{name}"], place, env=environment(**variables), seconds=seconds
        )

    def profiled(self, suffix: str, limits: tuple[str, ...] = ()) -> tuple[Outcome, Path]:
        """Runs the program; gives what it did, and where its profiles or logs are."""
        profiles = self.home / f"profiles.{suffix}"
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir()
        return self.run(
            COUNTED_SECONDS, limits=limits, PATHCC_PROFILE=f"{profiles}/%p.now.pathprof"
        ), profiles

    def torture(self, quick: bool) -> Result:
        """Does all that is to be done."""
        cc = CLANG if self.source.language == "c" else CLANG.replace("clang", "clang++")
        places = [(level, stage) for level in LEVELS for stage in self.stages]
        number = self.source.number
        if quick:
            places = [places[number % len(places)]]
        standards = ["", *OLDER[self.source.language]]
        try:
            standard = next(
                (flags for flags in standards if self.plain(cc, f"{places[0][0]} {flags}")), None
            )
        except TookTooLong:
            self.result.left_out = f"plain clang does not end at {places[0][0]}"
            return self.result
        if standard is None:
            self.result.left_out = "plain clang does not build it"
            return self.result
        self.source = replace(self.source, flags=f"{standard} {self.source.flags}".strip())
        for level, stage in places:
            if not self.place(cc, level, stage, self.modes(stage, number // 18, quick), quick):
                return self.result
        if not quick or self.turn == "coverage" or self.source.path.name.startswith(HIDDEN):
            self.coverage()
        return self.result

    @property
    def turn(self) -> str:
        """What a quick run does besides counting paths. Generated programs combine what others have
        one by one: counting their paths is enough.
        """
        is_generated = self.source.path.parent == TEMPLATES
        return "" if is_generated else ("coverage", "mode", "trace")[self.source.number // 6 % 3]

    def modes(self, stage: str, number: int, quick: bool) -> list[str]:
        """What is counted. In a quick run paths, and when it is its turn one other mode."""
        others = [mode for mode in modes_of(stage) if mode != "paths"]
        if quick:
            others = [others[number % len(others)]] if self.turn == "mode" else []
        return ["paths", *others]

    def place(self, cc: str, level: str, stage: str, modes: list[str], quick: bool) -> bool:
        """Compares all modes at one level and stage, the first of which is built; says whether the
        program is suitable at all.
        """
        try:
            is_first = (level, stage) == (LEVELS[0], self.stages[0])
            if not is_first and not quick and not self.plain(cc, level):
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
        logged: truth.Truth | None = None
        is_logged = False
        for mode in modes:
            where = f"{level} {stage} {mode}"
            try:
                if not is_logged:
                    is_logged = True
                    self.counted(f"{level} {log_flags(stage)}")
                    logged = self.log(plain)
                    (self.home / "program").rename(self.home / "logging")
                self.mode(f"{level} -fpath-stage={stage} {MODES[mode]}", plain, logged, where)
            except CheckFailed as failure:
                self.result.differences.append(f"{where}: {failure}")
        if stage == "machine" or (quick and self.turn != "trace"):
            return True
        try:
            self.traced(f"{level} -fpath-stage={stage}", plain)
        except CheckFailed as failure:
            self.result.differences.append(f"{level} {stage} trace: {failure}")
        return True

    def traced(self, flags: str, plain: Outcome) -> None:
        """Checks the build that is traced: it does the same, and its traces are sound."""
        self.counted(f"{flags} -fpath-mode=trace")
        # A program that runs for long would fill the disk; its trace has gaps instead.
        outcome, traces = self.profiled("traced", ("prlimit", f"--fsize={LONGEST_LOG}"))
        if outcome != plain:
            raise CheckFailed(f"does something else: {told(plain, outcome)}")
        for trace in traces.glob("*.pathtrace"):
            told_of = attempt([PATHPROF, "trace", "info", trace], self.home)
            text = (told_of.out + told_of.err).decode(errors="replace")
            if told_of.status != 0 or "damaged" in text:
                raise CheckFailed(f"the trace cannot be read:\n{text[-500:]}")
        shutil.rmtree(traces)

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

    def varies(self, plain: Outcome, logged: truth.Truth) -> bool:
        """Whether the program takes another way each time, by a clock or an address: then nothing
        can be compared.
        """
        (self.home / "logging").rename(self.home / "program")
        again = self.log(plain)
        (self.home / "program").rename(self.home / "logging")
        return again != logged

    def mode(self, flags: str, plain: Outcome, logged: truth.Truth | None, where: str) -> None:
        """Checks one build."""
        self.counted(flags)
        outcome, profiles = self.profiled("counted")
        if outcome != plain:
            raise CheckFailed(f"does something else: {told(plain, outcome)}")
        if not any(profiles.iterdir()):
            raise CheckFailed("left no profile")
        exported = export(self.home, profiles)
        if logged is not None:
            compared, wrong = truth.against_log(
                exported, logged, truth.imported(self.home / "program")
            )
            self.result.compared += compared
            if wrong and not self.varies(plain, logged):
                self.result.differences += [f"{where}: {one}" for one in wrong[:5]]

    def coverage(self) -> None:
        """Entries and lines against gcov and llvm-cov, and branches against llvm-cov."""
        language = self.source.language
        gcc = "gcc" if language == "c" else "g++"
        clang = CLANG if language == "c" else CLANG.replace("clang", "clang++")
        notes = self.home / "gcov"
        notes.mkdir()
        flags = f"-O0 -dumpdir {notes}/ --coverage"
        if (
            self.build(gcc, flags, "by-gcc").status != 0
            or self.build(
                clang, "-O0 -fprofile-instr-generate -fcoverage-mapping", "by-clang"
            ).status
            != 0
        ):
            return
        raw = self.home / "coverage.profraw"
        try:
            outcomes = [
                self.run(COUNTED_SECONDS, "by-gcc"),
                self.run(COUNTED_SECONDS, "by-clang", LLVM_PROFILE_FILE=str(raw)),
            ]
        except CheckFailed:
            return
        data = list(notes.glob("*.gcda"))
        if (
            not raw.exists()
            or len(data) != 1
            or outcomes[0].status != outcomes[1].status
            or outcomes[0].out != outcomes[1].out
        ):
            return
        self.counted("-O0 -fpath-stage=early")
        outcome, profiles = self.profiled("coverage")
        if outcome.status != outcomes[1].status:
            raise CheckFailed(f"coverage: does something else: {told(outcomes[1], outcome)}")
        tracefile = [PATHPROF, "export", "--format", "lcov", "--system", profiles]
        written = run(tracefile, self.home)
        ours = read_lcov(written)
        *by_llvm, ways = read_llvm(self.home, raw)
        theirs = [read_gcov(self.home, data[0]), by_llvm]
        name = self.source.path.name
        text = self.source.path.read_text(errors="replace").splitlines()
        for (file, line), number in sorted(read_ways(written).items()):
            if file == name and number > ways[file, line] and not OTHER_WAYS.search(text[line - 1]):
                self.result.differences.append(
                    f"branches of {name}:{line}: llvm-cov has {ways[file, line]} ways, counted "
                    f"{number}"
                )
        # There is nothing in LLVM's code for a line that only names a place.
        labels = {number for number, line in enumerate(text, 1) if LABEL.fullmatch(line)}
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
                    self.result.differences.append(
                        f"{kind} of {name}:{key[1]}: gcov and llvm-cov say {one[key]}, "
                        f"counted {own[key]}"
                    )
        # Of what is left out, gcov and llvm-cov know more.
        has_skipped = any(
            function["skipped"] is not None for function in export(self.home, profiles)["functions"]
        )
        for kind, places in missing.items() if not has_skipped else ():
            self.result.differences.append(
                f"{kind} that gcov and llvm-cov have are not listed: {', '.join(places)}"
            )


def told(expected: Outcome, got: Outcome) -> str:
    """Where two outcomes differ."""
    for what in ("status", "out", "err"):
        before, after = getattr(expected, what), getattr(got, what)
        if before != after:
            return f"{what} was {before!r:.200} and is {after!r:.200}"
    return "nothing differs"


def torture(
    source: Source, home: Path, quick: bool, keep: bool, stages: Sequence[str] = STAGES
) -> Result:
    """One program, counted at some stages; its folder stays if anything differs."""
    job = Torture(source, home, stages)
    try:
        result = job.torture(quick)
    except Exception as failure:  # a broken check is a failed check
        result = job.result
        result.differences.append(
            str(failure)
            if isinstance(failure, CheckFailed)
            else f"{type(failure).__name__}: {failure}"
        )
    if not keep and not result.differences:
        shutil.rmtree(home)
    return result
