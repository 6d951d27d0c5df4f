"""The plugin in contrib/pytest, with the real pytest: each test has its label.

The counted code is in a library that the tests load.
"""

import csv
import io
import shutil
import sys

from tests.real.tools import PATHCC, PATHPROF, ROOT, SCRATCH, CheckFailed, environment, run

PLACE = SCRATCH / "pytest-labels"

LIBRARY = """\
__attribute__((noinline)) int sign(int x) { if (x < 0) return -1; return x > 0; }
"""

TESTS = """\
import ctypes
import pytest

code = ctypes.CDLL("./libsign.so")

@pytest.mark.parametrize("number", [-1, -2])
def test_negative(number):
    assert code.sign(number) == -1

def test_others():
    assert [code.sign(number) for number in (0, 1, 2)] == [0, 1, 1]
"""

EXPECTED = {
    "test_sign.py::test_negative[-1]": 1,
    "test_sign.py::test_negative[-2]": 1,
    "test_sign.py::test_others": 3,
}


def entries(label: str) -> int:
    """How often the function was entered under a label."""
    report = [PATHPROF, "report", "--functions", "--all", "--format", "csv", "--label", label]
    out = run([*report, "sign.pathprof"], PLACE).decode()
    return sum(int(row["entries"]) for row in csv.DictReader(io.StringIO(out)))


def check() -> str:
    """Runs the tests, in one process and in several."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    (PLACE / "sign.c").write_text(LIBRARY)
    (PLACE / "test_sign.py").write_text(TESTS)
    run([PATHCC, "-g", "-O0", "-fPIC", "-shared", "sign.c", "-o", "libsign.so"], PLACE)
    plugin = ["-p", "pytest_pathcc", "--pathcc-labels", "--pathprof", str(PATHPROF)]
    # This project's own configuration is not theirs.
    common = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", "."]
    for times, workers in enumerate(([], ["-n", "2"]), 1):
        env = environment(
            PYTHONPATH=str(ROOT / "contrib/pytest"), PATHCC_PROFILE=str(PLACE / "sign.pathprof")
        )
        run([*common, *plugin, *workers, "test_sign.py"], PLACE, env=env)
        found = {label: entries(label) for label in EXPECTED}
        expected = {label: count * times for label, count in EXPECTED.items()}
        if found != expected:
            raise CheckFailed(f"{workers}: {found}, not {expected}")
    return f"{len(EXPECTED)} labels, in one process and in two"
