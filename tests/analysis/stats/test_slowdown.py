"""Curves of two machines: levels of launches, slowdowns, and which of them are told."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.slowdown import (
    Slowdown,
    moderated,
    rejected,
    slowdown,
    slowdown_of_sessions,
)

FINITE = st.floats(-3, 3)


@given(
    st.lists(FINITE, min_size=2, max_size=6), st.lists(FINITE, min_size=1, max_size=8), st.data()
)
def test_levels_are_geometric_means_and_missing_sizes_do_not_bend_them(
    launches: list[float], sizes: list[float], data: st.DataObject
) -> None:
    """Of launches that differ by a factor alone, as long as all hang together."""
    whole = [{at: math.exp(own + size) for at, size in enumerate(sizes)} for own in launches]
    middle = sum(sizes) / len(sizes)
    assert levels(whole) == pytest.approx([own + middle for own in launches], abs=1e-6)
    kept = data.draw(st.lists(st.sampled_from(range(len(sizes))), min_size=1, unique=True))
    thinned = [whole[0], *({at: table[at] for at in kept} for table in whole[1:])]
    assert levels(thinned) == pytest.approx([own + middle for own in launches], abs=1e-5)


def test_launches_without_a_size_in_common_are_not_laid_beside_each_other() -> None:
    assert connected([{1: 1.0}, {2: 1.0}, {2: 1.0, 3: 1.0}, {3: 1.0}, {}]) == [1, 2, 3]
    assert connected([]) == []


def test_a_slowdown_is_welchs_test_on_logarithms() -> None:
    draw = np.random.default_rng(1)
    mine, theirs = draw.normal(0.08, 0.02, 5), draw.normal(0, 0.01, 7)
    found = slowdown(mine.tolist(), theirs.tolist())
    assert found is not None
    known = stats.ttest_ind(mine - math.log(1.05), theirs, equal_var=False, alternative="greater")
    assert found.chance_if_at_most(0.05) == pytest.approx(known.pvalue)
    assert found.chance_if_at_least(0.05) == pytest.approx(1 - known.pvalue)
    assert found.freedom == pytest.approx(known.df)
    assert slowdown([0.0], [0.0, 0.1]) is None


def test_one_session_is_judged_by_the_scatter_of_the_others() -> None:
    found = slowdown_of_sessions([0.1], [0.0, 0.02, 0.01])
    assert found is not None
    assert found.log == pytest.approx(0.09)
    assert found.freedom == 2
    assert found.squared_error == pytest.approx(0.01**2 * (1 + 1 / 3))
    assert slowdown_of_sessions([0.1], [0.0]) is None


def test_without_any_scatter_the_answer_is_the_figure() -> None:
    exact = Slowdown(log=0.1, squared_error=0.0, freedom=8)
    assert (exact.chance_if_at_most(0.05), exact.chance_if_at_least(0.05)) == (0.0, 1.0)


def test_curves_alike_share_their_scatter_and_unlike_ones_keep_their_own() -> None:
    alike = [Slowdown(log=0, squared_error=v, freedom=8) for v in (1.0, 1.1, 0.9, 1.0)]
    for one in moderated(alike):
        assert one.freedom == 32
        assert one.squared_error == pytest.approx(1.0, rel=0.15)
    unlike = [Slowdown(log=0, squared_error=v, freedom=8) for v in (1.0, 1e4, 1e-4, 1e-8)]
    for before, after in zip(unlike, moderated(unlike), strict=True):
        assert after.squared_error == pytest.approx(before.squared_error, rel=2)
        assert after.freedom < 10
    two = alike[:2]
    assert moderated(two) == two


def test_the_prior_is_found_again_where_variances_have_one() -> None:
    """Smyth's model: variances about a common one with 10 degrees of freedom, each seen with 8.

    Half of the 10 count.
    """
    draw = np.random.default_rng(2)
    true = 10 / draw.chisquare(10, 4000)
    seen = true * draw.chisquare(8, 4000) / 8
    found = moderated([Slowdown(log=0, squared_error=v, freedom=8) for v in seen.tolist()])
    assert found[0].freedom == pytest.approx(13, rel=0.15)


def test_holms_correction_by_hand() -> None:
    # Four open hypotheses at 5 %, p divided by 0.9: 0.01125 falls, then 0.0150 of three, not 0.03.
    assert rejected([0.0108, 0.0150, 0.04, 0.5], 0.05) == [True, True, False, False]
    assert rejected([0.0120, 0.0150, 0.04, 0.5], 0.05) == [False] * 4
    # What is far on the good side does not count.
    assert rejected([0.04, 0.99, 0.999, 1.0], 0.05) == [True, False, False, False]
    assert rejected([], 0.05) == []


def test_the_correction_errs_no_more_often_than_it_says() -> None:
    draw = np.random.default_rng(3)
    wrong = sum(any(rejected(draw.random(20).tolist(), 0.05)) for _ in range(4000))
    assert wrong / 4000 <= 0.06
