"""What launches and cases cost, what is guessed of neighbours, and what that leaves for samples."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.builders import make_batch, make_cases, make_clock, pattern
from weft.applications.lattice import Lattice
from weft.measure.choice import share_s
from weft.measure.state import CaseState
from weft.measure.stopping import LONGEST_SHARE_S, SHORTEST_SHARE_S
from weft.plan.case import Case
from weft.plan.costs import Costs, RankGroup, guessed_operation_ns

STATES = [
    CaseState(case, pattern(case.test))
    for case in make_cases(["ping_pong"], ["tcp"], [8, 1024, 1 << 20, 1 << 28])
]
TCP = RankGroup("tcp", 2)


def test_what_was_measured_counts_and_neighbours_tell_the_rest() -> None:
    costs = Costs()
    costs.case_took(STATES[0], 0.004)
    costs.case_took(STATES[2], 0.1)
    assert costs.case_s(STATES[0]) == 0.004
    assert costs.case_s(STATES[1]) == pytest.approx(0.004, rel=0.5)
    assert costs.case_s(STATES[3]) == pytest.approx(25.6, rel=0.01)
    costs.launch_took(TCP, 0.5)
    assert costs.launch_s(TCP) == costs.launch_s(RankGroup("mpi", 2)) == 0.5
    assert costs.fixed_s(STATES[:1]) == pytest.approx(0.504)


def test_of_several_cases_that_are_as_near_the_usual_one_tells() -> None:
    """The first round of a map was cheap by chance, and all others were taken for as cheap."""
    rounds = [
        CaseState(
            Case(test="pair_rounds", transport="tcp", bytes=8, ranks=8, point=point),
            pattern("pair_rounds"),
        )
        for point in range(4)
    ]
    costs = Costs()
    for state, seconds in zip(rounds[:3], (0.06, 0.2, 0.25), strict=True):
        costs.case_took(state, seconds)
    assert costs.case_s(rounds[3]) == 0.2


def test_the_samples_get_what_launches_and_cases_leave() -> None:
    costs = Costs()
    costs.launch_took(TCP, 0.5)
    for state in STATES:
        costs.case_took(state, 0.1)
    assert share_s(1.7, STATES, costs) == pytest.approx(0.2)
    assert share_s(0.1, STATES, costs) == SHORTEST_SHARE_S
    assert share_s(100.0, STATES, costs) == LONGEST_SHARE_S
    costs.launch_took(TCP, 5.0)
    assert share_s(100.0, STATES, costs) == pytest.approx(2 * 5.4 / 4)


def test_costs_are_added_in_the_order_of_the_cases() -> None:
    """Of a set the sum's last digit, and so a run, would be another in each process."""
    launches_s = {"tcp": 1e16, "mpi": 1.0, "ucx": 1.0, "ofi": 1.0}
    states = {
        name: CaseState(case, pattern(case.test))
        for name in launches_s for case in make_cases(["ping_pong"], [name], [8])
    }  # fmt: skip
    costs = Costs()
    for name, seconds in launches_s.items():
        costs.launch_took(RankGroup(name, 2), seconds)
    for state in states.values():
        costs.case_took(state, 0.0)
    for names in itertools.permutations(launches_s):
        expected = sum(launches_s[name] for name in names)
        assert costs.fixed_s([states[name] for name in names]) == expected


TIMES = st.dictionaries(st.integers(0, 2**30), st.floats(1, 1e9), min_size=1, max_size=5)


@given(TIMES, st.integers(0, 2**30))
def test_a_guess_lies_between_its_neighbours_or_there_is_none(
    known: dict[int, float], size: int
) -> None:
    guess = guessed_operation_ns(size, known)
    below = [time for near, time in known.items() if near <= size]
    above = [time for near, time in known.items() if near >= size]
    if below and above:
        nearest = (
            known[max(n for n in known if n <= size)],
            known[min(n for n in known if n >= size)],
        )
        assert min(nearest) * 0.999 <= guess <= max(nearest) * 1.001
    elif above:
        assert 0 < guess <= known[min(known)]
    else:
        assert guess == 0 or guess >= known[max(known)]


def test_the_pace_of_a_case_is_over_all_of_its_operations() -> None:
    """21 operations that shared a core with others, then four that had luck."""
    state = CaseState(make_cases(["ping_pong"], ["tcp"], [8])[0], pattern("ping_pong"))
    case = state.case
    lucky = make_batch(case, 0, 1, [120_000.0] * 4, ops_per_sample=1, warmup=0, tick_ns=0.4)
    shared = msgspec.structs.replace(lucky, ticks=lucky.ticks * 5 + (1,), timed_ns=208_000_000)
    state.learn(shared, 1.0, 0, make_clock(0.4))
    state.learn(lucky, 120_000.0, 0, make_clock(0.4))
    assert state.pace_ns == pytest.approx(208_480_000 / 25)


def lattice_states(test: str) -> list[CaseState]:
    lattices = [Lattice(extents=(one, one, one, 2 * one)) for one in (4, 8, 14)]
    made = [Case(test=test, transport="tcp", bytes=36, application=one.options) for one in lattices]
    return [CaseState(case, pattern(test)) for case in made]


def test_what_an_application_makes_for_its_sites_is_a_cost_before_and_after_it_is_known() -> None:
    small, _, large = lattice_states("milc")
    costs = Costs()
    # Far more than the messages that are checked.
    assert costs.case_s(large) > 50 * costs.case_s(lattice_states("halo")[2])
    assert costs.case_s(large) > 50 * costs.case_s(small)
    costs.case_took(small, 0.02)
    assert costs.case_s(large) == pytest.approx(0.02 * (14 / 4) ** 4, rel=0.4)
    # A message's cost is not an application's.
    assert costs.case_s(STATES[0]) < 0.02
