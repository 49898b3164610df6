"""The fabrics of a prediction: every combination of the lists that were typed."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError, without_effect
from weft.fabric.simgrid import OnNode
from weft.sim.assumptions import SWITCH_NS
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.topologies import FabricAsked
    from weft.sim.predicted import Variant

MOST_VARIANTS = 8
MOST_RANKS_PER_NODE = 256
NO_TAPER = "1:1"
USUAL_HOP = f"{SWITCH_NS[1]:g}ns"
_USUAL = ("fat-tree",)


class Lists(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared, each a list with commas as it was typed; `hop` is of all fabrics."""

    topologies: tuple[str, ...] = ()
    blocking: str = NO_TAPER
    rails: str = "1"
    speed: str = "1"
    routing: str = ""
    mapping: str = ""
    pairs: str = ""
    on_node: OnNode = OnNode()
    hop: str = USUAL_HOP
    algorithm: str = ""


def variants_of(fabric: FabricAsked, lists: Lists, tests: Sequence[str]) -> list[Variant]:
    """Every combination, in the order of the lists; without a switch all nodes are at one.

    Raises WeftError for too many, for a fabric that is named twice, and for algorithms of several
    tests.
    """
    is_bare = not (
        fabric.switch or lists.topologies or fabric.levels or fabric.shape or fabric.per_switch
    )
    # A taper needs several switches, of which somebody must say how many ports they have.
    if is_bare and lists.blocking == NO_TAPER:
        fabric = msgspec.structs.replace(fabric, switch=str(fabric.nodes))
    _check_pairs(lists, tests)
    return _by_algorithm(_of_lists(fabric, lists), tests, lists.algorithm)


def on_node(ranks: int, shared: str) -> OnNode:
    """So many ranks a node and the memory that they share, by a platform. Raises WeftError."""
    from weft.sim.platforms import simulated_platform
    from weft.sim.predicted import parameters_of

    if not 1 <= ranks <= MOST_RANKS_PER_NODE:
        raise WeftError(
            f"--ranks-per-node {ranks} is out of range", f"use 1 to {MOST_RANKS_PER_NODE}"
        )
    if (ranks > 1) != bool(shared):
        raise WeftError(
            "several ranks a node share memory, and one has nobody to share it with",
            "use --ranks-per-node 4 and --shared memory.xml, which weft calibrate writes of a"
            " record on one host, or neither",
        )
    return OnNode(ranks=ranks, memory=parameters_of(simulated_platform(shared)) if shared else None)


def _check_pairs(lists: Lists, tests: Sequence[str]) -> None:
    """Raises WeftError for pairs of tests that have none, or beside another word for it."""
    from weft.sim.draws import OF_PAIRS
    from weft.studies.placed_tests import plain_name

    if not lists.pairs:
        return
    if lists.mapping:
        raise WeftError("--mapping says where ranks are, and so does --pairs", "omit one of both")
    if not any(plain_name(test) in OF_PAIRS for test in tests):
        raise without_effect(
            "--pairs",
            f"they are of tests of two ranks, not of {', '.join(tests)}",
            f"omit --pairs, or ask {', '.join(OF_PAIRS)}",
        )


def _of_lists(fabric: FabricAsked, lists: Lists) -> list[Variant]:
    from weft.sim.predicted import Variant, read_topology
    from weft.units import parse_time

    hop = lists.hop
    hop_ns = 0.0 if hop.strip("0") in ("", "ns") else parse_time(hop)
    texts = (lists.blocking, lists.rails, lists.speed, lists.routing, lists.mapping, lists.pairs)
    found = []
    for phrase, taper, planes, factor, routing, mapping, pairs in product(
        lists.topologies or _USUAL, *(text.split(",") for text in texts)
    ):
        asked = msgspec.structs.replace(fabric, blocking=taper.replace("/", ","))
        built = msgspec.structs.replace(
            read_topology(phrase, asked), rails=_whole("--rails", planes)
        )
        one = Variant(
            fabric=built,
            routing=routing.strip(),
            mapping=mapping.strip(),
            pairs=pairs.strip(),
            ranks_per_node=lists.on_node.ranks,
            shared=lists.on_node.memory,
        )
        found.append(msgspec.structs.replace(one, speed=_factor(factor), hop_ns=hop_ns))
    labels = dict.fromkeys((one.label, one.fabric.switch) for one in found)
    if len(labels) < len(found):
        raise WeftError("a fabric is named twice", "name each once")
    return _few(found)


def _by_algorithm(variants: list[Variant], tests: Sequence[str], text: str) -> list[Variant]:
    """Each variant with each algorithm of the one test. Raises WeftError."""
    from weft.sim.algorithms import algorithms_of

    if not text:
        return variants
    if len(tests) > 1:
        raise WeftError("algorithms are of one operation", f"use {tests[0]} alone")
    test = tests[0].lower().replace("-", "_")
    chosen = algorithms_of(test, text, variants[0].fabric.nodes)
    found = [
        msgspec.structs.replace(one, algorithm=name, settings=settings)
        for one in variants
        for name, settings in chosen.items()
    ]
    return _few(found)


def _few(found: list[Variant]) -> list[Variant]:
    if len(found) > MOST_VARIANTS:
        raise WeftError(
            f"{counted(len(found), 'fabric')} for one comparison are too many",
            f"use at most {MOST_VARIANTS} combinations",
        )
    return found


def _whole(name: str, text: str) -> int:
    if not text.strip().isdigit():
        raise WeftError(f"{name} '{text}' is not an integer", f"use one like {name} 2")
    return int(text)


def _factor(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise WeftError(f"--speed '{text}' is not a number", "use one like --speed 1,2") from None
