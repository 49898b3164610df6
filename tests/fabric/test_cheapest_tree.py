"""The cheapest fat tree: known answers, an exhaustive search, bounds, and what never costs more.

The search here is written apart from the code: it tries every number of leaves, uplinks, pods,
spines and cores up to the ports there are, lays the cables of each as a table and counts them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.price_lists import PARTS, price_list
from weft.errors import WeftError
from weft.fabric.cost import cost_of
from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric, parts_of, ports_used
from weft.fabric.topologies import FabricAsked, build
from weft.fabric.tree_search import SwitchPrice, TreePrices, tree_flow
from weft.sources.price_lists import read_prices

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric.price_list import PriceList

QUICK = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def counts(fabric: Fabric) -> tuple[int, int, int, int]:
    """Leaves, spines, cores and cables between switches."""
    found = {part.role: part.count for part in parts_of(fabric)}
    roles = ("leaf", "spine", "core", "uplink cable")
    leaves, spines, cores, cables = (found.get(role, 0) for role in roles)
    return leaves, spines, cores, cables


def tree(nodes: int, radix: int, leaf: str = "1", spine: str = "1", **words: object) -> Fabric:
    asked = TreeAsked(
        nodes=nodes,
        radixes=(radix, radix, radix),
        blocking=(Fraction(leaf), Fraction(spine)),
        **words,  # type: ignore[arg-type]
    )
    return build_fat_tree(asked)


@pytest.mark.parametrize(
    ("nodes", "radix", "blocking", "spread", "leaves", "spines", "cores", "cables"),
    [
        (384, 24, "1", "even", 32, 32, 16, 768),  # were 132 cores: uplinks took divisors alone
        (432, 24, "1", "even", 36, 36, 18, 864),
        (61, 24, "1", "even", 6, 3, 0, 72),  # 12 uplinks; 11 of them would need 11 spines
        (256, 64, "1", "even", 8, 4, 0, 256),
        (256, 64, "2", "even", 8, 2, 0, 128),  # was more expensive than at 1:1
        (96, 24, "2", "even", 6, 2, 0, 48),
        (100, 36, "1", "even", 6, 3, 0, 108),
        (100, 36, "1", "any", 6, 3, 0, 102),
        (20, 8, "1", "even", 5, 4, 0, 20),
        (20, 8, "1", "any", 5, 3, 0, 20),
        (500, 36, "1", "even", 28, 18, 0, 504),
        (500, 36, "1", "any", 28, 14, 0, 504),
        (50, 16, "2", "even", 5, 2, 0, 30),
        (50, 16, "2", "any", 5, 2, 0, 25),
        (64, 8, "1", "even", 16, 16, 8, 128),
    ],
)
def test_known_answers(
    nodes: int,
    radix: int,
    blocking: str,
    spread: str,
    leaves: int,
    spines: int,
    cores: int,
    cables: int,
) -> None:
    found = counts(tree(nodes, radix, blocking, spread=spread))
    assert found == (leaves, spines, cores, cables)


@pytest.mark.parametrize(
    ("nodes", "radix", "switches"),
    # With as many cables from each pod to a core these were 312, 177, 425 and 150.
    [(2049, 36, 285), (2049, 64, 164), (5000, 64, 397), (1100, 40, 138)],
)
def test_cores_with_one_cable_more_from_some_pods_save_switches(
    nodes: int, radix: int, switches: int
) -> None:
    fabric = tree(nodes, radix)
    assert len(fabric.switches) == switches
    # No three-level tree has fewer than leaves and spines that are full, and cores above them.
    full = ceil(nodes / (radix // 2))
    assert len(fabric.switches) >= 2 * full + ceil(full / 2)
    assert max(ports_used(fabric)) <= radix
    own: dict[tuple[int, int], int] = Counter()
    cores = {at for at, switch in enumerate(fabric.switches) if switch.role == "core"}
    leaves = [at for at, switch in enumerate(fabric.switches) if switch.role == "leaf"]
    above = {at: frozenset(one.other for one in fabric.trunks if one.one == at) for at in leaves}
    pods = {spine: at for at, pod in enumerate(set(above.values())) for spine in pod}
    for trunk in fabric.trunks:
        if trunk.other in cores:
            own[pods[trunk.one], trunk.other] += trunk.cables
    assert len(own) == len(set(pods.values())) * len(cores)
    assert max(own.values()) - min(own.values()) == 1
    assert bisection_cables(fabric) == nodes // 2


def test_384_nodes_cost_what_an_even_tree_does(tmp_path: Path) -> None:
    """80 switches and 768 cables; 432 nodes have 90 and 864."""
    prices = read_prices(price_list(tmp_path / "p.toml"))
    for nodes, total in ((384, 1250720), (432, 1407060)):
        built = build(FabricAsked(nodes=nodes, switch="24"), prices)
        assert cost_of(built.parts, built.ports, prices).total == pytest.approx(total)


def every_two_level(
    nodes: int, radix: int, blocking: Fraction, spread: str
) -> list[tuple[int, int, int]]:
    """Switches, cables and leaves of every tree of two levels whose cables find ports."""
    found = []
    for leaves, up in product(range(2, nodes + 1), range(1, radix)):
        own = [nodes // leaves + (at < nodes % leaves) for at in range(leaves)]
        if max(own) + up > radix or max(own) > blocking * up:
            continue
        for spines in range(1, up + 1):
            if spread == "even" and up % spines:
                continue
            used = [0] * spines
            for cable in range(leaves * up):
                used[cable % spines] += 1
            if max(used) <= radix:
                found.append((leaves + spines, leaves * up, leaves))
    return found


def every_three_level(
    nodes: int, radix: int, blocking: tuple[Fraction, Fraction]
) -> list[tuple[int, int, int]]:
    """The same of three levels, the cables of each pod laid one by one."""
    found = []
    for leaves, up in product(range(2, nodes + 1), range(1, radix)):
        if ceil(nodes / leaves) + up > radix or ceil(nodes / leaves) > blocking[0] * up:
            continue
        for pods, spines in product(range(2, leaves + 1), range(1, up + 1)):
            if up % spines:
                continue
            below = ceil(leaves / pods) * (up // spines)
            for above in range(1, radix - below + 1):
                if below > blocking[1] * above:
                    continue
                found += [
                    (leaves + pods * spines + cores, leaves * up + pods * spines * above, leaves)
                    for cores in every_core(pods, spines, above, radix)
                ]
    return found


def every_core(pods: int, spines: int, above: int, radix: int) -> list[int]:
    """Numbers of cores over which the spines' cables spread: each core as many of every pod, or all
    cables in turn, if each core has one of every pod."""
    found = []
    for cores in range(1, spines * above + 1):
        in_turn = Counter(cable % cores for cable in range(pods * spines * above))
        if max(in_turn.values()) <= radix:
            found.append(cores)
    for cores in range(1, spines * above + 1):
        for groups in range(1, spines + 1):
            if spines % groups or cores % groups or above % (cores // groups):
                continue
            used: dict[int, int] = {}
            for _, place, cable in product(range(pods), range(spines), range(above)):
                core = (place % groups, cable % (cores // groups))
                used[core[0] * cores + core[1]] = used.get(core[0] * cores + core[1], 0) + 1
            if max(used.values()) <= radix:
                found.append(cores)
    return found


@pytest.mark.parametrize("radix", [4, 5])
@pytest.mark.parametrize("blocking", ["1", "3/2", "2"])
@pytest.mark.parametrize("spread", ["even", "any"])
def test_no_tree_of_two_levels_is_cheaper(radix: int, blocking: str, spread: str) -> None:
    for nodes in range(2, radix * (radix - 1) + 1):
        others = every_two_level(nodes, radix, Fraction(blocking), spread)
        try:
            found = counts(tree(nodes, radix, blocking, levels=2, spread=spread))
        except WeftError:
            assert not others
            continue
        assert (found[0] + found[1], found[3], found[0]) == min(others)


@pytest.mark.parametrize(("radix", "sizes"), [(4, (2, 3, 5, 9, 13, 16)), (5, (7, 13)), (6, (11,))])
@pytest.mark.parametrize("blocking", [("1", "1"), ("2", "1"), ("3/2", "2")])
def test_no_tree_of_three_levels_is_cheaper(
    radix: int, sizes: tuple[int, ...], blocking: tuple[str, str]
) -> None:
    for nodes in sizes:
        others = every_three_level(nodes, radix, (Fraction(blocking[0]), Fraction(blocking[1])))
        found = counts(tree(nodes, radix, *blocking, levels=3))
        assert (sum(found[:3]), found[3], found[0]) == min(others)


@pytest.mark.parametrize(("leaf", "spine", "cable"), [(1.0, 9.0, 0.1), (9.0, 1.0, 5.0), (1, 1, 4)])
def test_with_prices_the_least_price_wins(leaf: float, spine: float, cable: float) -> None:
    prices = TreePrices(
        leaf=SwitchPrice(radix=6, price=leaf),
        spine=SwitchPrice(radix=6, price=spine),
        core=SwitchPrice(radix=6, price=spine),
        cable=cable,
    )
    for nodes in range(7, 19):
        found = counts(tree(nodes, 6, levels=2, prices=prices))
        least = min(
            own * leaf + (switches - own) * spine + cables * cable
            for switches, cables, own in every_two_level(nodes, 6, Fraction(1), "even")
        )
        assert found[0] * leaf + found[1] * spine + found[3] * cable == pytest.approx(least)


SIZES = st.integers(2, 1500)
RADIXES = st.sampled_from((24, 36, 40, 64))
BLOCKINGS = st.sampled_from(("1", "5/4", "3/2", "2", "3"))


@QUICK
@given(SIZES, RADIXES, BLOCKINGS)
def test_large_trees_are_near_the_fewest_that_ports_permit(
    nodes: int, radix: int, blocking: str
) -> None:
    """Each leaf has at most so many nodes, and all their uplinks end at a spine, and above.

    Nearness: leaves fill up, and what divides unevenly costs up to a core a cable of a spine.
    """
    factor = Fraction(blocking)
    down = max(n for n in range(1, radix) if n + ceil(n / factor) <= radix)
    try:
        leaves, spines, cores, cables = counts(tree(nodes, radix, blocking))
    except WeftError:
        assert nodes > down * (radix // 2) * radix
        return
    if spines == 0:
        assert nodes <= radix
        return
    uplinks = ceil(nodes / factor)
    assert leaves >= ceil(nodes / down)
    assert cables >= uplinks
    if cores == 0:
        assert spines >= ceil(uplinks / radix)
        # S even spines divide the uplinks of a leaf, at most twice as many as have the ports.
        assert leaves + spines <= ceil(nodes / down) * 1.25 + 2 * ceil(uplinks / radix) + 2
    else:
        fewest = ceil(uplinks / (radix // 2)), ceil(uplinks / radix)
        assert spines >= fewest[0]
        assert cores >= fewest[1]
        assert leaves + spines + cores <= 1.5 * (ceil(nodes / down) + sum(fewest)) + 12


def total(nodes: int, switch: str, blocking: str, prices: PriceList) -> float:
    asked = FabricAsked(nodes=nodes, switch=switch, blocking=blocking)
    built = build(asked, prices)
    return cost_of(built.parts, built.ports, prices).total


@settings(QUICK, max_examples=15)
@given(
    st.integers(3, 700),
    st.sampled_from(("24", "24,288")),
    st.sampled_from((("1:1", "1.2:1"), ("1:1", "2:1"), ("2:1", "3:1"), ("2:1,1:1", "2:1,2:1"))),
)
def test_less_never_costs_more(
    tmp_path_factory: pytest.TempPathFactory,
    nodes: int,
    switch: str,
    blockings: tuple[str, str],
) -> None:
    """Fewer nodes or more blocking: what was built for more would still do."""
    prices = read_prices(price_list(tmp_path_factory.mktemp("p") / "p.toml"))
    tight, relaxed = (total(nodes, switch, one, prices) for one in blockings)
    assert relaxed <= tight
    assert total(nodes - 1, switch, blockings[0], prices) <= tight


@settings(QUICK, max_examples=15)
@given(st.integers(3, 300), st.integers(10, 100), st.integers(1, 40))
def test_less_bisection_never_costs_more(
    tmp_path_factory: pytest.TempPathFactory, nodes: int, percent: int, less: int
) -> None:
    """What was built for more of it would still do."""
    prices = read_prices(price_list(tmp_path_factory.mktemp("p") / "p.toml"))

    def least(nodes: int, cables: int) -> float:
        asked = FabricAsked(nodes=nodes, switch="24", bisection=f"{cables}GB/s")
        built = build(asked, prices, rate_bytes_per_s=1e9)
        return cost_of(built.parts, built.ports, prices).total

    cables = max(1, nodes // 2 * percent // 100)
    fewer = max(1, cables - less)
    assert least(nodes, fewer) <= least(nodes, cables)


def test_less_never_costs_more_of_any_torus(tmp_path: Path) -> None:
    prices = read_prices(price_list(tmp_path / "p.toml"))
    costs = []
    for nodes in range(8, 100):
        built = build(FabricAsked(nodes=nodes, switch="24", topology="torus"), prices)
        costs.append(cost_of(built.parts, built.ports, prices).total)
    assert costs == sorted(costs)


MODULAR = """
[[part]]
part = "line card 288"
ports = 24
list_price = 9000
"""


def test_a_modular_switch_has_the_line_cards_it_needs(tmp_path: Path) -> None:
    """A chassis of 60,000 with cards of 24 ports: 72 uplinks need three."""
    text = PARTS.replace("193150", "60000") + MODULAR
    prices = read_prices(price_list(tmp_path / "p.toml", parts=text))
    asked = FabricAsked(nodes=144, switch="24,288", blocking="2:1", levels=2)
    built = build(asked, prices)
    found = {part.part: (part.count, part.ports_left_over) for part in built.parts}
    assert found["switch 24"] == (9, 0)
    assert found["switch 288"] == (1, 0)
    assert found["line card 288"] == (3, 0)
    cost = cost_of(built.parts, built.ports, prices)
    assert cost.total == 144 * 1105 + 9 * 7450 + 60000 + 3 * 9000 + 72 * 300
    # Alone: six cards for 144 nodes, without any leaf or uplink.
    alone = build(FabricAsked(nodes=144, switch="24,288", blocking="2:1"), prices)
    assert alone.fabric.title == "one switch of 288 ports"
    assert cost_of(alone.parts, alone.ports, prices).total == 144 * 1105 + 60000 + 6 * 9000
    for nodes, cards, left in ((25, 2, 23), (48, 2, 0), (49, 3, 23)):
        one = build(FabricAsked(nodes=nodes, switch="288", levels=1), prices)
        found = {part.part: (part.count, part.ports_left_over) for part in one.parts}
        assert found["line card 288"][0] == cards
        assert found["switch 288"][1] == left


@pytest.mark.parametrize("nodes", [20, 31])
def test_the_cheapest_with_a_stated_bisection_is_the_cheapest_of_all(nodes: int) -> None:
    """Every tree of two levels is tried; the flow of each is Dinic's."""
    radix = 8
    known: dict[tuple[int, int, int], int] = {}
    for cables in range(1, nodes // 2 + 1, 5):
        asked = TreeAsked(nodes=nodes, radixes=(8, 8, 8), bisection_cables=cables, levels=2)
        best = None
        for leaves, up in product(range(2, radix + 1), range(1, radix)):
            if ceil(nodes / leaves) + up > radix:
                continue
            flow = known.setdefault((nodes, leaves, up), tree_flow(nodes, leaves, up))
            for spines in range(1, up + 1):
                is_there = flow >= cables and ceil(leaves * up / 2) >= cables
                if up % spines == 0 and leaves * up <= spines * radix and is_there:
                    key = leaves + spines, leaves * up, leaves
                    best = min(best or key, key)
        if best is None:
            with pytest.raises(WeftError, match="cables in its bisection"):
                build_fat_tree(asked)
            continue
        fabric = build_fat_tree(asked)
        found = counts(fabric)
        assert (found[0] + found[1], found[3], found[0]) == best
        assert bisection_cables(fabric) >= cables


@QUICK
@given(
    st.integers(8, 150),
    st.sampled_from((6, 8, 12)),
    st.floats(0.05, 1.0),
    st.sampled_from((0, 2, 3)),
)
def test_a_stated_bisection_is_there(nodes: int, radix: int, share: float, levels: int) -> None:
    cables = max(1, int(share * (nodes // 2)))
    radixes = (radix, radix, radix)
    asked = TreeAsked(nodes=nodes, radixes=radixes, bisection_cables=cables, levels=levels)
    try:
        fabric = build_fat_tree(asked)
    except WeftError:
        return
    assert bisection_cables(fabric) >= cables
    # Either half has its part of the cables of each level: none is met inside of a leaf or a pod.
    upwards: Counter[str] = Counter()
    for trunk in fabric.trunks:
        upwards[fabric.switches[trunk.one].role] += trunk.cables
    assert all(ceil(count / 2) >= cables for count in upwards.values())


def test_a_stated_bisection_in_words() -> None:
    half = build(FabricAsked(nodes=96, switch="24", bisection="50%", link="IB 4x SDR"))
    assert half.bisection_cables == 24
    assert counts(half.fabric) == counts(tree(96, 24, "2"))
    stated = build(FabricAsked(nodes=96, switch="24", bisection="24GB/s", link="IB 4x SDR"))
    assert counts(stated.fabric) == counts(half.fabric)
    # Two rails carry half of it each; what was measured takes the place of the peak.
    two = FabricAsked(nodes=96, switch="24", bisection="24GB/s", link="IB 4x SDR", rails=2)
    assert build(two).bisection_cables >= 24
    slow = FabricAsked(nodes=96, switch="24", bisection="24GB/s")
    assert build(slow, rate_bytes_per_s=0.5e9).bisection_cables == 48


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ({"bisection": "49GB/s", "link": "IB 4x SDR"}, "at most 48 cables, not 49"),
        ({"bisection": "24GB/s"}, "needs the bandwidth of a link; use --link"),
        ({"bisection": "50%", "blocking": "2:1"}, "omit the others"),
        ({"bisection": "50%", "topology": "torus"}, "--bisection is for a fat tree"),
        ({"bisection": "half", "link": "IB 4x SDR"}, "'half' is not a bandwidth"),
        ({"per_switch": 3}, "--per-switch 3 is for a torus"),
    ],
)
def test_what_no_bisection_is(words: dict[str, object], what: str) -> None:
    with pytest.raises(WeftError, match=what):
        build(FabricAsked(nodes=96, switch="24", **words))  # type: ignore[arg-type]
