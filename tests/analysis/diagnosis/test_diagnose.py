"""What is planted is named, with its size; what is well is not."""

from functools import partial

import msgspec
import numpy as np
import pytest

from support.maps import Slower, leaves, mapped
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.diagnose import Diagnosis, diagnose, distances
from weft.analysis.diagnosis.guess import guessed
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import LEVEL_OF_HOST, Group, KnownFabric, known_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.plan.rounds import partners_in, rounds_of

UNKNOWN = KnownFabric()


def only(found: Diagnosis) -> Cause:
    [finding] = found.findings
    assert finding.is_certain
    assert finding.confidence > 0.9
    return finding.causes[0]


@pytest.mark.parametrize("nodes", [4, 5, 8, 16, 33])
def test_a_slow_node_is_named_with_how_much_slower(nodes: int) -> None:
    found = diagnose(mapped(nodes, lambda i, j: 1.3 if 2 in (i, j) else 1.0), UNKNOWN)
    assert only(found) == Cause("node", "n2")
    [finding] = found.findings
    assert finding.slower_low < 0.3 < finding.slower_high
    assert finding.pairs == 2 * (nodes - 1)
    assert all("n2" in (one.source, one.target) for one in finding.evidence)


@pytest.mark.parametrize(
    ("slower", "cause"),
    [
        (lambda i, _: 1.2 if i == 3 else 1.0, Cause("send", "n3")),
        (lambda _, j: 1.2 if j == 3 else 1.0, Cause("receive", "n3")),
        (lambda i, j: 1.2 if 4 in (i // 4, j // 4) else 1.0, Cause("group", "leaf l4")),
        (lambda i, j: 1.2 if i // 4 == 4 != j // 4 else 1.0, Cause("out of", "leaf l4")),
        (lambda i, j: 1.2 if j // 4 == 4 != i // 4 else 1.0, Cause("into", "leaf l4")),
        (
            lambda i, j: 1.2 if {i // 4, j // 4} == {1, 4} else 1.0,
            Cause("between", "leaf l1 and leaf l4"),
        ),
    ],
)
def test_the_direction_and_the_switch_are_told_apart(slower: Slower, cause: Cause) -> None:
    assert only(diagnose(mapped(24, slower), leaves(24, 4))) == cause


def test_a_slow_pair_is_no_slow_node() -> None:
    found = diagnose(mapped(12, lambda i, j: 1.5 if {i, j} == {3, 8} else 1.0), UNKNOWN)
    assert only(found) == Cause("pair", "n3 - n8")


def test_a_slow_pair_that_was_measured_one_way_has_its_one_figure() -> None:
    times = mapped(12, lambda i, j: 1.5 if {i, j} == {3, 8} else 1.0, scatter=0.001)
    half = times.at(~((times.source == 8) & (times.target == 3)))
    found = diagnose(half, UNKNOWN)
    assert only(found) == Cause("pair", "n3 - n8")
    [finding] = found.findings
    assert finding.pairs == 1
    assert finding.slower_low == finding.slower == finding.slower_high
    assert finding.slower == pytest.approx(0.5, abs=0.01)


def test_a_cable_is_named_where_routes_are_known() -> None:
    fabric = build_fabric(FabricAsked(nodes=32, switch="8"))
    known = known_of(fabric, [f"n{node}" for node in range(32)], "d-mod-k")
    bad = "cable 1 from leaf 3 to spine 2"
    times = mapped(32, lambda i, j: 1.2 if bad in known.ways[f"n{i}", f"n{j}"] else 1.0)
    assert only(diagnose(times, known)) == Cause("link", bad)


def test_a_cable_that_is_slow_both_ways_is_one_cause() -> None:
    """And not the node that all of one of its ways leads to."""
    fabric = build_fabric(FabricAsked(nodes=32, switch="8"))
    known = known_of(fabric, [f"n{node}" for node in range(32)], "d-mod-k")
    bad = "cable 1 between leaf 3 and spine 2"
    up, down = known.cables[bad]
    assert (up, down) == ("cable 1 from leaf 3 to spine 2", "cable 1 from spine 2 to leaf 3")

    def slower(i: int, j: int) -> float:
        return 1.2 if {up, down} & {*known.ways[f"n{i}", f"n{j}"]} else 1.0

    found = diagnose(mapped(32, slower), known)
    assert only(found) == Cause("cable", bad)
    assert found.findings[0].causes[0].in_words == bad


def test_two_at_once_are_both_named() -> None:
    def slower(i: int, j: int) -> float:
        return (1.5 if 2 in (i, j) else 1.0) * (1.2 if 9 in (i, j) else 1.0)

    found = diagnose(mapped(16, slower), UNKNOWN)
    assert {one.causes[0] for one in found.findings} == {Cause("node", "n2"), Cause("node", "n9")}


@pytest.mark.parametrize("scatter", [0.0, 1e-6, 0.01, 0.1])
@pytest.mark.parametrize("nodes", [2, 3, 4, 9, 24])
def test_nobody_is_named_where_nothing_is_slow(nodes: int, scatter: float) -> None:
    assert diagnose(mapped(nodes, lambda *_: 1.0, scatter), UNKNOWN).findings == ()


def test_what_is_slower_by_less_than_counts_is_not_named() -> None:
    times = mapped(16, lambda i, j: 1.01 if 2 in (i, j) else 1.0, 1e-4)
    assert diagnose(times, UNKNOWN).findings == ()


def test_causes_of_the_same_pairs_share_the_confidence() -> None:
    """A leaf of one node is that node, for any measurement between these."""
    fabric = KnownFabric(groups=(Group(name="leaf a", members=frozenset({"n0"})),))
    times = mapped(12, lambda i, j: 1.3 if 0 in (i, j) else 1.0)
    [finding] = diagnose(times, fabric).findings
    assert set(finding.causes) == {Cause("node", "n0"), Cause("group", "leaf a")}
    assert not finding.is_certain
    assert finding.confidence <= 0.5


def test_pairs_farther_apart_are_no_fault() -> None:
    times = mapped(24, lambda i, j: 1.0 if i // 4 == j // 4 else 1.6)
    assert diagnose(times, leaves(24, 4)).findings == ()
    assert set(distances(times, leaves(24, 4))) == {0, 1}
    # Nor do they hide one.
    times = mapped(24, lambda i, j: (1.0 if i // 4 == j // 4 else 1.6) * (1.05 if i == 7 else 1))
    found = diagnose(times, leaves(24, 4))
    assert only(found) == Cause("send", "n7")
    assert found.scatter == pytest.approx(0.01, rel=0.1)
    assert found.findings[0].slower == pytest.approx(0.05, abs=0.01)


def test_ranks_of_a_host_are_nearer_than_those_of_its_leaf() -> None:
    """Were a host's pairs as far apart as its leaf's, those between its hosts would look slow."""
    hosts = [
        Group(
            name=f"host h{at}",
            members=frozenset({f"n{2 * at}", f"n{2 * at + 1}"}),
            level=LEVEL_OF_HOST,
        )
        for at in range(5)
    ]
    as_leaves = [msgspec.structs.replace(host, level=1) for host in hosts]
    # The first two are below one leaf.
    [leaf] = leaves(4, 4).groups

    def slower(i: int, j: int) -> float:
        return 1.0 if i // 2 == j // 2 else 2.0 if max(i, j) < 4 else 4.0

    times = mapped(10, slower)
    assert diagnose(times, KnownFabric(groups=(leaf, *hosts))).findings == ()
    [found] = diagnose(times, KnownFabric(groups=(leaf, *as_leaves))).findings
    assert Cause("between", "host h0 and host h1") in found.causes


def test_the_dead_are_not_the_slow() -> None:
    times = mapped(8, lambda i, j: float("nan") if 5 in (i, j) else 1.0)
    found = diagnose(times, UNKNOWN)
    assert found.dead == ("n5",)
    assert found.findings == ()


@pytest.mark.parametrize("nodes", [8, 16])
def test_what_ran_in_a_slow_round_is_not_slow(nodes: int) -> None:
    times = mapped(nodes, lambda *_: 1.0)
    slow_round = np.where(times.visit == 3, 2.0, 1.0)
    slow = msgspec.structs.replace(times, time_ns=times.time_ns * slow_round)
    assert diagnose(slow, UNKNOWN).findings == ()
    # Nor do rounds of any length hide one.
    times = mapped(nodes, lambda i, j: 1.05 if 5 in (i, j) else 1.0)
    longer = np.exp(np.random.default_rng(3).normal(0, 0.3, times.visit.max() + 1))[times.visit]
    found = diagnose(msgspec.structs.replace(times, time_ns=times.time_ns * longer), UNKNOWN)
    assert only(found) == Cause("node", "n5")
    assert found.findings[0].slower == pytest.approx(0.05, abs=0.01)


def test_groups_are_guessed_where_they_show_and_only_there() -> None:
    times = mapped(24, lambda i, j: 1.0 if i // 4 == j // 4 else 1.4)
    found = guessed(times)
    assert found.is_guessed
    assert {one.members for one in found.groups} == {one.members for one in leaves(24, 4).groups}
    assert guessed(mapped(24, lambda *_: 1.0)).groups == ()
    # One slow node is no group.
    assert guessed(mapped(24, lambda i, j: 1.4 if 3 in (i, j) else 1.0)).groups == ()
    # Nor are those that a quarter of the pairs between them do not know.
    some = lambda i, j: 1.0 if i // 4 == j // 4 else 1.005 if i % 4 == j % 4 else 1.4  # noqa: E731
    assert guessed(mapped(8, some, 0.001)).groups == ()
    # Where not all met nothing is guessed.
    assert guessed(mapped(24, lambda i, j: 1.0 if i // 4 == j // 4 else 1.4, 0.01, 5)).groups == ()


def _entry(longer: np.ndarray, source: int, target: int) -> float:
    return float(longer[source, target])


@pytest.mark.parametrize("nodes", [4, 5])
def test_of_few_endpoints_one_far_beyond_the_scatter_is_named_through_much_noise(
    nodes: int,
) -> None:
    """Twelve ways, each with a way of its own beside a scatter of 35 %: 50 times is no chance."""
    random = np.random.default_rng(3)
    for trial in range(20):
        longer = np.exp(0.3 * random.standard_normal((nodes, nodes)))
        bad = trial % nodes
        longer[bad] *= 50
        times = mapped(nodes, partial(_entry, longer), scatter=0.35)
        [finding, *_] = diagnose(times, UNKNOWN).findings
        assert finding.causes[0] == Cause("send", f"n{bad}")


def test_of_few_endpoints_without_a_cause_nobody_is_named() -> None:
    random = np.random.default_rng(4)
    named = 0
    for _ in range(100):
        longer = np.exp(0.3 * random.standard_normal((4, 4)))
        times = mapped(4, partial(_entry, longer), scatter=0.35)
        named += bool(diagnose(times, UNKNOWN).findings)
    assert named <= 2


def test_a_shaped_host_is_named_where_a_scheduler_delays_the_others() -> None:
    """Medians of the lab's four hosts on two busy cores, ms: n3 sends through 60 Mbit/s."""
    usual_ms = {
        (1, 2): 0.22, (1, 3): 0.13, (1, 4): 1.2, (2, 1): 0.155, (2, 3): 3.94, (2, 4): 0.05,
        (3, 1): 8.4, (3, 2): 9.14, (3, 4): 9.75, (4, 1): 1.3, (4, 2): 0.05, (4, 3): 3.98,
    }  # fmt: skip
    times = mapped(4, lambda i, j: usual_ms[i + 1, j + 1], scatter=0.1)
    [finding] = diagnose(times, UNKNOWN).findings
    assert finding.causes == (Cause("send", "n2"),)
    assert finding.slower > 5
    # Two of the three alone are what chance gives to any three ways.
    usual_ms |= {(3, 1): 0.3, (3, 2): 40.0, (3, 4): 40.0}
    times = mapped(4, lambda i, j: usual_ms[i + 1, j + 1], scatter=0.1)
    assert diagnose(times, UNKNOWN).findings == ()
    # Nor do the times count where one way of another host is as slow as the least of the three.
    usual_ms |= {(2, 3): 1.0, (3, 1): 9.0, (3, 2): 9.0}
    for least_ms, named in ((3.7, 0), (4.3, 1)):
        usual_ms[3, 4] = least_ms
        times = mapped(4, lambda i, j: usual_ms[i + 1, j + 1], scatter=0.1)
        assert len(diagnose(times, UNKNOWN).findings) == named


@pytest.mark.parametrize("seed", [2, 8])
def test_pairs_that_are_slow_together_by_chance_have_no_cause(seed: int) -> None:
    """In each round the ways out of a leaf wait for each other, those of any leaf as often."""
    ranks, leaf = 64, 8
    draw = np.random.default_rng(seed)
    rows = []
    for visit in range(rounds_of(ranks)):
        waits = np.exp(draw.normal(0, 0.1, (ranks // leaf, 1)))[:, 0]
        for rank, partner in enumerate(partners_in(visit, ranks)):
            rows.append((rank, partner, visit, 1e3 * waits[rank // leaf]))
    source, target, visits, times_ns = map(np.array, zip(*rows, strict=True))
    noise = np.exp(draw.normal(0, 0.02, len(rows)))
    names = tuple(f"n{rank}" for rank in range(ranks))
    leaves = tuple(
        Group(name=f"leaf {at}", members=frozenset(names[at : at + leaf]))
        for at in range(0, ranks, leaf)
    )
    times = PairTimes(
        names=names, source=source, target=target, visit=visits, time_ns=times_ns * noise
    )
    assert diagnose(times, KnownFabric(groups=leaves)).findings == ()
