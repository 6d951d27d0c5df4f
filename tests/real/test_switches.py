"""Whatever techniques are left out of one program, its counts are those of the block log."""

from pathlib import Path

import pytest

from tests.real import switches
from tests.real.conftest import Found

FIRST = switches.subsets(switches.OTHER_PATHS)
each = pytest.mark.parametrize("first", FIRST, ids=lambda first: "+".join(first) or "nothing")


@each
def test_without(first: tuple[str, ...], home: Path, found: Found) -> None:
    """In a few ways, in which every three choices meet."""
    found(switches.check("-O2", first, switches.covering()[first], home))


@pytest.mark.full
@each
def test_every_way_without(first: tuple[str, ...], home: Path, found: Found) -> None:
    found(switches.check("-O2", first, switches.every_way(first), home))
