"""Pairs of a round that share a cable by the routes: how many, and that they accuse no cable."""

from collections import Counter
from functools import cache
from itertools import product

import msgspec
import numpy as np
import pytest

from support.maps import mapped
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.collisions import least_loaded, load_of
from weft.analysis.diagnosis.diagnose import diagnose
from weft.analysis.diagnosis.pair_times import PairTimes, joined
from weft.fabric.known import KnownFabric, known_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.plan.rounds import drawn_rounds, partners_in, rounds_of

NODES = 64
# Two pairs on one cable take so many times as long as one.
SHARED = 1.7


@cache
def fabric_of(nodes: int = NODES, switch: str = "16") -> KnownFabric:
    names = [f"n{node}" for node in range(nodes)]
    return known_of(build_fabric(FabricAsked(nodes=nodes, switch=switch)), names, "d-mod-k")


def with_collisions(scatter: float, seed: int, slow: str = "") -> PairTimes:
    """Three launches of the same rounds; pairs that meet on a cable wait for each other."""
    fabric = fabric_of()
    links = set(fabric.cables[slow]) if slow else set[str]()

    def slower(one: int, other: int) -> float:
        return 1.2 if links & set(fabric.ways.get((f"n{one}", f"n{other}"), ())) else 1.0

    times = joined([mapped(NODES, slower, scatter, rounds=63, seed=3 * seed + n) for n in range(3)])
    load = load_of(times, fabric)
    assert load is not None
    # As often as not the pairs of one cable are in step, the same ones in each launch.
    random = np.random.default_rng(1)
    in_step = np.tile(random.random(len(load) // 3) < 0.5, 3)
    waits = np.where((load > 1) & in_step, SHARED ** (load - 1), 1.0)
    return msgspec.structs.replace(times, time_ns=times.time_ns * waits, load=load)


@pytest.mark.parametrize(("nodes", "switch"), [(16, "8"), (20, "8"), (64, "16")])
def test_the_load_is_an_own_count(nodes: int, switch: str) -> None:
    fabric = fabric_of(nodes, switch)
    times = mapped(nodes, lambda *_: 1.0, rounds=5)
    load = load_of(times, fabric)
    assert load is not None
    rows = list(
        zip(times.source.tolist(), times.target.tolist(), times.visit.tolist(), strict=True)
    )
    passed = Counter[tuple[int, str]]()
    for one, other, visit in rows:
        for link in fabric.ways[f"n{one}", f"n{other}"]:
            if link.startswith("cable"):
                passed[visit, link] += 1
    for (one, other, visit), found in zip(rows, load.tolist(), strict=True):
        way = [link for link in fabric.ways[f"n{one}", f"n{other}"] if link.startswith("cable")]
        assert found == max((passed[visit, link] for link in way), default=0)


def test_nothing_is_shared_where_no_routes_are_known() -> None:
    times = mapped(8, lambda *_: 1.0)
    assert load_of(times, KnownFabric()) is None
    assert least_loaded(times) is times


def test_pairs_that_share_no_cable_count_where_a_quarter_does_so() -> None:
    times = mapped(8, lambda *_: 1.0, rounds=7)
    loads = np.resize([0, 1, 2, 3], len(times.source))
    few = least_loaded(msgspec.structs.replace(times, load=loads))
    assert set((few.load if few.load is not None else loads).tolist()) == {0, 1}
    crowded = least_loaded(msgspec.structs.replace(times, load=np.where(loads == 1, 2, loads)))
    assert set((crowded.load if crowded.load is not None else loads).tolist()) == {0, 2}


def test_a_healthy_fabric_with_static_routes_accuses_no_cable() -> None:
    """By chance 5 of 1,000 maps do."""
    fabric = fabric_of()
    found = [diagnose(with_collisions(0.015, seed), fabric).findings for seed in range(10)]
    assert sum(map(bool, found)) <= 1


def test_a_slow_cable_among_collisions_is_named() -> None:
    slow = "cable 1 between leaf 3 and spine 2"
    named = [
        [one.causes for one in diagnose(with_collisions(0.015, seed, slow), fabric_of()).findings]
        for seed in range(5)
    ]
    assert named == [[(Cause("cable", slow),)]] * 5


@pytest.mark.parametrize("ranks", [4, 7, 64, 1000])
@pytest.mark.parametrize("seed", [0, 1, 2, 17, 2**40])
def test_rounds_are_drawn_with_the_seed(ranks: int, seed: int) -> None:
    tournament = rounds_of(ranks)
    points = drawn_rounds(ranks, tournament, seed)
    assert points[-1] < 1 << 24
    assert points[0] % tournament == 0
    if seed == 1:
        assert points == tuple(range(tournament))
    if ranks < 100:
        met = Counter(
            frozenset((rank, partner))
            for point in points
            for rank, partner in enumerate(partners_in(point, ranks))
            if rank < partner < ranks
        )
        pairs = {frozenset(pair) for pair in product(range(ranks), repeat=2) if len(set(pair)) > 1}
        assert met == dict.fromkeys(pairs, 1)


def test_seeds_have_rounds_of_their_own() -> None:
    firsts = [partners_in(drawn_rounds(64, 63, seed)[0], 64) for seed in range(1, 7)]
    assert len(set(firsts)) == len(firsts)
    # Several tournaments of few ranks follow each other, and no seed repeats some of another's.
    assert not set(drawn_rounds(4, 24, 1)) & set(drawn_rounds(4, 24, 2))
