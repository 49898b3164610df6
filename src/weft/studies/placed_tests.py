"""What is simulated of a prediction: tests of two ranks, tests that draw, and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.fabric.network import hops_of
from weft.fabric.topologies import build_fabric
from weft.plan.cases import Experiment
from weft.plan.simulated import SimulatedPlatform
from weft.sim.draws import DRAWING, DRAWS, OF_PAIRS, queue_of
from weft.sim.predicted import every_placed, parameters_of
from weft.units import parse_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.topologies import FabricAsked
    from weft.plan.case import Case
    from weft.sim.predicted import Variant
    from weft.sim.sensitivity import Move


# Sends nothing but faces, unless sums are asked for.
_FACES = "halo"


class PlacedTests(msgspec.Struct, frozen=True, kw_only=True):
    """Tests on one placement of the ranks, and how much of a figure's mean it counts."""

    platform: SimulatedPlatform
    experiment: Experiment
    share: float = 1.0
    launches: int = 1


def placed_tests_of(
    base: SimulatedPlatform,
    variant: Variant,
    experiment: Experiment,
    *,
    as_of_nodes: int = 0,
    move: Move | None = None,
    shortest_bytes: int = 0,
) -> tuple[PlacedTests, ...]:
    """All that is simulated of a variant. Raises WeftError.

    It is as coarse as every_placed makes it of `as_of_nodes` and `shortest_bytes`. Tests of two
    ranks are on the pairs that were asked for, or on random ones, unless a mapping says where ranks
    are.
    """
    found: list[PlacedTests] = []
    for names, launches, of_pairs in _groups(experiment.tests):
        changed, on = experiment, variant
        if not of_pairs:
            on = msgspec.structs.replace(variant, pairs="")
        elif not variant.mapping:
            # A pair is of two nodes: with several ranks each, ranks 0 and 1 would be on one.
            on = msgspec.structs.replace(
                variant, pairs=variant.pairs or "random", ranks_per_node=1, shared=None
            )
            changed = msgspec.structs.replace(changed, ranks=2)
        if launches > 1:
            changed = _queued(changed, base, variant)
        found += [
            PlacedTests(
                platform=_named(one.platform, variant),
                experiment=msgspec.structs.replace(changed, tests=names),
                share=one.share,
                launches=launches,
            )
            for one in every_placed(
                base, on, as_of_nodes=as_of_nodes, move=move, shortest_bytes=shortest_bytes
            )
        ]
    return tuple(found)


def shortest_face(cases: Sequence[Case]) -> int:
    """The fewest bytes of a message of all these cases, where all send faces alone; else 0.

    A lattice whose whole is divided has faces of any size, and sums and other tests send short
    messages too.
    """
    found = []
    for case in cases:
        if case.test != _FACES or case.of_application is None:
            return 0
        found.append(case.of_application.least_message_bytes(case.bytes))
    return min(found, default=0)


def smaller(fabric: FabricAsked, nodes: int) -> FabricAsked:
    """The same kind of fabric for fewer nodes; a fat tree has as many levels as for all of them.

    Messages take longer to simulate on longer ways: where half of the nodes had a level less, time
    seemed to grow faster than it does.
    """
    fewer = msgspec.structs.replace(fabric, nodes=nodes, shape="")
    if fabric.topology != "fat-tree":
        return fewer
    most_switches = hops_of(build_fabric(fabric)).diameter
    return msgspec.structs.replace(fewer, levels=(most_switches + 1) // 2)


def on_fewer(experiment: Experiment, nodes: int, variant: Variant) -> Experiment:
    """The same tests on fewer nodes; places among the ranks that are not there are nearer."""
    ranks = nodes * variant.ranks_per_node
    points = dict.fromkeys(
        point if point < ranks else max(point * nodes // variant.fabric.nodes, 1)
        for point in experiment.variants.points
    )
    variants = msgspec.structs.replace(experiment.variants, points=tuple(points))
    return msgspec.structs.replace(experiment, ranks=ranks, variants=variants)


def _named(platform: SimulatedPlatform, variant: Variant) -> SimulatedPlatform:
    """By the words of the variant as it was asked for."""
    return msgspec.structs.replace(platform, name=f"{platform.base}, {variant.label}")


def _queued(experiment: Experiment, base: SimulatedPlatform, variant: Variant) -> Experiment:
    """The same with a queue as long as its shortest messages need; usual sizes have short ones."""
    if not experiment.sizes:
        return experiment
    parameters = parameters_of(base)
    more = variant.speed * parameters.times_over(variant.fabric.rails)
    rate = parameters.bandwidth_bytes_per_s * more
    shortest_ns = 1e9 * min(parse_sizes(experiment.sizes)) / rate
    depths = (queue_of(parameters.latency_ns, shortest_ns),)
    variants = msgspec.structs.replace(experiment.variants, queue_depths=depths)
    return msgspec.structs.replace(experiment, variants=variants)


def _groups(tests: tuple[str, ...]) -> list[tuple[tuple[str, ...], int, bool]]:
    """Tests that are simulated together: how often, and whether they are of pairs."""
    kinds: dict[tuple[int, bool], list[str]] = {}
    for name in tests:
        plain = plain_name(name)
        kind = (DRAWS if plain in DRAWING else 1, plain in OF_PAIRS)
        kinds.setdefault(kind, []).append(name)
    return [(tuple(names), *kind) for kind, names in kinds.items()]


def plain_name(test: str) -> str:
    """A test's name as lists have it, of one as it was typed."""
    return test.strip().lower().replace("-", "_")
