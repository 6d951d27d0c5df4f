"""The programs that are tortured: those of some folders, or the corpus."""

import re
import shutil
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from tests.real import torture_templates
from tests.real.tools import ROOT, SCRATCH

TEMPLATES = SCRATCH / "torture.templates"
SUFFIXES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".C": "c++"}


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


def sources(folders: list[Path]) -> list[Source]:
    """The programs of some folders."""
    found = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES and path.is_file()
    ]
    return [Source(path.resolve(), flags_of(path)) for path in found]


def write_templates() -> None:
    """Writes the generated half of the corpus."""
    shutil.rmtree(TEMPLATES, ignore_errors=True)
    torture_templates.write(TEMPLATES)


def corpus() -> list[Source]:
    """The programs of our own. `write_templates` comes first."""
    return [replace(source, ends=True) for source in sources([ROOT / "tests/torture", TEMPLATES])]


def flags_of(path: Path) -> str:
    """The flags that stand in a program."""
    text = path.read_text(errors="replace")
    own = re.match(r"/[/*] flags: (.*?)(?:\*/)?\n", text)
    if own:
        return own[1].strip()
    theirs = re.findall(r"\{ *dg-(?:additional-)?options +\"([^\"]*)\" *\}", text)
    # Levels are ours to choose.
    return " ".join(
        flag
        for flags in theirs
        for flag in flags.split()
        if not re.match(r"-O|-W|-fdump|-save-temps", flag)
    )
