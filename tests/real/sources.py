"""Fetches Debian source packages with a private apt configuration and unpacks them.

The machine's own package sources list only binary packages (`deb`); a copy of them that says
`deb-src` goes to a directory of our own, with its own package lists, so the system's configuration
is neither needed nor changed.
"""

import re
import shutil
import subprocess
from pathlib import Path

from tests.real.tools import CACHE, SCRATCH, CheckFailed, environment

SOURCES = CACHE / "sources"
APT = SCRATCH / "apt"


def source_entries(text: str, one_line: bool) -> str:
    """The source entries that stand for the binary ones of a sources file."""
    if one_line:
        return re.sub(r"^deb\s", "deb-src ", text, flags=re.MULTILINE)
    return re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)


def write_configuration() -> list[str]:
    """Makes the private configuration; returns the options that let apt use it."""
    parts = APT / "sources.list.d"
    shutil.rmtree(parts, ignore_errors=True)
    for directory in (parts, APT / "lists/partial", APT / "cache/archives/partial"):
        directory.mkdir(parents=True, exist_ok=True)
    system = Path("/etc/apt")
    for file in (system / "sources.list", *sorted((system / "sources.list.d").glob("*"))):
        if file.is_file() and file.suffix in (".list", ".sources"):
            name = "main.list" if file.name == "sources.list" else file.name
            (parts / name).write_text(source_entries(file.read_text(), file.suffix == ".list"))
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": parts,
        "Dir::State::lists": APT / "lists",
        "Dir::Cache": APT / "cache",
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def apt(options: list[str], tool: str, *command: str) -> str:
    done = subprocess.run(
        [tool, *options, *command],
        cwd=SOURCES,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        raise CheckFailed(
            f"{tool} {' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def download(options: list[str], package: str) -> str:
    """Upstream's archive alone: mirrors sometimes lack Debian's changes, which are not wanted.

    They may also list a version that they have not got; then an older one will do.
    """
    what = ("source", "--download-only", "--only-source", "--tar-only")
    told = apt(options, "apt-cache", "showsrc", "--only-source", package)
    listed = sorted(set(re.findall(r"^Version: (\S+)$", told, re.MULTILINE)))
    versions = [package, *(f"{package}={version}" for version in listed)]
    for version in versions:
        try:
            return apt(options, "apt-get", *what, version)
        except CheckFailed:
            if version == versions[-1]:
                raise
    raise CheckFailed(f"there is no source of {package}")


def fetch(packages: list[str]) -> dict[str, Path]:
    """Unpacked upstream sources by package; the network is used only for what is missing."""
    SOURCES.mkdir(parents=True, exist_ok=True)
    missing = [package for package in packages if not (SOURCES / package / "ok").exists()]
    if missing:
        print(f"fetching the sources of {', '.join(missing)}", flush=True)
        options = write_configuration()
        apt(options, "apt-get", "update")
        for package in missing:
            download(options, package)
            unpack(package)
    return {package: SOURCES / package / "tree" for package in packages}


def unpack(package: str) -> None:
    """Upstream's tree as it is: Debian's patches change build systems to fit Debian's own tools."""
    (archive,) = SOURCES.glob(f"{package}_*.orig.tar.*[!c]")
    home = SOURCES / package
    shutil.rmtree(home, ignore_errors=True)
    (home / "tree").mkdir(parents=True)
    command = ["tar", "-xf", str(archive), "--strip-components=1", "-C", str(home / "tree")]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    (home / "ok").touch()
