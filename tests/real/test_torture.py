"""The corpus: one construct in each program, each at one level and stage, in rotation."""

from collections.abc import Callable

import pytest

from tests.real.torture import check_one
from tests.real.torture_programs import Source, corpus

Found = Callable[[str], None]


@pytest.mark.parametrize("source", corpus(), ids=lambda source: source.path.name)
def test_program(source: Source, found: Found) -> None:
    found(check_one(source, quick=True))
