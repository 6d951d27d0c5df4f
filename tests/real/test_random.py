"""Random programs of fixed seeds, so that a change of ours and not of the dice makes one fail."""

import pytest

from tests.real import csmith, full_loops, lives, lives_traces
from tests.real.conftest import Found, sample


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(seed, marks=[] if seed in lives.FEW_SEEDS else [pytest.mark.full])
        for seed in lives.SEEDS
    ],
)
def test_lives(seed: int, found: Found) -> None:
    found(lives.check(seed))


@pytest.mark.parametrize("seed", lives_traces.SEEDS)
def test_traces_of_lives(seed: int, found: Found) -> None:
    found(lives_traces.check(seed))


@pytest.mark.parametrize("seed", sample(2, csmith.SEEDS))
def test_csmith(seed: int, found: Found) -> None:
    found(csmith.check(seed))


@pytest.mark.parametrize("seed", full_loops.SEEDS)
def test_full_loops(seed: int, found: Found) -> None:
    found(full_loops.check(seed))
