"""A short budget measures fewer sizes whole, and never others than were asked for."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.builders import PATTERNS, make_cases
from support.plans import REQUEST, SITE
from weft.plan.case import Case
from weft.plan.cases import Experiment
from weft.plan.fewer_sizes import spread, whole_sizes
from weft.plan.planning import planned
from weft.units import parse_seconds

SIZES = (8, 64, 1024, 8192, 65536, 1 << 20)
KNOWN = {one.name: one for one in PATTERNS}


def kept(left_s: float, cases: tuple[Case, ...], launches: int = 5) -> tuple[set[int], list[str]]:
    said: list[str] = []
    chosen = whole_sizes(cases, KNOWN, launches, left_s, said.append)
    assert [case for case in cases if case in chosen] == list(chosen)
    return {case.bytes for case in chosen}, said


CASES = make_cases(
    ("ping_pong", "ping_ping", "stream", "bidirectional_stream"),
    ("mpi", "ofi", "tcp", "ucx"),
    SIZES,
)


def test_a_minute_has_all_sizes_and_half_of_it_the_least_and_the_greatest() -> None:
    assert kept(55.0, CASES) == (set(SIZES), [])
    few, [line] = kept(25.0, CASES)
    assert few == {8, 1 << 20}
    assert line.startswith("measuring 2 of 6 sizes, 8 B and 1 MiB: with 5 launches each, all")


@pytest.mark.parametrize(
    ("launches", "left_s"), [(5, 25.0), (20, 25.0), (50, 100.0), (50, 400.0), (100, 400.0)]
)
def test_with_the_time_that_is_said_to_lack_all_sizes_are_measured(
    launches: int, left_s: float
) -> None:
    """Of 50 launches and 100 s 7 min were said to lack, with which some sizes lacked still."""
    _, [line] = kept(left_s, CASES, launches)
    more_s = parse_seconds(line.partition("take about ")[2].partition(" more")[0])
    assert kept(left_s + more_s, CASES, launches) == (set(SIZES), [])
    step_s = 10 if more_s <= 120 else 60
    assert kept(left_s + more_s - step_s, CASES, launches)[1]


@given(left_s=st.floats(0.0, 100.0), launches=st.integers(1, 20))
def test_less_time_never_keeps_more_sizes(left_s: float, launches: int) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), SIZES)
    sizes, said = kept(left_s, cases, launches)
    assert {8, 1 << 20} <= sizes
    assert len(sizes) <= len(kept(2 * left_s, cases, launches)[0])
    assert bool(said) == (sizes != set(SIZES))


def test_a_size_is_left_out_of_all_tests_and_transports_alike() -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), SIZES)
    chosen = whole_sizes(cases, KNOWN, 5, 8.0, lambda _: None)
    assert len(chosen) == 4 * len({case.bytes for case in chosen}) < len(cases)


@pytest.mark.parametrize(("sizes", "count"), [("", 2), ("8,64,1KiB,8KiB,64KiB,1MiB", 6)])
def test_sizes_that_were_typed_are_kept(sizes: str, count: int) -> None:
    experiments = (Experiment(tests=("ping_pong", "stream"), sizes=sizes),)
    request = msgspec.structs.replace(REQUEST, experiments=experiments, budget_s=5.0)
    found = planned(request, SITE, lambda _: None)
    assert len({case.bytes for case in found.plan.cases}) == count


def test_sizes_lie_as_far_apart_as_can_be() -> None:
    assert spread(SIZES, 3) == (8, 1024, 1 << 20)
    assert spread(SIZES, 4) == (8, 1024, 8192, 1 << 20)
    assert spread(SIZES, 6) == SIZES


@pytest.mark.parametrize("many", [5, 9, 20])
def test_the_sizes_that_are_left_are_as_far_apart_as_can_be_of_all(many: int) -> None:
    """And not of those that a somewhat longer budget would have left."""
    sizes = tuple(1 << at for at in range(many))
    cases = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), sizes)
    found = {len(few): few for few in (kept(left, cases)[0] for left in range(200))}
    assert len(found) > many // 2
    assert found == {count: set(spread(sizes, count)) for count in found}
