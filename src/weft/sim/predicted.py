"""A platform's links and hosts on another fabric: what nobody measured."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.fabric.mapping import MAPPINGS, placements
from weft.fabric.rails import check_rails
from weft.fabric.routes import ROUTINGS, ends_of, routes_of
from weft.fabric.simgrid import (
    BANDWIDTH_FACTOR,
    LATENCY_FACTOR,
    OnNode,
    PlatformParameters,
    read_parameters,
    routed_xml,
)
from weft.fabric.topologies import TOPOLOGIES, FabricAsked, build_fabric
from weft.fabric.topology import WORDS_LIKE
from weft.names import choose
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import coarseness_of
from weft.sim.sensitivity import Move, moved, with_assumed
from weft.wording import counted

if TYPE_CHECKING:
    from weft.fabric.network import Fabric

# Ways are written out for each two ends: switches with nodes, or nodes with ways of their own. As
# many as a torus of 8x8x8 has take rank-sim 0.4 GB before anything is simulated.
MOST_ENDS = 512
LEAST_SPEED, MOST_SPEED = 0.1, 100.0
MOST_HOP_NS = 1e6
# What to type for a topology in words.
_NO_TAPER = "1:1"
_OVER_ONE_RAIL = "calibrate from a record over one rail"
_WORDS = {"full": _NO_TAPER, "half": "2:1"}
_TREES = ("fat-tree", "rail-optimised")
_CALLED = {"blocking": "blocking", "shape": "shape", "switch": "number of ports"}


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """A fabric of a platform's links, `speed` times as fast, and with as many nodes as asked.

    `hop_ns` is what each switch behind the first one of a way adds to the latency; `routing` is a
    rule of weft.fabric.routes, or the usual one of the topology; `mapping` and `pairs` are those of
    weft.fabric.mapping, `pairs` for tests of two ranks; with `shared` a node has `ranks_per_node`,
    whose messages to each other cost as on that platform; `algorithm` is that of the collective
    operations, by the simulator's `settings`.
    """

    fabric: FabricAsked
    routing: str = ""
    mapping: str = ""
    pairs: str = ""
    ranks_per_node: int = 1
    shared: PlatformParameters | None = None
    speed: float = 1.0
    hop_ns: float = 0.0
    algorithm: str = ""
    settings: dict[str, str] = {}

    @property
    def label(self) -> str:
        """What it is, in the words of the options."""
        fabric = self.fabric
        words = [fabric.topology, *_of_topology(fabric)]
        if fabric.rails > 1:
            words.append(f"{counted(fabric.rails, 'rail')}")
        if self.speed != 1:
            words.append(f"{self.speed:g} x the bandwidth")
        if self.routing not in ("", ROUTINGS[fabric.topology][0]):
            words.append(self.routing)
        if self.mapping not in ("", MAPPINGS[0]):
            words.append(f"ranks {self.mapping}")
        if self.pairs:
            words.append("pairs " + self.pairs)
        if self.ranks_per_node > 1:
            words.append(f"{counted(self.ranks_per_node, 'rank')} a node")
        if self.algorithm:
            words.append(self.algorithm)
        return " ".join(words)


def _of_topology(fabric: FabricAsked) -> list[str]:
    """What is said of a fabric beside its topology: a torus' sides and nodes, a tree's blocking."""
    if fabric.topology in _TREES:
        return [fabric.blocking]
    each = f"{counted(fabric.per_switch, 'node')} a switch" if fabric.per_switch else ""
    return [word for word in (fabric.shape, each) if word]


def read_topology(phrase: str, asked: FabricAsked) -> FabricAsked:
    """The fabric of a phrase like "fat-tree 24/288 half" or "torus 8x8x4"; else as `asked`.

    After the topology come, in any order, the ports of its switches (24, or 24/288 of leaf and
    spine), its blocking (full, half, 3:1, or 2:1/1:1 of leaf and spine) and its sides. Raises
    WeftError.
    """
    name, *words = phrase.split() or [""]
    [topology] = choose("topology", [name], TOPOLOGIES)
    changes: dict[str, str] = {"topology": topology}
    for word in words:
        what, value = _read_word(word)
        if what == "blocking" and topology not in _TREES:
            raise WeftError(f"'{word}' is for a fat tree, not for a {topology}", f"omit {word}")
        before = changes.get(what) or getattr(asked, what)
        if before not in ("", _NO_TAPER) or what in changes:
            raise WeftError(
                f"'{word}' of '{phrase}' says again what {before.replace(',', '/')} says",
                f"name one {_CALLED[what]}, in the phrase or by --{what}",
            )
        changes[what] = value
    return msgspec.structs.replace(asked, **changes)


def _read_word(word: str) -> tuple[str, str]:
    """What a word behind a topology says, and its value. Raises WeftError."""
    if word in _WORDS or ":" in word:
        return "blocking", _WORDS.get(word, word).replace("/", ",")
    if re.fullmatch(r"\d+(x\d+)+", word):
        return "shape", word
    if re.fullmatch(r"\d+(/\d+)*", word):
        return "switch", word.replace("/", ",")
    raise WeftError(f"'{word}' says nothing of a topology", WORDS_LIKE)


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A predicted platform with its ranks on nodes, and how much of a mean it counts."""

    platform: SimulatedPlatform
    share: float = 1.0


def predicted(base: SimulatedPlatform, variant: Variant, **asked: Any) -> SimulatedPlatform:
    """The first of `every_placed`."""
    return every_placed(base, variant, **asked)[0].platform


def _check_ranges(variant: Variant) -> None:
    if not LEAST_SPEED <= variant.speed <= MOST_SPEED:
        fix = f"use {LEAST_SPEED:g} to {MOST_SPEED:g}"
        raise WeftError(f"--speed {variant.speed:g} is out of range", fix)
    if not 0 <= variant.hop_ns <= MOST_HOP_NS:
        raise WeftError(f"--hop {variant.hop_ns:g}ns is out of range", "use 0ns to 1ms")


def _check_ends(fabric: Fabric, variant: Variant) -> None:
    ends = ends_of(fabric, variant.routing)
    if ends > MOST_ENDS:
        raise WeftError(
            f"{variant.label} of {counted(fabric.nodes, 'node')} has {counted(ends, 'switch')}"
            " or nodes with ways of"
            f" their own, and a prediction at most {MOST_ENDS}",
            "use a larger --switch, fewer --nodes or another --routing",
        )


def every_placed(
    base: SimulatedPlatform,
    variant: Variant,
    *,
    as_of_nodes: int = 0,
    move: Move | None = None,
    shortest_bytes: int = 0,
) -> tuple[Placed, ...]:
    """The variant with the links and hosts of a platform, moved or as they are. Raises WeftError.

    One for each placement of the ranks. It is simulated as coarsely as a fabric `as_of_nodes`, or
    as one of its own size, and as messages allow none of which is shorter than `shortest_bytes`; 0:
    as any do.
    """
    _check_ranges(variant)
    move = move or Move()
    parameters = moved(parameters_of(base), move)
    check_rails(base.name, parameters.rails, variant.fabric.rails, _OVER_ONE_RAIL)
    fabric = build_fabric(variant.fabric)
    _check_ends(fabric, variant)
    settings = {**parameters.settings, **variant.settings}
    bytes_ns = 1e9 * shortest_bytes / parameters.bandwidth_bytes_per_s
    if coarse := coarseness_of(as_of_nodes or fabric.nodes, parameters.latency_ns, bytes_ns):
        settings["surf/precision"] = coarse
    parameters = msgspec.structs.replace(
        parameters,
        bandwidth_bytes_per_s=parameters.bandwidth_bytes_per_s * variant.speed,
        # The bus of a node that gets a faster link grows with it.
        bus_bytes_per_s=parameters.bus_bytes_per_s * variant.speed,
        hop_ns=variant.hop_ns,
        settings=settings,
    )
    parameters = with_assumed(parameters, move)
    routes = routes_of(fabric, variant.routing)
    many = "es" * (routes.most_switches > 1)
    words = (
        f"links and hosts of {base.name}",
        variant.label,
        f"{counted(fabric.nodes, 'node')}, {routes.most_switches} switch{many} on the longest way",
        f"{parameters.hop_ns:g} ns for each further switch",
        f"precision {settings.get('surf/precision', '1e-12')} s",
        base.origin,
    )
    named = SimulatedPlatform(
        name=f"{base.name}, {variant.label}",
        kind="predicted",
        nodes=fabric.nodes,
        origin="; ".join(filter(None, words)),
        ranks_per_node=variant.ranks_per_node,
    )
    within = _within(variant, move)
    return tuple(
        Placed(
            platform=msgspec.structs.replace(
                named, xml=routed_xml(fabric, routes, parameters, one.nodes, within)
            ),
            share=one.share,
        )
        for one in placements(routes, variant.mapping, variant.pairs)
    )


def _within(variant: Variant, move: Move) -> OnNode:
    """A node's ranks and their memory, moved as all of its times are."""
    memory = variant.shared
    if memory is not None:
        memory = moved(memory, Move(fixed=move.memory, byte=move.memory))
    return OnNode(ranks=variant.ranks_per_node, memory=memory)


def parameters_of(base: SimulatedPlatform) -> PlatformParameters:
    """The numbers of a platform's links and hosts. Raises WeftError where its file has none."""
    try:
        found = read_parameters(ET.fromstring(base.xml))  # noqa: S314 - the user's own file
    except ValueError as error:
        raise _unlike(base, str(error)) from None
    if found is None:
        raise _unlike(base, "it is not one crossbar with the bandwidth and latency of its links")
    # Without them SimGrid has factors of its own, and rank-sim adds nothing for further switches.
    if lacks := [name for name in (LATENCY_FACTOR, BANDWIDTH_FACTOR) if name not in found.settings]:
        raise _unlike(base, f"its file does not set {' or '.join(lacks)}")
    return found


def _unlike(base: SimulatedPlatform, why: str) -> WeftError:
    return WeftError(
        f"nothing can be predicted from {base.name}: {why}",
        "name a published platform, or write a file with weft calibrate -o FILE",
    )
