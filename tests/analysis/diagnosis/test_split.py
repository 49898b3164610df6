"""Several endpoints that are slow with any partner, of up to half of all and beyond."""

import numpy as np
import pytest

from support.maps import leaves, mapped
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.diagnose import MOST_FINDINGS, Diagnosis, diagnose
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import KnownFabric, known_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.topics.map_findings import finding_in_words

UNKNOWN = KnownFabric()
TEN = (0, 2, 6, 8, 13, 14, 15, 18, 20, 29)
HALF = tuple(range(0, 32, 2))


def slowed(
    nodes: int, slow: tuple[int, ...], factor: float, scatter: float = 0.0, seed: int = 7
) -> PairTimes:
    """A pair is as slow as the slower one of its two ends, as links in a row are."""
    return mapped(
        nodes,
        lambda i, j: factor if i in slow or j in slow else 1.0,
        scatter=scatter,
        seed=seed,
    )


def members(found: Diagnosis) -> set[str]:
    """The endpoints that are named for certain."""
    return {one.name for finding in found.findings if finding.is_certain for one in finding.causes}


def names(places: tuple[int, ...]) -> set[str]:
    return {f"n{at}" for at in places}


@pytest.mark.parametrize(
    ("nodes", "slow", "factor"),
    # 0.8 of the bandwidth takes 18 % longer beside the latency, half of it 90 %.
    [(32, TEN, 1.18), (32, HALF, 1.9), (16, (1, 3, 4, 7, 9, 12), 1.9), (64, tuple(range(19)), 1.2)],
)
def test_a_third_or_half_of_the_nodes_are_a_group_of_their_own(
    nodes: int, slow: tuple[int, ...], factor: float
) -> None:
    [finding] = diagnose(slowed(nodes, slow, factor), UNKNOWN).findings
    assert finding.causes == tuple(Cause("node", f"n{at}") for at in slow)
    assert set(finding.others) == names(tuple(set(range(nodes)) - set(slow)))
    assert finding.slower == pytest.approx(factor - 1, rel=1e-6)
    assert finding.slower_low <= finding.slower <= finding.slower_high


@pytest.mark.parametrize(("slow", "factor"), [(TEN, 1.18), (HALF, 1.9)])
def test_the_groups_are_right_in_19_of_20_maps_with_noise(
    slow: tuple[int, ...], factor: float
) -> None:
    found = [diagnose(slowed(32, slow, factor, 0.015, seed), UNKNOWN) for seed in range(20)]
    assert sum(members(one) == names(slow) for one in found) >= 19


@pytest.mark.parametrize(("nodes", "scatter"), [(8, 0.015), (16, 0.05), (32, 0.015)])
def test_equal_nodes_are_one_group(nodes: int, scatter: float) -> None:
    for seed in range(20):
        assert diagnose(slowed(nodes, (), 1.0, scatter, seed), UNKNOWN).findings == ()


def test_two_slow_nodes_are_both_named_for_certain() -> None:
    """The first line was "2 causes fit: n9 or n3"."""
    for seed in range(10):
        found = diagnose(slowed(32, (3, 9), 1.3, 0.015, seed), UNKNOWN)
        assert all(one.is_certain for one in found.findings)
        assert members(found) == {"n3", "n9"}


def test_all_three_are_slow_where_none_of_them_alone_is_the_cause() -> None:
    """It said "3 causes fit: n8, n7 or n9"."""
    [finding] = diagnose(slowed(16, (7, 8, 9), 1.2), UNKNOWN).findings
    words = finding_in_words(finding, "is slow")
    assert words.startswith(
        "n7, n8 and n9 are slow: 20 % [20, 20] slower over 84 ways than the other 13, "
    )


def test_the_words_say_who_is_in_each_group() -> None:
    [finding] = diagnose(slowed(32, TEN, 1.18), UNKNOWN).findings
    words = finding_in_words(finding, "is slow")
    assert words.startswith(
        "10 of 32 endpoints are slow (n0, n2, n6, n8, n13-n15, n18, n20, n29): 18 % [18, 18]"
        " slower over 530 ways than the other 22 (n1, n3-n5, n7, n9-n12, n16, n17, n19, n21-n28,"
        " n30, n31), "
    )
    assert "confidence over 99%" in words


def test_a_slow_leaf_is_no_group_of_nodes() -> None:
    times = slowed(16, tuple(range(8, 16)), 1.3)
    [finding] = diagnose(times, leaves(16, 8)).findings
    assert (finding.causes, finding.others) == ((Cause("group", "leaf l1"),), ())


def test_nodes_of_unlike_slowness_are_no_group() -> None:
    random = np.random.default_rng(5)
    factors = 1 + random.uniform(0.05, 0.9, 12)
    times = mapped(32, lambda i, j: max(factors[at] if at < 12 else 1.0 for at in (i, j)))
    assert all(not one.others for one in diagnose(times, UNKNOWN).findings)


def test_at_most_so_many_causes_are_named_and_more_are_said() -> None:
    slow = tuple(range(10))
    shares = {at: 1.1 + 0.1 * at for at in slow}
    times = mapped(64, lambda i, j: max(shares.get(i, 1.0), shares.get(j, 1.0)))
    found = diagnose(times, UNKNOWN)
    assert (len(found.findings), found.has_more) == (MOST_FINDINGS, True)
    few = diagnose(slowed(64, (3, 9), 1.3), UNKNOWN)
    assert not few.has_more


@pytest.mark.parametrize(("nodes", "ports", "count"), [(16, "8", "both"), (32, "16", "all 4")])
def test_both_cables_between_two_switches_are_a_cause(nodes: int, ports: str, count: str) -> None:
    """It named the leaf, half of whose ways are as fast as others."""
    fabric = known_of(
        build_fabric(FabricAsked(nodes=nodes, switch=ports)),
        [f"n{at}" for at in range(nodes)],
        "d-mod-k",
    )
    cables = [name for name in fabric.cables if name.endswith("between leaf 2 and spine 1")]
    slow = {link for name in cables for link in fabric.cables[name]}
    times = mapped(
        nodes,
        lambda i, j: 1.2 if slow & set(fabric.ways.get((f"n{i}", f"n{j}"), ())) else 1.0,
    )
    [finding] = diagnose(times, fabric).findings
    assert finding.is_certain
    assert finding.causes == (Cause("trunk", f"{count} cables between leaf 2 and spine 1"),)
    words = finding_in_words(finding, "is slow")
    assert words.startswith(f"{count} cables between leaf 2 and spine 1 are slow: 20 %")
