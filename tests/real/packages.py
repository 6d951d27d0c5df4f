"""Environments of Python packages from the package index, in target/real."""

import shutil
import sys
from pathlib import Path
from threading import Lock

from tests.real.tools import ROOT, SCRATCH, run

INSTALLING = Lock()


def python_with(needs: Path) -> Path:
    """The Python of an environment with the packages that a file lists; installed if need be."""
    home = SCRATCH / f"{needs.stem}-env"
    python, stamp = home / "bin/python", home / "installed"
    with INSTALLING:
        if not stamp.exists() or stamp.read_text() != needs.read_text():
            shutil.rmtree(home, ignore_errors=True)
            run([sys.executable, "-m", "venv", home], ROOT)
            pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
            wheels = ["--no-deps", "--only-binary", ":all:", "--requirement", needs]
            run([*pip, *wheels], ROOT, seconds=3600)
            stamp.write_text(needs.read_text())
    return python
