"""The fabrics of a prediction as they were typed: every combination, its words, and its bounds."""

from typing import Any

import msgspec
import pytest

from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.case import Case
from weft.plan.cases import Experiment, Variants
from weft.sim.platforms import simulated_platform
from weft.sim.predicted import Variant
from weft.studies.placed_tests import on_fewer, placed_tests_of, plain_name, shortest_face
from weft.studies.prediction import known_certainty, memory_in_words, memory_of
from weft.studies.variants import MOST_RANKS_PER_NODE, Lists, on_node, variants_of

BASE = FabricAsked(nodes=53, switch="24")


def typed(tests: tuple[str, ...] = ("halo",), fabric: FabricAsked = BASE, **lists: Any) -> Any:
    return variants_of(fabric, Lists(**lists), tests)


def labels(**lists: Any) -> list[str]:
    return [one.label for one in typed(**lists)]


def test_every_combination_is_there_in_the_order_of_the_lists() -> None:
    assert labels(blocking="1:1,2:1", rails="1,3", speed="1,2.5") == [
        "fat-tree 1:1", "fat-tree 1:1 2.5 x the bandwidth",
        "fat-tree 1:1 3 rails", "fat-tree 1:1 3 rails 2.5 x the bandwidth",
        "fat-tree 2:1", "fat-tree 2:1 2.5 x the bandwidth",
        "fat-tree 2:1 3 rails", "fat-tree 2:1 3 rails 2.5 x the bandwidth",
    ]  # fmt: skip
    with pytest.raises(WeftError) as raised:
        typed(blocking="1:1,2:1,3:1", rails="1,3,4")
    assert raised.value.what == "9 fabrics for one comparison are too many"
    assert raised.value.fix == "use at most 8 combinations"


def test_each_word_is_of_its_own_option() -> None:
    [one] = typed(
        topologies=("torus 4x3x5",), rails="2", speed="1.5", routing=" dimension-order ",
        mapping=" random", hop="130ns",
    )  # fmt: skip
    assert (one.fabric.topology, one.fabric.shape, one.fabric.rails) == ("torus", "4x3x5", 2)
    assert (one.routing, one.mapping, one.pairs) == ("dimension-order", "random", "")
    assert (one.speed, one.hop_ns, one.ranks_per_node) == (1.5, 130.0, 1)
    assert one.fabric.nodes == 53
    assert one.label == "torus 4x3x5 2 rails 1.5 x the bandwidth ranks random"
    [pairs] = typed(("ping_pong",), pairs="near")
    assert (pairs.pairs, pairs.label) == ("near", "fat-tree 1:1 pairs near")


@pytest.mark.parametrize(
    ("hop", "hop_ns"), [("200ns", 200.0), ("1.5us", 1500.0), ("0", 0.0), ("0ns", 0.0), ("00", 0.0)]
)
def test_a_hop_may_cost_nothing(hop: str, hop_ns: float) -> None:
    [one] = typed(hop=hop)
    assert one.hop_ns == pytest.approx(hop_ns)


def test_without_a_word_of_switches_all_nodes_are_at_one() -> None:
    bare = FabricAsked(nodes=53)
    assert typed(fabric=bare)[0].fabric.switch == "53"
    assert typed()[0].fabric.switch == "24"
    levels = msgspec.structs.replace(bare, levels=2)
    assert typed(fabric=levels)[0].fabric.switch == ""
    assert typed(fabric=bare, blocking="2:1")[0].fabric.switch == ""


def test_tapers_of_several_levels_have_a_stroke_between_them() -> None:
    assert [one.fabric.blocking for one in typed(blocking="2:1/3:1,1:1")] == ["2:1,3:1", "1:1"]


@pytest.mark.parametrize(
    ("lists", "what", "fix"),
    [
        ({"blocking": "1:1,1:1"}, "a fabric is named twice", "name each once"),
        ({"rails": "two"}, "--rails 'two' is not an integer", "use one like --rails 2"),
        ({"rails": "1.5"}, "--rails '1.5' is not an integer", "use one like --rails 2"),
        ({"speed": "fast"}, "--speed 'fast' is not a number", "use one like --speed 1,2"),
        (
            {"pairs": "near", "mapping": "random"},
            "--mapping says where ranks are, and so does --pairs",
            "omit one of both",
        ),
    ],
)
def test_what_is_no_list_of_fabrics_is_refused(lists: dict[str, Any], what: str, fix: str) -> None:
    with pytest.raises(WeftError) as raised:
        typed(("ping_pong",), **lists)
    assert (raised.value.what, raised.value.fix) == (what, fix)


def test_pairs_are_of_tests_of_two_ranks_and_algorithms_of_one_test() -> None:
    with pytest.raises(WeftError) as raised:
        typed(("halo", "milc"), pairs="near")
    assert raised.value.what == (
        "--pairs has no effect: they are of tests of two ranks, not of halo, milc"
    )
    assert typed(("halo", "Ping-Pong"), pairs="near")[0].pairs == "near"
    with pytest.raises(WeftError) as raised:
        typed(("allreduce", "halo"), algorithm="ring")
    assert (raised.value.what, raised.value.fix) == (
        "algorithms are of one operation", "use allreduce alone",
    )  # fmt: skip


def test_each_fabric_has_each_algorithm() -> None:
    found = typed(("Allreduce",), blocking="1:1,2:1", algorithm="ring,recursive-doubling")
    assert [(one.fabric.blocking, one.algorithm) for one in found] == [
        ("1:1", "ring"), ("1:1", "recursive-doubling"),
        ("2:1", "ring"), ("2:1", "recursive-doubling"),
    ]  # fmt: skip
    assert all(one.label.endswith(one.algorithm) for one in found)
    assert found[0].settings != found[1].settings


def test_one_rank_a_node_shares_nothing_and_several_do() -> None:
    assert on_node(1, "").ranks == 1
    shared = on_node(MOST_RANKS_PER_NODE, "escher")
    assert (shared.ranks, shared.memory is None) == (256, False)
    for ranks in (0, 257):
        with pytest.raises(WeftError) as raised:
            on_node(ranks, "escher")
        assert (raised.value.what, raised.value.fix) == (
            f"--ranks-per-node {ranks} is out of range", "use 1 to 256",
        )  # fmt: skip
    for ranks, memory in ((1, "escher"), (2, "")):
        with pytest.raises(WeftError, match="several ranks a node share memory"):
            on_node(ranks, memory)


def test_fewer_nodes_have_nearer_points_and_as_many_ranks_each() -> None:
    variant = Variant(fabric=FabricAsked(nodes=40, switch="24"), ranks_per_node=3)
    asked = Experiment(
        tests=("hot_spot_send",), ranks=120, variants=Variants(points=(1, 29, 30, 60, 119))
    )
    fewer = on_fewer(asked, 10, variant)
    assert fewer.ranks == 30
    # Those that are not among 30 ranks are at the same share of them; no point is there twice.
    assert fewer.variants.points == (1, 29, 7, 15)


@pytest.mark.parametrize("pairs", ["", "near", "far", "random"])
def test_a_pair_is_of_two_nodes_however_many_ranks_each_has(pairs: str) -> None:
    escher = simulated_platform("escher")
    single = Variant(fabric=FabricAsked(nodes=16, switch="8"), pairs=pairs)
    several = msgspec.structs.replace(
        single, ranks_per_node=4, shared=on_node(4, "osu-vapi").memory
    )
    asked = Experiment(tests=("ping_pong", "stream"), ranks=64)
    wanted, found = (placed_tests_of(escher, one, asked) for one in (single, several))
    assert [one.platform.xml for one in found] == [one.platform.xml for one in wanted]
    assert [one.share for one in found] == [one.share for one in wanted]
    # Who says where ranks are may say on one node.
    in_order = msgspec.structs.replace(several, mapping="in-order", pairs="")
    [one] = placed_tests_of(escher, in_order, asked)
    assert one.platform.ranks_per_node == 4


def test_how_far_shared_memory_is_known_is_said_where_it_is_there() -> None:
    escher = simulated_platform("escher")
    variant = Variant(
        fabric=FabricAsked(nodes=16, switch="8"), ranks_per_node=4,
        shared=on_node(4, "osu-vapi").memory,
    )  # fmt: skip
    known = known_certainty(escher)
    halo, pair = (
        [placed_tests_of(escher, variant, Experiment(tests=(test,), ranks=64))]
        for test in ("halo", "ping_pong")
    )
    assert memory_of(halo, "escher") == known_certainty(escher)
    # Nothing is published of VAPI point by point, a pair is of two nodes, and one rank has nobody.
    found = [memory_of(halo, "osu-vapi"), memory_of(pair, "escher"), memory_of(halo, "")]
    assert found == [None] * 3
    [line] = memory_in_words(halo, known, None)
    assert line == (
        "no interval has the errors of the memory that ranks of a node share: how far it is from a"
        " real one is not known, so no difference has an interval"
    )
    [line] = memory_in_words(halo, known, known)
    assert line == (
        "intervals have the errors of the memory that ranks of a node share too, which misses 54"
        " figures by 1.8 % on average and 14.0 % at most"
    )
    assert memory_in_words(halo, None, known) == ()
    assert memory_in_words(pair, known, known) == ()


def test_the_shortest_face_is_of_all_cases_where_all_send_faces_alone() -> None:
    def halo(*extents: int, test: str = "halo", **more: Any) -> Case:
        options = {"extents": list(extents), **more}
        return Case(test=test, transport="t", bytes=36, ranks=8, application=options)

    assert shortest_face([halo(4, 6, 8), halo(6, 6, 10)]) == 36 * 4 * 6
    assert shortest_face([halo(4, 6, 8), halo(4, 6, 8, sums=1)]) == 0
    assert shortest_face([halo(4, 6, 8), halo(4, 6, 8, test="milc")]) == 0
    assert shortest_face([halo(4, 6, 8), Case(test="halo", transport="t", bytes=36)]) == 0
    assert shortest_face([]) == 0
    assert plain_name(" Ping-Pong ") == "ping_pong"
