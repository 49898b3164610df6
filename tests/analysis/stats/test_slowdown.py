"""Curves of two machines: levels of launches, slowdowns, and which of them are told."""

import math

import msgspec
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.slowdown import (
    ONE_SIDED_TAIL,
    SESSION_SCATTER,
    TAILED_FREEDOM,
    Slowdown,
    moderated,
    quantile,
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


def test_levels_of_a_chain_are_exact() -> None:
    """Each launch shares one case with the next: 60 launches that differ by 1.9 end to end."""
    count = 60
    true = [1.9 * at / (count - 1) for at in range(count)]
    tables = [
        {case: math.exp(level + 0.3 * (case % 7)) for case in (at, at + 1)}
        for at, level in enumerate(true)
    ]
    found = levels(tables)
    assert found[-1] - found[0] == pytest.approx(1.9, abs=1e-9)
    assert [own - found[0] for own in found] == pytest.approx(true, abs=1e-9)


@given(st.data())
def test_levels_are_the_least_squares_fit(data: st.DataObject) -> None:
    """As numpy solves launch + case over all times, whatever is missing."""
    times = st.dictionaries(st.integers(0, 4), st.floats(0.1, 10), min_size=1)
    tables = data.draw(st.lists(times, min_size=1, max_size=6))
    tables = [tables[at] for at in connected(tables)]
    rows = [
        (at, case, math.log(time))
        for at, table in enumerate(tables)
        for case, time in table.items()
    ]
    design = np.zeros((len(rows), len(tables) + 5))
    for row, (at, case, _) in enumerate(rows):
        design[row, [at, len(tables) + case]] = 1
    fitted = np.linalg.lstsq(design, np.array([log for *_, log in rows]), rcond=None)[0]
    expected = fitted[: len(tables)] - fitted[0]
    found = levels(tables)
    assert [own - found[0] for own in found] == pytest.approx(expected.tolist(), abs=1e-8)


def test_a_slowdown_is_welchs_test_on_logarithms() -> None:
    draw = np.random.default_rng(1)
    mine, theirs = draw.normal(0.08, 0.02, 5), draw.normal(0, 0.01, 7)
    found = slowdown(mine.tolist(), theirs.tolist())
    assert found is not None
    known = scipy.stats.ttest_ind(
        mine - math.log(1.05), theirs, equal_var=False, alternative="greater"
    )
    even = msgspec.structs.replace(found, one_sided=0.0)
    assert even.chance_if_at_most(0.05) == pytest.approx(known.pvalue)
    assert even.chance_if_at_least(0.05) == pytest.approx(1 - known.pvalue)
    assert found.freedom == pytest.approx(known.df)
    assert slowdown([0.0], [0.0, 0.1]) is None


def test_where_one_side_scatters_alone_the_interval_is_longer() -> None:
    """Nothing outweighs its tail: (1 - 0) third moments of one side, none of sides alike."""
    wide, narrow = [0.0, 0.1, 0.05, -0.03, 0.02], [0.01, 0.01, 0.01, 0.01, 0.01]
    alone, turned = slowdown(wide, narrow), slowdown(narrow, wide)
    alike = slowdown(wide, [one + 0.3 for one in wide])
    assert alone is not None
    assert turned is not None
    assert alike is not None
    assert (alone.one_sided, turned.one_sided, alike.one_sided) == pytest.approx((1.0, -1.0, 0.0))
    for found, longer in ((alone, 1 + ONE_SIDED_TAIL), (alike, 1.0)):
        _, low, high = found.speed(0.025, 0.025)
        reach = 2 * quantile(found.freedom, 0.975) * math.sqrt(found.squared_error)
        assert math.log(high / low) == pytest.approx(longer * reach)


def test_sessions_are_taken_to_differ_by_as_much_as_launches_do() -> None:
    """A machine whose launches differ by 10 % has no sessions that differ by 2 %."""
    noisy = slowdown([0.1, -0.1, 0.1, -0.1], [0.1, -0.1, 0.1, -0.1])
    quiet = slowdown([0.001, -0.001], [0.001, -0.001])
    assert noisy is not None
    assert quiet is not None
    variance = 4 * 0.1**2 / 3
    assert noisy.launch_variance == pytest.approx(variance)
    added = noisy.of_other_days.squared_error - noisy.squared_error
    assert added == pytest.approx(2 * variance)
    added = quiet.of_other_days.squared_error - quiet.squared_error
    assert added == pytest.approx(2 * SESSION_SCATTER**2)


def test_an_allowance_that_launches_make_is_known_no_better_than_by_them() -> None:
    noisy = slowdown([0.1, -0.1, 0.1, -0.1], [0.1, -0.1, 0.1, -0.1])
    quiet = slowdown([0.001, -0.001], [0.001, -0.001])
    assert noisy is not None
    assert quiet is not None
    assert noisy.of_other_days.freedom == TAILED_FREEDOM * noisy.freedom
    assert quiet.of_other_days.freedom > 1e5


@pytest.mark.parametrize("count", [3, 5, 12])
@pytest.mark.parametrize("scatter", [0.02, 0.04, 0.2])
def test_sessions_that_differ_as_launches_do_are_seldom_called_different(
    count: int, scatter: float
) -> None:
    """In 1 to 5 % of 1,500 trials; with an allowance beyond doubt it was 9 to 10 %."""
    random, trials, said = np.random.default_rng(7), 600, 0
    for _ in range(trials):
        sides = (
            (scatter * (random.standard_normal() + random.standard_normal(count))).tolist()
            for _ in range(2)
        )
        found = slowdown(*sides)
        assert found is not None
        said += found.of_other_days.chance_of_none <= 0.05
    assert said <= 0.065 * trials


def test_what_days_differ_by_has_no_side() -> None:
    found = Slowdown(log=0.1, squared_error=1e-6, freedom=4, one_sided=1.0)
    assert found.of_other_days.one_sided == pytest.approx(0, abs=1e-3)


def test_one_session_is_judged_by_the_scatter_of_the_others() -> None:
    found = slowdown_of_sessions([0.1], [0.0, 0.02, 0.01])
    assert found is not None
    assert found.log == pytest.approx(0.09)
    assert found.freedom == 2
    assert found.squared_error == pytest.approx(0.01**2 * (1 + 1 / 3))
    assert slowdown_of_sessions([0.1], [0.0]) is None


@pytest.mark.parametrize("kind", ["tail", "modes"])
def test_one_session_in_the_tail_of_its_days_is_seldom_called_different(kind: str) -> None:
    """One session against five of an equal machine; without an allowance 6 to 7 % are."""
    random = np.random.default_rng(15)
    days = random.gamma(1.5, 1.0, (6000, 6))
    if kind == "modes":
        days = 0.4 * random.standard_normal((6000, 6)) + 2 * (random.random((6000, 6)) < 0.3)
    named = 0
    for own in days:
        found = slowdown_of_sessions(own[:1].tolist(), own[1:].tolist())
        assert found is not None
        named += found.chance_of_none <= 0.05
    assert named <= 0.05 * 6000


def test_several_sessions_a_side_have_no_tail_of_their_own() -> None:
    found = slowdown_of_sessions([1.0, 2.0], [1.0, 2.0, 4.0])
    assert found is not None
    assert found.one_sided == 0


def test_without_any_scatter_the_answer_is_the_figure() -> None:
    exact = Slowdown(log=0.1, squared_error=0.0, freedom=8)
    assert (exact.chance_if_at_most(0.05), exact.chance_if_at_least(0.05)) == (0.0, 1.0)
    # The very place is as well on either side.
    none = Slowdown(log=0.0, squared_error=0.0, freedom=8)
    assert (none.chance_if_at_most(0.0), none.chance_if_at_least(0.0)) == (0.5, 0.5)
    assert (exact.chance_of_none, none.chance_of_none) == (0.0, 1.0)


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
