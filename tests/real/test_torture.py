"""The corpus: one construct in each program."""

import pytest

from tests.real.conftest import Found
from tests.real.torture import check_one
from tests.real.torture_programs import Source, corpus

each = pytest.mark.parametrize("source", corpus(), ids=lambda source: source.path.name)


@each
def test_program(source: Source, found: Found) -> None:
    """At one level and stage, by the name of the program, so that there are programs at each."""
    found(check_one(source, quick=True))


@pytest.mark.full
@each
def test_program_everywhere(source: Source, found: Found) -> None:
    """At every level and stage, with every kind of counters."""
    found(check_one(source, quick=False))
