"""The matrix of pairs that are known."""

import numpy as np
import pytest

from support.maps import mapped
from weft.analysis.diagnosis.matrix import in_order, matrix_of
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import LEVEL_OF_HOST, LEVEL_OF_RAIL, Group, KnownFabric

NAMES = ("a", "b", "c", "d")


def times() -> PairTimes:
    """Each way takes 10 times its source and its target more; twice, the second visit longer."""
    ways = [(i, j) for i in range(4) for j in range(4) if i != j and (i, j) != (3, 0)]
    both = [(i, j, visit) for visit in (0, 1, 2) for i, j in ways]
    source, target, visit = np.array(both).T
    time_ns = 100.0 + 10 * source + target + np.array([0, 1, 50])[visit]
    return PairTimes(names=NAMES, source=source, target=target, visit=visit, time_ns=time_ns)


def test_a_pair_has_the_median_of_its_visits_at_its_row_and_column() -> None:
    matrix = matrix_of(times(), KnownFabric())
    assert matrix.names == NAMES
    assert matrix.time_ns[2, 1] == 100 + 20 + 1 + 1
    assert matrix.time_ns[1, 2] == 100 + 10 + 2 + 1
    assert matrix.visits[1, 2] == 3
    assert np.isnan(matrix.time_ns[3, 0])
    assert np.isnan(np.diag(matrix.time_ns)).all()
    assert matrix.visits[3, 0] == 0


def test_an_even_number_of_visits_has_the_middle_of_two() -> None:
    one = times().at(np.flatnonzero(times().visit != 1))
    assert matrix_of(one, KnownFabric()).time_ns[0, 1] == pytest.approx((101 + 151) / 2)


def test_endpoints_of_a_group_are_side_by_side() -> None:
    groups = (
        Group(name="all", members=frozenset(NAMES), level=2),
        Group(name="l1", members=frozenset({"a", "c"})),
        Group(name="l2", members=frozenset({"b", "d"})),
    )
    matrix = matrix_of(times(), KnownFabric(groups=groups))
    assert matrix.names == ("a", "c", "b", "d")
    assert matrix.begins == (2,)
    assert matrix.time_ns[1, 2] == 100 + 20 + 1 + 1
    again = in_order(matrix, ("d", "x", "a"))
    assert again.names == ("d", "a")
    assert np.isnan(again.time_ns[0, 1])
    assert again.time_ns[1, 0] == matrix.time_ns[0, 3]


def test_endpoints_of_a_host_are_side_by_side_in_their_leaf() -> None:
    times = mapped(8, lambda *_: 1.0)
    # Ranks go round the hosts, and the leaves hold every second one.
    hosts = [
        Group(name=f"h{at}", members=frozenset({f"n{at}", f"n{at + 4}"}), level=LEVEL_OF_HOST)
        for at in range(4)
    ]
    of_leaf = [
        Group(name=f"l{at}", members=frozenset(f"n{node}" for node in range(at, 8, 2)))
        for at in range(2)
    ]
    rails = [
        Group(name="r0", members=frozenset({"n0", "n1"}), level=LEVEL_OF_RAIL),
    ]
    matrix = matrix_of(times, KnownFabric(groups=(*of_leaf, *hosts, *rails)))
    assert matrix.names == ("n0", "n4", "n2", "n6", "n1", "n5", "n3", "n7")
    assert matrix.begins == (2, 4, 6)


def test_slower_is_beyond_what_is_usual() -> None:
    slow = times()
    is_slow = (slow.source == 0) & (slow.target == 1)
    matrix = matrix_of(
        PairTimes(
            names=NAMES,
            source=slow.source,
            target=slow.target,
            visit=slow.visit,
            time_ns=np.where(is_slow, 200.0, 100.0),
        ),
        KnownFabric(),
    )
    assert matrix.slower[0, 1] == pytest.approx(1.0)
    assert matrix.slower[1, 0] == pytest.approx(0.0)
