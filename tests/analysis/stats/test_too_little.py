"""What each estimator says of the least that it can be given, and of one value more."""

import math

import msgspec
import numpy as np
import pytest

from weft.analysis.diagnosis.diagnose import dead_of
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.analysis.fits.median_line import median_line
from weft.analysis.fits.sweeps import series_of_times
from weft.analysis.stats.change_points import local_scatter
from weft.analysis.stats.fairness import fairness_of_launches
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.median_deviation import spread
from weft.analysis.stats.needed import at_first
from weft.analysis.stats.parameters import over_launches, over_sessions_of
from weft.analysis.stats.ratios import Figure, Kind, Ratio, needed, ratio, verdict
from weft.analysis.stats.slowdown import Paces, difference_of_pairs, together
from weft.analysis.stats.slowest import slowest_rank, to_be_told
from weft.estimate import Estimate


def test_one_difference_of_pairs_has_no_scatter_and_two_have() -> None:
    assert difference_of_pairs([]) is None
    assert difference_of_pairs([0.5]) is None
    found = difference_of_pairs([0.5, -0.1])
    assert found is not None
    # Their mean, half of the squared distance over the count, and one degree of freedom.
    assert (found.log, found.freedom) == pytest.approx((0.2, 1.0))
    assert found.squared_error == pytest.approx(0.6**2 / 2 / 2)


def test_curves_are_together_from_two_on_and_where_all_sessions_have_them() -> None:
    one = ([1.0, 1.2], [0.9, 1.0, 0.8])
    assert together([one]) is None
    assert together([one, ([1.0], [0.9, 1.0, 0.8])]) is None
    found = together([one, ([3.0, 2.0], [1.0, 1.5, 2.5])])
    assert found is not None
    # Sessions' means over both curves: 2.0, 1.6 and 0.95, 1.25, 1.65.
    assert found.log == pytest.approx(1.8 - (0.95 + 1.25 + 1.65) / 3)
    assert found.freedom == 3.0


def test_one_launch_is_no_parameter_over_launches_and_has_no_ends() -> None:
    with pytest.raises(ValueError, match="at least two launches"):
        over_launches([3.0], positive=False)
    alone = over_sessions_of([-3.0], [0], positive=False)
    assert (alone.value, alone.is_bounded, alone.launches) == (-3.0, False, 1)
    two = over_sessions_of([-3.0, 1.0], [0, 0], positive=False)
    assert (two.value, two.launches, two.unit) == (-1.0, 2, "launch")
    assert two.low < -3.0
    assert two.high > 1.0


def test_one_launch_has_a_fairness_without_an_interval() -> None:
    found = fairness_of_launches([np.array([0.9, 0.8, 0.7])])
    assert (found.value, found.is_bounded) == (0.8, False)
    assert found.high == math.inf


def test_two_sizes_have_a_median_line_without_an_interval_and_three_have_one() -> None:
    def line_of(sizes: list[int]) -> tuple[Estimate, Estimate]:
        times = np.array([1000.0 + 0.5 * size for size in sizes])
        [launch] = series_of_times("x", np.array(sizes), times).launches
        found = median_line(launch)
        return found.latency_ns, found.slope_ns_per_byte

    for one, value in zip(line_of([8, 4096]), (1000.0, 0.5), strict=True):
        assert one.value == pytest.approx(value, rel=1e-6)
        assert (one.low, one.high) == (-math.inf, math.inf)
        assert one.method == "no interval from two sizes"
    assert {one.method == "no interval from two sizes" for one in line_of([8, 512, 4096])} == {
        False
    }


def test_four_sizes_have_no_neighbours_to_be_off_and_five_have() -> None:
    sizes = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    times = np.array([10.0, 13.0, 14.0, 18.0, 26.0])
    assert local_scatter(sizes[:4], times[:4]) == 0.0
    # The median of how far the middle ones are off what their neighbours make of them.
    off = []
    for at in (1, 2, 3):
        share = (sizes[at + 1] - sizes[at]) / (sizes[at + 1] - sizes[at - 1])
        parts = (times[at], share * times[at - 1], (1 - share) * times[at + 1])
        off.append(abs(parts[0] - parts[1] - parts[2]) / math.hypot(*parts))
    assert local_scatter(sizes, times) == pytest.approx(1.4826 * sorted(off)[1])


def test_no_values_have_no_spread_and_one_has_none_either() -> None:
    assert spread(np.array([])) == 0.0
    assert spread(np.array([7.0])) == 0.0
    assert spread(np.array([1.0, 2.0, 5.0])) == pytest.approx(1.4826)


def test_where_nobody_answered_nobody_is_called_dead() -> None:
    def dead(*times_ns: float) -> tuple[str, ...]:
        source, target = np.array([0, 1, 2]), np.array([1, 2, 0])
        visits = np.arange(3)
        return dead_of(
            PairTimes(
                names=("a", "b", "c"), source=source, target=target, visit=visits,
                time_ns=np.array(times_ns),
            )
        )  # fmt: skip

    assert dead(math.nan, math.nan, math.nan) == ()
    assert dead(5.0, math.nan, math.nan) == ("c",)
    assert dead(5.0, 6.0, math.nan) == ()


def figure(*times: float) -> Figure:
    kind: Kind = "launches" if len(times) > 1 else "one launch"
    return Figure(estimate=median_of_launches(list(times)), kind=kind, paces=Paces((times,)))


def without_paces(one: Figure) -> Figure:
    return msgspec.structs.replace(one, paces=None)


def test_a_ratio_of_one_launch_has_its_value_and_no_verdict() -> None:
    one, five = figure(3.0), figure(1.9, 2.0, 2.1, 2.0, 2.05)
    assert needed(one, figure(2.0)) is None
    for known in (
        ratio(one, figure(2.0), "latency"),
        # Nor where the launches behind the figures are not known.
        ratio(without_paces(one), without_paces(five), "latency"),
    ):
        assert known.speed == pytest.approx(1.5)
        assert (known.low, known.high, known.basis) == (-math.inf, math.inf, "one launch")
        assert verdict(known) == "cannot tell"
    assert isinstance(ratio(five, five, "latency"), Ratio)


def test_one_launch_a_side_needs_the_usual_number_to_tell_the_slowest_rank() -> None:
    base, here = slowest_rank([[3.0, 4.0]]), slowest_rank([[5.0, 4.0]])
    assert (base.time.value, here.time.value) == (4.0, 5.0)
    assert to_be_told(base, here, 0.1, is_slower=True) == at_first("launch")
