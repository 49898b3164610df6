"""What a round measures and for how long, computed by hand at both sides of each bound."""

import math
from typing import Any

import pytest

from support.builders import make_cases, make_clock, pattern
from support.plans import plan_of
from weft.measure.choice import (
    next_cases,
    next_share_s,
    rounds_ahead,
    share_s,
    width,
)
from weft.measure.failures import Failures
from weft.measure.state import CaseState
from weft.plan.costs import Costs, RankGroup
from weft.plan.plan import Plan
from weft.record.model import GivenUp

CLOCK = make_clock(1.0)


def states(*medians: tuple[float, ...], transports: tuple[str, ...] = ("tcp",)) -> list[CaseState]:
    """A case each, with launches of these medians."""
    sizes = [8 << at for at in range(len(medians))]
    made = []
    for at, (size, own) in enumerate(zip(sizes, medians, strict=True)):
        [case] = make_cases(("ping_pong",), (transports[at % len(transports)],), (size,))
        state = CaseState(case, pattern("ping_pong"))
        for launch, ticks in enumerate(own):
            state.add_launch(launch, ticks, 1, CLOCK)
        made.append(state)
    return made


def plan_for(made: list[CaseState], **fields: Any) -> Plan:
    return plan_of(tuple(one.case for one in made), **fields)


def costs(launch_s: float, *cases: tuple[CaseState, float]) -> Costs:
    made = Costs()
    made.launch_took(RankGroup("tcp", 2), launch_s)
    for state, seconds in cases:
        made.case_took(state, seconds)
    return made


def test_a_case_of_one_launch_is_known_least() -> None:
    none, one, two, stood = states((), (100.0,), (100.0, 200.0), (0.0, 100.0))
    assert [width(each) for each in (none, one, stood)] == [math.inf] * 3
    assert 0 < width(two) < math.inf


def test_cases_without_a_launch_come_alone_then_the_widest() -> None:
    made = states((100.0, 101.0), (100.0, 150.0), (), (100.0,), ())
    none = costs(0.0, *((one, 0.0) for one in made))
    order = [made.index(one) for one in next_cases(made, plan_for(made), 60.0, none)]
    assert order == [2, 4]
    # One that failed had its launch, and so had one that was refused.
    made[2].failures = 1
    made[4].closed = True
    order = [made.index(one) for one in next_cases(made, plan_for(made), 60.0, none)]
    assert order == [2, 3, 1, 0]
    assert next_cases(made, plan_for(made), 0.0, none) == []
    assert next_cases(made, plan_for(made), -1.0, none) == []


def test_behind_the_asked_launches_the_wider_half_goes_on() -> None:
    wide, wider, widest = (100.0, 110.0) * 3, (100.0, 150.0) * 3, (100.0, 300.0) * 3
    made = states(wide, widest, wider, (100.0,) * 6)
    none = costs(0.0, *((one, 0.0) for one in made))
    assert next_cases(made, plan_for(made), 60.0, none) == [made[1], made[2]]
    # The asked launches come before that, even those of a case that is precise.
    assert next_cases(made, plan_for(made, launches=7), 60.0, none) == [
        made[1], made[2], made[0], made[3]]  # fmt: skip


def test_no_case_has_more_launches_than_a_fixed_number() -> None:
    made = states((100.0, 300.0), (100.0, 200.0), (100.0, 150.0, 500.0))
    none = costs(0.0, *((one, 0.0) for one in made))
    plan = plan_for(made, launches=3, fixed_launches=True)
    assert next_cases(made, plan, 60.0, none) == [made[0], made[1]]
    assert next_cases(made, plan_for(made, launches=2, fixed_launches=True), 60.0, none) == []


@pytest.mark.parametrize(
    ("left_s", "count"),
    [(1.0, 1), (0.511, 1), (0.513, 1), (0.723, 1), (0.725, 2), (0.925, 2), (0.927, 3), (5.0, 3)],
)
def test_no_more_cases_than_the_time_is_enough_for(left_s: float, count: int) -> None:
    made = states((100.0, 300.0), (100.0, 200.0), (100.0, 150.0))
    # A launch of 0.5 s once, cases of 10, 210 and 200 ms, and 2 ms of samples each.
    own = costs(0.5, (made[0], 0.01), (made[1], 0.21), (made[2], 0.2))
    chosen = next_cases(made, plan_for(made), left_s, own)
    if left_s == 1.0:
        count = 3
    if left_s < 0.512:
        count = 0
    assert chosen == made[:count]


def test_each_group_of_ranks_costs_a_launch_and_what_has_no_figure_is_tried_anyway() -> None:
    made = states((100.0, 300.0), (100.0, 200.0), transports=("tcp", "mpi"))
    own = costs(0.5, (made[0], 0.0), (made[1], 0.0))
    assert next_cases(made, plan_for(made), 1.003, own) == made[:1]
    assert next_cases(made, plan_for(made), 1.005, own) == made
    bare = states((), ())
    assert next_cases(bare, plan_for(bare), 0.001, own) == bare


def test_the_time_left_is_shared_among_the_rounds_that_it_can_have() -> None:
    made = states((100.0, 110.0), (100.0,))
    own = costs(0.3, (made[0], 0.1), (made[1], 0.1))
    first = [rounds_ahead(made, plan_for(made), s, own, is_first=True) for s in (1.27, 1.29, 60.0)]
    # Launches and cases of 0.5 s, and 70 ms of samples for each; four launches are wanted.
    assert first == [1, 2, 4]
    later = [rounds_ahead(made, plan_for(made), s, own, is_first=False) for s in (0.1, 1.29, 1.93)]
    assert later == [1, 2, 3]
    assert rounds_ahead(made, plan_for(made, launches=1), 60.0, own, is_first=True) == 1


def test_each_case_has_its_part_of_what_launches_and_cases_leave() -> None:
    made = states((), ())
    own = costs(0.3, (made[0], 0.05), (made[1], 0.15))
    assert share_s(0.9, made, own) == pytest.approx(0.2)
    assert share_s(0.0, made, own) == 0.002
    assert share_s(9.0, made, own) == 0.5
    # Where a launch costs much, twice what it costs beside the samples is worth it.
    assert share_s(9.0, made, costs(1.3, (made[0], 0.05), (made[1], 0.15))) == pytest.approx(1.5)
    # Rounds of pairs are each as long as their slowest pair, and six times it is.
    rounds = [CaseState(state.case, pattern("pair_rounds")) for state in made]
    of_rounds = costs(1.3, (rounds[0], 0.05), (rounds[1], 0.15))
    assert share_s(30.0, rounds, of_rounds) == pytest.approx(4.5)
    # What one of the size took was measured, and is no guess.
    assert next_share_s(9.0, rounds[:1], 0.5, of_rounds) == pytest.approx(0.5)
    assert next_share_s(9.0, rounds[:1], 0.1, of_rounds) == pytest.approx(0.5)
    assert next_share_s(9.0, rounds[1:], 0.5, of_rounds) == pytest.approx(0.9)


def test_a_case_makes_up_for_those_before_it_by_half_of_its_share() -> None:
    made = states((), ())
    own = costs(0.3, (made[0], 0.05), (made[1], 0.15))
    shares = [next_share_s(left_s, made, 0.2, own) for left_s in (0.1, 0.4, 0.7, 0.9, 9.0)]
    assert shares == pytest.approx([0.002, 0.1, 0.25, 0.3, 0.3])


GROUP = RankGroup("tcp", 2)


def gone(test: str, reason: str) -> GivenUp:
    return GivenUp(transport="tcp", ranks=2, test=test, reason=reason)


def test_ranks_that_do_not_come_up_twice_in_a_row_are_given_up() -> None:
    known, made = Failures(), states((), (5.0,))
    known.did_not_start(GROUP, "no port")
    known.started(GROUP)
    known.did_not_start(GROUP, "no port")
    known.close(made)
    assert (known.given_up, [one.closed for one in made]) == ([], [False, False])
    known.did_not_start(GROUP, "no cable")
    known.close(made)
    assert known.given_up == [gone("", "no cable")]
    assert [one.closed for one in made] == [True, True]


def test_a_case_is_tried_twice_and_a_good_batch_begins_anew() -> None:
    known, [one] = Failures(), states(())
    known.went_wrong(one)
    known.went_well(one)
    known.went_wrong(one)
    assert not one.closed
    known.went_wrong(one)
    assert one.closed


def test_three_cases_that_end_their_launches_end_what_never_succeeded() -> None:
    known, made = Failures(), states((), (), (5.0,), ())
    for at, one in enumerate(made[:3]):
        known.ended_launch(one, f"died {at}")
        assert len(known.given_up) == (at == 2)
    known.close(made)
    assert known.given_up == [gone("", "3 different cases failed: died 2")]
    # The one that has a figure is tried again; of three more none is.
    assert [one.closed for one in made] == [True, True, False, True]


def test_one_case_that_fails_again_is_one_and_a_good_one_between_counts() -> None:
    known, made = Failures(), states((), (), (), ())
    for one in (made[0], made[0], made[1]):
        known.ended_launch(one, "died")
    known.went_well(made[3])
    # Two others of the test and of the transport: with the one of before they would be three.
    for one in made[1:3]:
        known.ended_launch(one, "died")
    assert known.given_up == []


def test_hosts_that_are_gone_end_their_ranks_by_name() -> None:
    known, made = Failures(), states((5.0,))
    known.hosts_gone([GROUP], {"n2": "n2"})
    assert known.given_up == [gone("", "n2 does not answer any more")]
    assert known.silent_hosts == ("n2",)
    known.close(made)
    assert made[0].closed
    known.hosts_gone([GROUP], {"n2": "n2", "n3": "n3"})
    assert known.given_up[1] == gone("", "n2, n3 do not answer any more")
