"""What a map says that it would name, it names; and of how much less it says nothing."""

import msgspec
import numpy as np
import pytest

from support.maps import leaves, mapped
from weft.analysis.diagnosis.diagnose import diagnose
from weft.analysis.diagnosis.distinguished import Distinguished, distinguished_of
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import Group, KnownFabric
from weft.topics.map_distinguished import distinguished_in_words

UNKNOWN = KnownFabric()
DRAWS = 20


def healthy(nodes: int, rounds: int = 0, seed: int = 7, scatter: float = 0.05) -> PairTimes:
    return mapped(nodes, lambda *_: 1.0, scatter, rounds, seed)


def by_kind(times: PairTimes, fabric: KnownFabric = UNKNOWN) -> dict[str, Distinguished]:
    return {one.kind: one for one in distinguished_of(times, fabric)}


def named(nodes: int, share: float, fabric: KnownFabric, what: str) -> float:
    """Of other maps in which n1, or leaf l0, is slower by this share, those that say so."""
    hit = {1} if what == "n1" else set(range(4))
    found = 0
    for seed in range(100, 100 + DRAWS):
        times = mapped(nodes, lambda i, j: 1 + share * bool({i, j} & hit), scatter=0.05, seed=seed)
        findings = diagnose(times, fabric).findings
        causes = [*findings[0].causes, *findings[0].also] if findings else []
        found += what in [one.name for one in causes]
    return found / DRAWS


@pytest.mark.parametrize("nodes", [4, 8, 16])
def test_a_node_as_slow_as_it_says_is_named_and_one_a_third_as_slow_is_not(nodes: int) -> None:
    """Of few nodes one map knows its own scatter roughly: the median of several counts."""
    shares = [by_kind(healthy(nodes, seed=seed))["node"].slower for seed in range(5)]
    share = float(np.median([one or np.inf for one in shares]))
    assert named(nodes, share, UNKNOWN, "n1") >= 0.75
    assert named(nodes, share / 3, UNKNOWN, "n1") <= 0.3


def test_a_leaf_as_slow_as_it_says_is_named() -> None:
    fabric = leaves(16, 4)
    share = by_kind(healthy(16), fabric)["group"].slower
    assert share is not None
    assert named(16, share, fabric, "leaf l0") >= 0.75


def test_more_scatter_takes_more_slowness_and_more_rounds_take_less() -> None:
    shares = [
        by_kind(healthy(32, rounds, scatter=scatter))["node"].slower
        for rounds, scatter in ((6, 0.1), (6, 0.02), (31, 0.02))
    ]
    assert None not in shares
    assert shares == sorted(shares, key=lambda share: -(share or 0))
    assert len(set(shares)) == 3


def test_few_rounds_tell_a_node_and_no_pair() -> None:
    """Of 64 nodes six rounds, the logarithm of their number."""
    distinguished = by_kind(healthy(64, rounds=6))
    assert distinguished["node"].slower is not None
    assert (distinguished["node"].causes, distinguished["node"].alone) == (64, 64)
    assert distinguished["pair"].causes == 6 * 32
    assert (
        distinguished["pair"].slower is None
        or distinguished["pair"].slower > 2 * distinguished["node"].slower
    )


def test_a_leaf_of_one_node_is_not_told_from_it() -> None:
    groups = (
        Group(name="leaf a", members=frozenset({"n0"})),
        Group(name="leaf b", members=frozenset(f"n{node}" for node in range(1, 8))),
    )
    distinguished = by_kind(healthy(8), KnownFabric(groups=groups))
    assert (distinguished["group"].causes, distinguished["group"].alone) == (1, 0)
    assert distinguished["group"].slower is None
    assert distinguished["node"].alone == 7


def test_fewer_than_four_tell_nothing() -> None:
    assert distinguished_of(healthy(3), UNKNOWN) == ()


def test_values_that_stand_alone_are_not_changed() -> None:
    times = healthy(8)
    before = times.time_ns.copy()
    distinguished_of(times, UNKNOWN)
    assert np.array_equal(times.time_ns, before)


def test_the_words_name_what_is_told_and_what_is_not() -> None:
    node = Distinguished(kind="node", name="n1", causes=4, alone=4, slower=0.041)
    send = msgspec.structs.replace(node, kind="send", slower=0.05)
    receive = msgspec.structs.replace(node, kind="receive", slower=0.07)
    leaf = msgspec.structs.replace(node, kind="group", name="leaf l1", slower=0.03)
    pair = msgspec.structs.replace(node, kind="pair", slower=None)
    out = msgspec.structs.replace(node, kind="out of", slower=0.02)
    words = "a node slower by 4 %, one direction of it by 7 %"
    assert distinguished_in_words([node, send, receive, out, pair]) == f"{words}, but not a pair"
    assert (
        distinguished_in_words([node, leaf])
        == "a node slower by 4 %, a leaf by 3 %, but not a pair"
    )
    none = msgspec.structs.replace(receive, slower=None)
    assert distinguished_in_words([node, send, none]) == (
        "a node slower by 4 %, but not one direction of it or a pair"
    )
    assert distinguished_in_words([pair]) == distinguished_in_words([]) == ""
