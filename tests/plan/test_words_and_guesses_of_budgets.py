"""Budgets in words and guesses of costs, computed by hand at both sides of each bound."""

from typing import Any

import msgspec
import pytest

from support.builders import make_cases, pattern
from support.plans import plan_of
from weft.measure.state import CaseState
from weft.measure.stopping import Amount
from weft.measure.timeouts import (
    connecting_s,
    overtime_s,
    timeout_s,
    within_budget_s,
    without_overtime_s,
)
from weft.plan.budget import (
    measuring_s,
    most_fixed,
    needs_no_probe,
    one_round_s,
    shortfall,
)
from weft.plan.case import Case
from weft.plan.costs import Costs, RankGroup, guessed_operation_ns
from weft.plan.memory import needed_bytes
from weft.plan.pattern import Footprint
from weft.plan.plan import Plan
from weft.plan.simulated import SimulatedPlatform


def states(*sizes: int) -> list[CaseState]:
    made = make_cases(("ping_pong",), ("tcp",), sizes)
    return [CaseState(one, pattern("ping_pong")) for one in made]


def plan_for(made: list[CaseState], **fields: Any) -> Plan:
    return plan_of(tuple(one.case for one in made), **fields)


def known_costs(launch_s: float, made: list[CaseState], case_s: float) -> Costs:
    costs = Costs()
    costs.launch_took(RankGroup("tcp", 2), launch_s)
    for one in made:
        costs.case_took(one, case_s)
    return costs


def test_a_round_is_worth_it_where_most_of_it_are_samples() -> None:
    made = states(8, 64)
    costs = known_costs(0.3, made, 0.1)
    assert (most_fixed(is_first=True), most_fixed(is_first=False)) == (0.37, 0.5)
    # 70 ms of samples of each case are enough, whatever the launch costs.
    assert one_round_s(made, plan_for(made), costs, is_first=True) == pytest.approx(0.64)
    assert one_round_s(made, plan_for(made), costs, is_first=False) == pytest.approx(0.64)
    cheap = known_costs(0.02, made, 0.005)
    assert one_round_s(made, plan_for(made), cheap, is_first=True) == pytest.approx(0.03 / 0.37)
    assert one_round_s(made, plan_for(made), cheap, is_first=False) == pytest.approx(0.06)


def test_so_many_samples_take_their_time() -> None:
    made = states(8, 250_000_000)
    made[0].guess_ns = 2e6
    costs = known_costs(0.3, made, 0.1)
    # Of one sample a warm-up and a probe besides: 3 of 2 ms, and 3 of a second there and back.
    found = one_round_s(made, plan_for(made, samples=1), costs, is_first=True)
    assert found == pytest.approx(0.5 + 3 * 0.002 + 3 * 1.0)
    single = Case(test="ping_pong", transport="tcp", bytes=8, single=True)
    ping, stream, load = pattern("ping_pong"), pattern("stream"), pattern("offered_load")
    alone = CaseState(single, ping)
    alone.guess_ns = 2e6
    found = one_round_s([alone], plan_for([alone], samples=4), costs, is_first=True)
    # A warm-up and no probe; beside it a launch and one case.
    assert found == pytest.approx(0.4 + 5 * 0.002)
    assert needs_no_probe(single, ping, 1)
    assert not needs_no_probe(single, ping, 0)
    assert not needs_no_probe(made[0].case, ping, 9)
    assert not needs_no_probe(single, stream, 9)
    assert needs_no_probe(made[0].case, load, 9)


def test_a_budget_that_will_not_do_names_one_that_does() -> None:
    made = states(8, 64)
    costs, plan = known_costs(0.3, made, 0.1), plan_for(made)
    assert shortfall(made, plan, 5.0, costs, is_first=False) == ""
    for left_s, budget in ((0.0, "70s"), (-9.0, "80s")):
        assert shortfall(made, plan, left_s, costs, is_first=False) == (
            "2 cases with 5 launches each take about 4s, and nothing of the budget is left; for all"
            f" use --budget {budget}, or fewer --sizes or --launches"
        )
    assert shortfall(made, plan, 2.0, costs, is_first=False) == (
        "2 cases with 5 launches each take about 4s, and 2s are left, enough for about 3 launches"
        " per case; for all use --budget 70s, or fewer --sizes or --launches"
    )
    assert shortfall(made, plan, 0.5, costs, is_first=False) == (
        "2 cases with 5 launches each take about 4s, and 1s are left, enough for about one launch"
        " of 2 of the cases; for all use --budget 70s, or fewer --sizes or --launches"
    )
    one = made[:1]
    assert shortfall(one, plan_for(one), 0.4, known_costs(0.3, one, 0.1), is_first=False) == (
        "1 case with 5 launches takes about 3s, and 1s are left, enough for about one launch of 1"
        " of the cases; for all use --budget 70s, or fewer --sizes or --launches"
    )
    # A prediction draws as often as it says, and has no --launches.
    predicted = SimulatedPlatform(name="escher", kind="predicted", nodes=64)
    drawn = msgspec.structs.replace(plan_for(one), simulated=predicted)
    found = shortfall(one, drawn, 0.5, known_costs(0.3, one, 0.1), is_first=False)
    assert found.endswith("for all use --budget 70s, or fewer --sizes")


def test_what_was_not_measured_is_guessed() -> None:
    costs, [small, large] = Costs(), states(8, 500_000_000)
    assert costs.launch_s(RankGroup("tcp", 2)) == 0.6
    assert costs.case_s(small) == pytest.approx(0.01 + 12 * 8 / 0.5e9)
    assert costs.case_s(large) == pytest.approx(0.01 + 12.0)
    assert costs.fixed_s([small, large]) == pytest.approx(0.6 + 0.02 + 12.0, rel=1e-6)
    costs.launch_took(RankGroup("tcp", 2), 0.2)
    costs.launch_took(RankGroup("tcp", 4), 0.6)
    assert costs.launch_s(RankGroup("tcp", 4)) == 0.6
    assert costs.launch_s(RankGroup("tcp", 8)) == pytest.approx(0.4)
    # A larger case costs more by its bytes behind some kibibytes, a smaller one no less.
    [near, twice, half] = states(4096, 12_288, 0)
    costs.case_took(near, 0.1)
    assert costs.case_s(twice) == pytest.approx(0.2)
    assert costs.case_s(half) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("size", "known", "guess"),
    [
        (150, {100: 10.0, 200: 30.0}, 20.0),
        (100, {100: 10.0, 200: 30.0}, 10.0),
        (150, {100: 0.0, 200: 30.0}, 30.0 * (150 + 4096) / (200 + 4096)),
        (4096, {0: 10.0}, 20.0),
        (31 * 4096, {0: 10.0}, 320.0),
        (31 * 4096 + 1, {0: 10.0}, 0.0),
        (0, {4096: 10.0}, 5.0),
        (8, {}, 0.0),
    ],
)
def test_an_operation_is_guessed_of_its_neighbours(
    size: int, known: dict[int, float], guess: float
) -> None:
    assert guessed_operation_ns(size, known) == pytest.approx(guess)


def test_a_case_may_take_a_little_longer_than_the_budget() -> None:
    assert [overtime_s(each) for each in (1.0, 20.0, 30.0)] == pytest.approx([2.0, 2.0, 3.0])
    own = [without_overtime_s(each) for each in (1.0, 10.0, 22.0, 110.0)]
    assert own == pytest.approx([0.0, 8.0, 20.0, 100.0])
    waits = [(5.0, 60.0, 30.0), (5.0, 1.0, 30.0), (5.0, -7.0, 30.0), (5.0, 1.0, 10.0)]
    assert [within_budget_s(*each) for each in waits] == pytest.approx([5.0, 4.0, 3.0, 3.0])


def test_a_batch_is_waited_for_as_long_as_its_parts_take() -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=1_000_000, ranks=2)
    chosen = Amount(samples=3, warmup=2, ops_per_sample=7)
    # Made and compared twice, and both sides of two ranks in the checked pass, at 100 MB/s.
    made_s = (2 * needed_bytes(case) + 2 * 2 * (8 << 20)) / 100e6
    assert timeout_s(case, Footprint(), chosen, 1e6) == pytest.approx(5 * 39 * 1e-3 + made_s)
    # 39 operations there and back at 50 MB/s.
    assert timeout_s(case, Footprint(), chosen, 0.0) == pytest.approx(2 * 39 / 50 + made_s)
    assert [connecting_s(each) for each in (3, 4, 1000)] == pytest.approx([0.0, 30.08, 50.0])


@pytest.mark.parametrize(
    ("budget_s", "left_s"), [(600.0, 595.0), (20.0, 15.0), (10.0, 7.0), (1.0, 0.7)]
)
def test_a_report_keeps_some_seconds_of_a_budget_and_no_minutes(
    budget_s: float, left_s: float
) -> None:
    assert measuring_s(budget_s, report=True) == pytest.approx(left_s)
    assert measuring_s(budget_s, report=False) == budget_s
