"""How many launches or sessions would tell: closed answers, properties, what is typed for it."""

import math
from pathlib import Path
from types import ModuleType

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.stats.intervals import interval_of_median, median_of_launches
from weft.analysis.stats.launches import OTHERWISE, number_in_words, what_would_tell
from weft.analysis.stats.needed import (
    ERROR_OF_MEDIAN,
    FEWEST,
    FEWEST_SESSIONS,
    MOST,
    SHARE_OF_DIFFERENCE,
    Needed,
    apart,
    at_first,
    cheapest,
    for_half_width,
    half_of,
    in_order,
    reach_of,
    scatter_of,
    to_be_beside,
    to_settle,
    to_tell,
)
from weft.analysis.stats.ratios import Figure, needed
from weft.analysis.stats.slowdown import SESSION_SCATTER, Paces, Slowdown
from weft.estimate import PLURAL, Estimate, Unit
from weft.plan.cases import LAUNCHES
from weft.plan.command import NextSession

ROOT = Path(__file__).parents[3]
SIDES = [
    NextSession(record=f"{name}.jsonl", launches=5, made=5, launch_s=2.0, budget_s=60.0)
    for name in ("a", "b")
]


def two_sides(scatter: float, units: int = 5, bound: float = 0.0) -> Slowdown:
    """Of as many launches a side, each side with that standard deviation."""
    error, freedom = 2 * scatter**2 / units, 2.0 * (units - 1)
    return Slowdown(log=0.0, squared_error=error, freedom=freedom, bound=bound)


@pytest.mark.parametrize(("effect", "a_side"), [(1.0, 17), (0.5, 64), (0.8, 26), (0.2, 394)])
def test_of_well_known_scatter_it_is_the_number_of_the_textbooks(
    effect: float, a_side: int
) -> None:
    """Cohen, Statistical Power Analysis, 1988, table 2.4.1: two-sided 5 %, power 80 %."""
    units = 1_000_000
    found = to_tell(two_sides(1.0, units), (units, units), effect, 0.025)
    assert found.count == pytest.approx(a_side, abs=1)


SCATTER = st.floats(1e-4, 1.0)
DIFFERENCE = st.floats(1e-3, 1.0)


@given(SCATTER, DIFFERENCE, st.floats(1.0, 10.0), st.integers(2, 40))
def test_more_scatter_or_a_smaller_difference_never_takes_fewer(
    scatter: float, difference: float, more: float, units: int
) -> None:
    base = to_tell(two_sides(scatter, units), (units, units), difference, 0.025).count
    assert (
        to_tell(two_sides(more * scatter, units), (units, units), difference, 0.025).count >= base
    )
    assert (
        to_tell(two_sides(scatter, units), (units, units), difference / more, 0.025).count >= base
    )
    assert to_tell(two_sides(scatter, units), (units, units), difference, 0.01).count >= base


@given(SCATTER, DIFFERENCE)
def test_half_the_difference_takes_four_times_as_many(scatter: float, difference: float) -> None:
    counts = [
        to_tell(two_sides(scatter), (5, 5), difference / part, 0.025).count for part in (1, 2)
    ]
    # The part for the degrees of freedom is in both once, and so is the rounding up.
    constant = 1.96**2 / 4
    assert counts[1] <= 4 * counts[0]
    if counts[0] > 2:
        assert counts[1] - constant >= 4 * (counts[0] - 1 - constant) - 1e-6


@given(SCATTER, st.integers(2, 30), st.floats(1e-3, 10.0), st.floats(1.0, 10.0))
def test_an_interval_of_a_median_needs_more_the_narrower_it_is_to_be(
    scatter: float, launches: int, half: float, more: float
) -> None:
    figure = drawn_figure(scatter, launches)
    counts = [for_half_width(figure, each).count for each in (half, half / more)]
    assert counts == sorted(counts)
    wider = drawn_figure(more * scatter, launches)
    assert for_half_width(wider, half).count >= counts[0]


def drawn_figure(scatter: float, launches: int) -> Estimate:
    """A figure of 1 whose interval is as wide as that of launches with this scatter on average."""
    half = reach_of(launches) * scatter
    return Estimate(
        value=1.0, low=1 - half, high=1 + half, coverage=0.95, method="drawn", launches=launches
    )


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8, 12, 30])
def test_an_interval_is_as_wide_on_average_as_is_reckoned_with(count: int) -> None:
    random = np.random.default_rng(count)
    ends = [interval_of_median(random.standard_normal(count).tolist()) for _ in range(3000)]
    mean = float(np.mean([(high - low) / 2 for low, high, _ in ends]))
    assert mean == pytest.approx(reach_of(count), rel=0.06)
    assert scatter_of(drawn_figure(0.1, count)) == pytest.approx(0.1)


def test_twice_as_narrow_takes_four_times_the_launches_of_a_median() -> None:
    figure = drawn_figure(0.05, 1000)
    wide, narrow = (for_half_width(figure, half).count for half in (0.01, 0.005))
    assert narrow == pytest.approx(4 * wide, rel=0.01)
    # (1.96 sqrt(pi / 2) 0.05 / 0.01)^2 is 150.9, and a little doubt of the scatter.
    assert 151 <= wide <= 160


def test_one_launch_shows_no_scatter() -> None:
    with pytest.raises(ValueError, match="one launch"):
        for_half_width(median_of_launches([1.0]), 0.1)


def test_where_sessions_differ_by_more_than_that_no_number_of_launches_is_advised() -> None:
    """Sessions of 2 % leave no difference of 3 % to launches, and one of 20 % to five."""
    many = two_sides(0.001, 100)
    assert cheapest(many, (100, 100), math.log1p(0.03), 0.025).unit == "session"
    assert cheapest(two_sides(0.001), (5, 5), math.log1p(0.2), 0.025).unit == "launch"
    # (1.96 + 0.84)^2 2 0.02^2 / log(1.03)^2 + 1.96^2 / 4 = 8.1.
    known = two_sides(1e-9, 100)
    assert cheapest(known, (100, 100), math.log1p(0.03), 0.025).count == 9
    assert SESSION_SCATTER == 0.02


def test_what_is_less_than_a_tick_no_number_tells() -> None:
    found = to_tell(two_sides(0.01, bound=0.05), (5, 5), 0.04, 0.025)
    assert not found.is_possible
    assert "more than any number of launches: a tick of the clock" in number_in_words(found)
    hidden = cheapest(two_sides(0.01, bound=0.05), (5, 5), 0.04, 0.025)
    assert not hidden.is_possible
    assert "--again" not in what_would_tell(hidden, "a difference of 4 %", SIDES)


def test_what_takes_more_than_anyone_measures_is_said_to() -> None:
    found = to_tell(two_sides(0.5), (5, 5), 0.001, 0.025)
    assert found.count > MOST
    assert what_would_tell(found, "tell a difference of 0.1 %", SIDES) == (
        "to tell a difference of 0.1 % takes over 10,000 launches a side, more than can be measured"
    )


def test_the_advice_has_the_number_the_time_and_a_command_a_side() -> None:
    launches = Needed(unit="launch", count=12.0, difference=0.05)
    assert what_would_tell(launches, "tell a difference of 5 %", SIDES) == (
        "to tell a difference of 5 % takes about 12 launches a side, in about 40s: run weft run"
        " --again a.jsonl --launches 12 --budget 40s and weft run --again b.jsonl --launches 12"
        " --budget 40s, and take the new records"
    )
    sessions = Needed(unit="session", count=4.0, difference=0.05)
    assert what_would_tell(sessions, "tell it", SIDES[:1]) == (
        "to tell it takes about 4 sessions, of 60s each: run weft run --again a.jsonl at other"
        " times until there are so many, and give all records"
    )
    assert what_would_tell(launches, "tell it", []) == "to tell it takes about 12 launches"


def test_the_advice_names_more_launches_than_the_record_has() -> None:
    """Five launches did not tell, so three will not; a record of ten is not cut to five either."""
    few = Needed(unit="launch", count=3.0, difference=0.05)
    assert what_would_tell(few, "tell it", SIDES[:1], in_place=True) == (
        "to tell it takes about 6 launches, in about 30s: run weft run --again a.jsonl"
        " --launches 6 --budget 30s, and take the new record"
    )
    short, long = SIDES[0], msgspec.structs.replace(SIDES[1], made=10)
    words = what_would_tell(few, "tell it", [short, long])
    assert "about 6 launches a side" in words
    assert "a.jsonl --launches 6 " in words
    assert "b.jsonl --launches 10 " in words


def test_what_nobody_would_measure_has_other_advice() -> None:
    """300 launches, 30 sessions and an hour are the most."""
    most: tuple[tuple[Unit, int], ...] = (("launch", 300), ("session", 30))
    for unit, count in most:
        for more, told in ((0, "run weft run --again a.jsonl"), (1, OTHERWISE)):
            found = Needed(unit=unit, count=count + more, difference=0.05)
            words = what_would_tell(found, "tell it", SIDES)
            assert words.startswith(
                f"to tell it takes about {count + more} {PLURAL[unit]} a side, "
            )
            assert told in words
            assert (OTHERWISE in words) != ("--again" in words)
    # Few launches may take long, too.
    slow = [msgspec.structs.replace(one, launch_s=120.0) for one in SIDES]
    for count, told in ((28, "run weft run"), (40, OTHERWISE)):
        few = Needed(unit="launch", count=count, difference=0.05)
        assert told in what_would_tell(few, "tell it", slow)


def test_of_several_half_are_told_by_the_one_in_the_middle_and_sessions_come_last() -> None:
    several = [
        Needed(unit="session", count=3.0, difference=0.1),
        Needed(unit="launch", count=40.0, difference=0.1),
        Needed(unit="launch", count=9.0, difference=0.1),
    ]
    assert [one.count for one in in_order(several)] == [9.0, 40.0, 3.0]
    assert half_of(several) == (several[1], "half of")
    assert half_of(several[:1]) == (several[0], "the")
    with pytest.raises(ValueError, match="nothing needs"):
        half_of([])


def test_a_comparison_asks_for_its_margin_or_for_what_was_seen_where_that_is_more() -> None:
    """Sides 10 % apart are told sooner than equal ones are found to be within 2 %."""

    def side(times: float) -> Figure:
        logs = [times * one for one in (0.97, 0.99, 1.0, 1.01, 1.03)]
        return Figure(
            estimate=median_of_launches(logs), kind="launches", paces=Paces((tuple(logs),))
        )

    near, far = (needed(side(1.0), side(times), same_session=True) for times in (1.001, 1.10))
    assert near is not None
    assert far is not None
    assert near.count > 4 * far.count
    assert near.difference == pytest.approx(0.02)
    # Its error of 1.4 % beside it: hypot of the logarithms.
    assert far.difference == pytest.approx(0.1011, rel=1e-3)
    alone = Figure(estimate=median_of_launches([1.0]), kind="one launch", paces=Paces(((1.0,),)))
    assert needed(alone, side(1.0)) is None


def test_medians_apart_take_what_their_common_interval_does() -> None:
    """(2.8 sqrt(pi / 2) sqrt(2) 0.05 / log(1.05))^2 = 25.9, if the scatter is well known."""
    figure = drawn_figure(0.05, 100_000)
    assert apart(figure, figure, math.log(1.05)).count == pytest.approx(26, abs=2)


@pytest.fixture
def bench_needed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import needed as of_bench

    return of_bench


def test_what_is_stated_is_within_a_factor_of_two_of_what_is_needed(
    bench_needed: ModuleType,
) -> None:
    """A short form of `python -m bench.decisions needed`; the page has the whole table."""
    for one in bench_needed.statements()[:4:3] + bench_needed.statements()[-4:-3]:
        _, over = bench_needed.ratios(one, 60)
        assert 0.5 <= float(np.median(over)) <= 2.0, one.name


def test_a_case_settles_about_when_it_is_said_to() -> None:
    assert to_settle(drawn_figure(0.02, 100_000), 0.02).count == pytest.approx(12, abs=2)


def test_a_median_beside_a_place_is_as_far_from_it_as_it_may_be() -> None:
    """3 away with an error of 4 may be 5 away; at the place itself it is its error away."""
    count = 16
    scatter = 4.0 * math.sqrt(count) / ERROR_OF_MEDIAN
    half = scatter * reach_of(count)
    figure = Estimate(
        value=100.0, low=100 - half, high=100 + half, coverage=0.95, method="", launches=count
    )
    for place, far in ((97.0, 5.0), (103.0, 5.0), (100.0, 4.0)):
        by_hand = for_half_width(figure, SHARE_OF_DIFFERENCE * far)
        assert to_be_beside(figure, place).count == by_hand.count
    by_hand = for_half_width(figure, SHARE_OF_DIFFERENCE * 9)
    assert to_be_beside(figure, 97.0, 9.0).count == by_hand.count


def test_one_launch_needs_an_interval_before_it_lies_beside_anything() -> None:
    assert to_be_beside(median_of_launches([1000.0]), 900.0).count == LAUNCHES


def test_two_launches_have_an_interval_that_lies_beside_something() -> None:
    figure = drawn_figure(0.05, FEWEST)
    far = math.hypot(0.1, ERROR_OF_MEDIAN * 0.05 / math.sqrt(FEWEST))
    told = to_be_beside(figure, 0.9)
    assert told.count == for_half_width(figure, SHARE_OF_DIFFERENCE * far).count
    assert told.difference == pytest.approx(SHARE_OF_DIFFERENCE * far)


def test_launches_that_take_longer_than_the_sessions_are_not_advised() -> None:
    """What days differ by leaves next to nothing of the difference to launches."""
    found, units = two_sides(0.02), (5, 5)
    answers = [cheapest(found, units, step / 1000, 0.025) for step in range(10, 400)]
    alone = [to_tell(found, units, step / 1000, 0.025).count for step in range(10, 400)]
    told = [one.unit for one in answers]
    # The larger the difference, the sooner launches are enough, and they stay so.
    assert told == sorted(told, reverse=True)
    assert set(told) == {"session", "launch"}
    first = told.index("launch")
    most = (answers[first - 1].count - 1) * max(units)
    assert all(one.count <= most for one in answers[first:])
    assert all(
        one.count >= fewest for one, fewest in zip(answers[first:], alone[first:], strict=True)
    )


def test_further_sessions_of_one_record_are_measured_into_it() -> None:
    """`weft layers` and others read one record: it is resumed, and not measured once more."""
    sessions = Needed(unit="session", count=4, difference=0.05)
    words = what_would_tell(sessions, "tell", SIDES[:1], in_place=True)
    # As many launches in all as there are and were asked for: a settled record lacks none else.
    assert "run weft run --resume a.jsonl --launches 10 at another time" in words
    assert "weft run --again a.jsonl at other times" in what_would_tell(sessions, "tell", SIDES[:1])


@pytest.mark.parametrize("unit", ["launch", "session"])
def test_what_can_be_measured_ends_with_the_most(unit: Unit) -> None:
    counts = (1, MOST, MOST + 1, math.inf)
    found = [Needed(unit=unit, count=one, difference=0.01).is_possible for one in counts]
    assert found == [True, True, False, False]


def test_of_what_nothing_is_known_the_usual_number_is_a_beginning() -> None:
    """As many launches as a run has, or the fewest sessions that days can be told by."""
    launch, session = at_first("launch"), at_first("session")
    assert (launch.unit, launch.count, launch.difference) == ("launch", LAUNCHES, 0.0)
    assert (session.unit, session.count, session.difference) == ("session", FEWEST_SESSIONS, 0.0)
    assert launch.count != session.count


def test_a_median_misses_by_a_quarter_more_than_a_mean() -> None:
    """Of normal values, by a simulation: 4,000 times 101 of them."""
    drawn = np.random.default_rng(3).standard_normal((4000, 101))
    ratio = np.median(drawn, axis=1).std() / drawn.mean(axis=1).std()
    assert pytest.approx(ratio, rel=0.03) == ERROR_OF_MEDIAN


@pytest.mark.parametrize(("counts", "middle"), [((9, 40), 9), ((80, 9, 40, 20), 20)])
def test_half_of_an_even_number_are_told_by_the_lower_one_in_the_middle(
    counts: tuple[int, ...], middle: int
) -> None:
    several = [Needed(unit="launch", count=count, difference=0.1) for count in counts]
    assert half_of(several)[0].count == middle


def test_a_session_costs_as_many_launches_as_the_longer_side_has() -> None:
    """Of 4 and 20 launches a side 20 are saved with each session, so launches are soon enough."""
    found, units = two_sides(0.02), (4, 20)
    answers = [cheapest(found, units, step / 1000, 0.025) for step in range(10, 400)]
    first = next(at for at, one in enumerate(answers) if one.unit == "launch")
    sessions = answers[first - 1].count
    assert (sessions - 1) * 4 < answers[first].count <= (sessions - 1) * 20
