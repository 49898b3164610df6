"""Variances drawn towards their common one, beside the formulas of the paper solved by scipy."""

import math

import numpy as np
import pytest
import scipy

from weft.analysis.stats.needed import at_first
from weft.analysis.stats.slowdown import Slowdown, moderated

VARIANCES = (4.0, 0.3, 1.7, 0.05, 9.0)
FREEDOMS = (4.0, 6.0, 9.0, 12.0, 3.0)


def curves(variances: tuple[float, ...], freedoms: tuple[float, ...]) -> list[Slowdown]:
    pairs = zip(variances, freedoms, strict=True)
    return [Slowdown(log=0.1, squared_error=v, freedom=f) for v, f in pairs]


def test_a_variance_is_smyths_with_half_of_his_prior() -> None:
    """Section 6.2: e = log s^2 - digamma(d/2) + log(d/2); trigamma(d0/2) is what it scatters by
    beyond the mean trigamma(d/2), and the mean of e is log s0^2 less digamma(d0/2) and its log.
    """
    own = np.log(VARIANCES) - scipy.special.digamma(np.array(FREEDOMS) / 2)
    own += np.log(np.array(FREEDOMS) / 2)
    beyond = np.var(own, ddof=1) - np.mean(scipy.special.polygamma(1, np.array(FREEDOMS) / 2))
    half = scipy.optimize.brentq(
        lambda x: scipy.special.polygamma(1, x) - beyond, 1e-3, 1e3, xtol=1e-14
    )
    common = math.exp(np.mean(own) + scipy.special.digamma(half) - math.log(half))
    found = moderated(curves(VARIANCES, FREEDOMS))
    for one, variance, freedom in zip(found, VARIANCES, FREEDOMS, strict=True):
        expected = (half * common + freedom * variance) / (half + freedom)
        assert one.squared_error == pytest.approx(expected, rel=1e-6)
        assert one.freedom == pytest.approx(half + freedom, rel=1e-6)
        assert one.log == 0.1


def test_variances_that_are_alike_are_their_geometric_mean_and_known_as_all_together() -> None:
    variances, freedoms = (1.0, 1.1, 0.9), (4.0, 6.0, 9.0)
    own = np.log(variances) - scipy.special.digamma(np.array(freedoms) / 2)
    common = math.exp(np.mean(own + np.log(np.array(freedoms) / 2)))
    for one in moderated(curves(variances, freedoms)):
        assert one.squared_error == pytest.approx(common, rel=1e-4)
        assert one.freedom == sum(freedoms)


def test_of_two_curves_or_without_scatter_each_keeps_its_own() -> None:
    two = curves((1.0, 9.0), (4.0, 4.0))
    still = curves((1.0, 0.0, 9.0), (4.0, 4.0, 4.0))
    assert moderated(two) == two
    assert moderated(still) == still
    assert moderated(curves((1.0, 2.0, 9.0), (4.0, 4.0, 4.0))) != curves((1, 2, 9), (4, 4, 4))


@pytest.mark.parametrize(("unit", "count"), [("launch", 5), ("session", 3)])
def test_so_many_show_a_scatter_of_which_nothing_is_known(unit: str, count: int) -> None:
    found = at_first(unit)  # type: ignore[arg-type]
    assert (found.unit, found.count, found.difference, found.hidden) == (unit, count, 0.0, "")
