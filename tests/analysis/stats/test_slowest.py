"""The slowest of many ranks: how often its interval holds the truth, whatever the ranks' noise."""

import numpy as np
import pytest

from weft.analysis.stats.needed import at_first, to_tell
from weft.analysis.stats.ratios import ONE_SIDED
from weft.analysis.stats.slowdown import slowdown_between
from weft.analysis.stats.slowest import SlowestRank, slowest_rank, speed_of, to_be_told
from weft.topics.scaling.rows import verdict_of

TRIALS = 150


def noise(random: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    """Of 6 %; unlike: each rank has its own, from 0.5 to 8 %."""
    if kind == "skewed":
        return np.asarray(0.06 * (random.gamma(1.5, 1.0, shape) - 1.17) / 1.22)
    scatter = random.uniform(0.005, 0.08, shape[1]) if kind == "unlike" else 0.06
    return np.asarray(scatter * random.standard_normal(shape))


@pytest.mark.parametrize("kind", ["normal", "skewed", "unlike"])
@pytest.mark.parametrize("ranks", [2, 16, 256])
@pytest.mark.parametrize("slower", [0.0, 0.05])
def test_the_efficiency_of_equal_ranks_and_of_one_slow_one_is_held(
    kind: str, ranks: int, slower: float
) -> None:
    """On a day that is 3 % slower or faster for all, which an efficiency does not hold."""
    random = np.random.default_rng(ranks)
    held = 0
    costs = []
    for _ in range(TRIALS):
        day = 1000 * np.exp(0.03 * random.standard_normal())
        alone = day * np.exp(noise(random, kind, (5, 1)))
        times = day * np.exp(noise(random, kind, (5, ranks)))
        times[:, 0] *= 1 + slower
        base, here = slowest_rank(alone.tolist()), slowest_rank(times.tolist())
        efficiency = speed_of(base, here)
        held += efficiency.low <= 1 / (1 + slower) <= efficiency.high
        costs.append(verdict_of(efficiency))
    assert held >= 0.93 * TRIALS - 2 * (TRIALS * 0.07 * 0.93) ** 0.5
    assert costs.count("costs more") <= 0.05 * TRIALS


def test_a_rank_that_is_slower_than_the_noise_is_found_with_its_time() -> None:
    random = np.random.default_rng(3)
    times = 1000 * np.exp(0.01 * random.standard_normal((5, 16)))
    times[:, 7] *= 1.3
    found = slowest_rank(times.tolist()).time
    assert found.value == pytest.approx(np.median(times[:, 7]))
    assert 1200 < found.low < found.high < 1400


def test_ranks_that_are_equal_have_the_time_of_each() -> None:
    found = slowest_rank([[5.0, 5.0, 5.0]] * 5).time
    assert (found.value, found.low, found.high) == pytest.approx((5.0, 5.0, 5.0))


def test_the_interval_reaches_to_what_the_slowest_rank_on_average_says() -> None:
    """Which rank is slow changes from launch to launch: luck, or another one each time."""
    times = [[100.0, 120.0], [120.0, 100.0], [100.0, 120.0], [120.0, 100.0]]
    found = slowest_rank(times).time
    assert found.value == pytest.approx(100.0)
    assert found.high >= 120.0


def test_one_launch_has_its_largest_median_and_no_interval() -> None:
    found = slowest_rank([[3.0, 7.0, 5.0]]).time
    assert (found.value, found.is_bounded) == (7.0, False)


def test_unlike_numbers_of_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        slowest_rank([[1.0, 2.0], [1.0, 2.0, 3.0]])


def test_launches_of_several_days_are_judged_by_the_days() -> None:
    """Two days of five launches each, which differ by more than launches do."""
    times = [[100.0, 90.0]] * 5 + [[110.0, 99.0]] * 5
    found = slowest_rank(times, sessions=[0] * 5 + [1] * 5).time
    assert (found.unit, found.launches) == ("session", 2)
    assert found.value == pytest.approx(105.0)
    assert found.low < 95
    assert found.high > 115
    assert slowest_rank(times).time.unit == "launch"


def test_an_efficiency_over_days_is_held_with_a_slow_rank() -> None:
    """Days differ by 5 % and each number of ranks by its own; one rank of eight is 8 % slower."""
    random = np.random.default_rng(8)
    held = 0
    sessions = [day for day in range(4) for _ in range(3)]
    for _ in range(TRIALS):
        sides = []
        for ranks in (1, 8):
            days = np.exp(0.05 * random.standard_normal(4))[sessions]
            times = 1000 * days[:, None] * np.exp(0.01 * random.standard_normal((12, ranks)))
            times[:, 0] *= 1.08 if ranks > 1 else 1.0
            sides.append(slowest_rank(times.tolist(), sessions=sessions))
        efficiency = speed_of(*sides)
        held += efficiency.low <= 1 / 1.08 <= efficiency.high
    assert held >= 0.88 * TRIALS


def test_enough_launches_tell_that_equal_ranks_cost_nothing() -> None:
    """Of 16 ranks by 6 % one always looks slow: it must look the less so the more launches."""
    random = np.random.default_rng(16)
    answers = {}
    for launches in (5, 30):
        found = []
        for _ in range(60):
            sides = (np.exp(0.06 * random.standard_normal((launches, n))) for n in (1, 16))
            found.append(verdict_of(speed_of(*(slowest_rank(one.tolist()) for one in sides))))
        answers[launches] = found.count("costs less") / len(found)
    assert answers[5] < 0.5
    assert answers[30] > 0.9


@pytest.mark.parametrize("ranks", [2, 16, 64])
def test_as_many_launches_as_are_said_to_tell_do(ranks: int) -> None:
    """After five launches a side, normal noise of 8 %, nothing lost: 10 % is to be told from it."""
    random = np.random.default_rng(ranks)

    def drawn(launches: int) -> list[SlowestRank]:
        sides = (np.exp(0.08 * random.standard_normal((launches, n))) for n in (1, ranks))
        return [slowest_rank(one.tolist()) for one in sides]

    difference = -np.log(0.9)
    stated = []
    for _ in range(60):
        base, here = drawn(5)
        stated.append(to_be_told(base, here, difference, is_slower=False).count)
    middle = int(np.median(stated))
    for launches, least, most in ((middle // 2, 0.0, 0.8), (2 * middle, 0.8, 1.0)):
        told = [verdict_of(speed_of(*drawn(launches))) == "costs less" for _ in range(60)]
        assert least <= np.mean(told) <= most


def test_what_luck_adds_to_the_slowest_of_many_takes_launches_too() -> None:
    """Of 64 equal ranks the slowest on average looks slower; of one rank there is no such luck."""
    random = np.random.default_rng(64)
    base, here = (
        slowest_rank(np.exp(0.08 * random.standard_normal((5, n))).tolist()) for n in (1, 64)
    )
    less, more = (to_be_told(base, here, 0.1, is_slower=way).count for way in (False, True))
    assert less > 1.3 * more


@pytest.mark.parametrize("is_slower", [False, True])
@pytest.mark.parametrize("difference", [0.03, 0.1, 0.7])
def test_luck_falls_as_the_scatter_of_a_mean_does(difference: float, *, is_slower: bool) -> None:
    """Scatter / sqrt(n) and luck sqrt(5 / n) are the difference together; no luck costs nothing."""
    random = np.random.default_rng(64)
    base, here = (
        slowest_rank(np.exp(0.08 * random.standard_normal((5, n))).tolist()) for n in (1, 64)
    )
    found = slowdown_between(here.chosen, base.chosen)
    assert found is not None
    scatter = to_tell(found, (5, 5), difference, ONE_SIDED).count
    side = base if is_slower else here
    luck = max(side.slowest.mean_log - side.chosen.mean_log, 0.0)
    assert (luck == 0.0) == is_slower
    by_hand = scatter + 2 * luck / difference * np.sqrt(5 * scatter) + 5 * (luck / difference) ** 2
    told = to_be_told(base, here, difference, is_slower=is_slower)
    assert told.count == np.ceil(by_hand)


def test_one_launch_does_not_say_how_many_tell() -> None:
    base, here = slowest_rank([[3.0]]), slowest_rank([[3.0, 7.0]])
    assert to_be_told(base, here, 0.1, is_slower=True) == at_first("launch")
