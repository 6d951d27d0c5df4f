"""What the checks of real programs share: options, places to work in, and what each one found."""

import os
import re
import resource
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.real import sources, torture_programs
from tests.real.programs import PROGRAMS
from tests.real.tools import PATHCC, SCRATCH, build_tools

T = TypeVar("T")

# Takes what a check compared, see `found`.
Found = Callable[[str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep", action="store_true", help="keep what is built, in target/real/build")


class Findings:
    """Says below the name of a check what it compared."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        for name, text in report.user_properties:
            if terminal and name == "found" and report.when == "call":
                terminal.write_line(f"    {text}")


def pytest_configure(config: pytest.Config) -> None:
    # A program that dies leaves no core.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if config.option.verbose > 0:
        config.pluginmanager.register(Findings(config))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Makes what every worker uses, before there are any."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    if not PATHCC.exists():
        pytest.exit(f"{PATHCC} does not exist: run `make build` first", 2)
    torture_programs.write_templates()
    if not session.config.option.collectonly:
        build_tools()
        sources.fetch([program.package for program in PROGRAMS if program.package])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that the last to finish is short; what shares a build together."""

    def group(item: pytest.Item) -> str:
        marker = item.get_closest_marker("xdist_group")
        return marker.args[0] if marker else item.nodeid

    first: dict[str, int] = {}
    for number, item in enumerate(items):
        first.setdefault(group(item), number)
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None, first[group(item)]))


@pytest.fixture
def found(record_property: Callable[[str, object], None]) -> Found:
    """Takes what a check compared, for the terminal and the report."""
    return lambda text: record_property("found", text)


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of the test's own."""
    yield from place_for(request, re.sub(r"[^\w.+-]+", "-", request.node.name).strip("-"))


def sample(step: int, values: Iterable[T], names: Callable[[T], str] = str) -> list[object]:
    """Values of a parameter, of which `make test` takes one in `step`."""
    return [
        pytest.param(value, id=names(value), marks=[pytest.mark.full] if number % step else [])
        for number, value in enumerate(values)
    ]


def place_for(request: pytest.FixtureRequest, name: str, keeps: bool = False) -> Iterator[Path]:
    """A folder that goes unless a test failed that used it, or it is kept."""
    place = SCRATCH / "build" / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    failed = request.session.testsfailed
    yield place
    keeps = keeps or request.config.option.keep or request.session.testsfailed > failed
    if not keeps:
        shutil.rmtree(place)
