"""Whatever techniques are left out of one program, its counts are those of the block log."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real import switches

Found = Callable[[str], None]


@pytest.mark.parametrize(
    "first",
    switches.subsets(switches.OTHER_PATHS),
    ids=lambda first: "+".join(first) or "nothing",
)
def test_without(first: tuple[str, ...], home: Path, found: Found) -> None:
    found(switches.check("-O2", first, switches.every_way(first), home))
