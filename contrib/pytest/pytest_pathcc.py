"""Gives each test a label, so that a profile says which test ran which path of counted code.

The counted code is in extension modules and libraries that the tests load. The plugin needs nothing
of them: `pathprof label` changes the label of this process from outside. One such process serves
all tests.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pathcc")
    group.addoption(
        "--pathcc-labels",
        action="store_true",
        help="count under a label for each test, which `pathprof labels` lists",
    )
    group.addoption(
        "--pathprof", default="pathprof", metavar="PROGRAM", help="which pathprof changes the label"
    )


def pytest_configure(config: pytest.Config) -> None:
    # With xdist, the tests are run by its workers.
    is_master = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if config.getoption("--pathcc-labels") and not is_master:
        config.pluginmanager.register(Labels(config.getoption("--pathprof")), "pathcc-labels")


class Labels:
    """Changes the label of this process before and after each test."""

    def __init__(self, pathprof: str) -> None:
        found = shutil.which(pathprof)
        if found is None:
            raise pytest.UsageError(
                f"--pathcc-labels: there is no {pathprof}; name it by --pathprof"
            )
        self.pathprof = subprocess.Popen(
            [found, "label", str(os.getpid()), "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # It must not be counted itself.
            env={**os.environ, "PATHCC_PROFILE": "off"},
        )

    def change(self, label: str) -> None:
        """Changes the label, and waits until that is done. Text has no line breaks."""
        if self.pathprof.stdin is None or self.pathprof.stdout is None:
            return
        try:
            self.pathprof.stdin.write(" ".join(label.splitlines()) + "\n")
            self.pathprof.stdin.flush()
            self.pathprof.stdout.readline()
        except BrokenPipeError:
            pass

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.change(item.nodeid)
        yield
        self.change("")

    def pytest_unconfigure(self) -> None:
        if self.pathprof.stdin is not None:
            self.pathprof.stdin.close()
        self.pathprof.wait()
