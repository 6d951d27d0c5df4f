"""Environments of Python packages from the package index, each made once and kept.

They are in `target/cache`, or where the variable `PATHCC_TEST_CACHE` says, below a name with the
hash of what they hold.
"""

import fcntl
import hashlib
import shutil
import sys
from pathlib import Path

from tests.real.tools import CACHE, ROOT, run

# Options for packages that are all there without a compiler.
WHEELS = ("--only-binary", ":all:")


def python_with(needs: Path, *options: str) -> Path:
    """The Python of an environment with the packages that a file lists. If need be they are
    installed, with these options of pip.
    """
    digest = hashlib.sha256(f"{sys.version}\n{needs.read_text()}".encode()).hexdigest()[:16]
    home = CACHE / f"{needs.stem}-{digest}"
    python, stamp = home / "bin/python", home / "installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with home.with_suffix(".lock").open("w") as lock:
        # Another process may be installing the same; closing the file unlocks it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists():
            shutil.rmtree(home, ignore_errors=True)
            run([sys.executable, "-m", "venv", home], ROOT)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
            run([*pip, "--no-deps", *options, "--requirement", needs], ROOT, seconds=3600)
            stamp.touch()
    return python
