"""A short form of `python -m bench.coverage_of_fits`: the shares that the docs have."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# 60 trials scatter by 3 % about 95 %.
TRIALS = 60
LOWEST = 0.85


@pytest.mark.parametrize("sweep", ["powers of two", "16 MiB grid"])
@pytest.mark.parametrize("misfit", [0.0, 0.03])
def test_intervals_hold_the_truth_where_launches_share_a_misfit(
    monkeypatch: pytest.MonkeyPatch, sweep: str, misfit: float
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from bench.coverage_of_fits import QUANTITIES, coverage

    found = dict(zip(QUANTITIES, coverage(sweep, 5, misfit, TRIALS), strict=True))
    low = {name: share for name, share in found.items() if share < LOWEST}
    assert not low
