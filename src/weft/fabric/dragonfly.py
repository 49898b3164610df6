"""Dragonflies: groups in which every switch has a cable to each other one, and cables between all
groups (Kim, Dally, Scott and Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
2008). Balanced as there in section 3.1: a switch has p nodes and p global cables, a group 2p
switches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_RADIX = 3


class DragonflyAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A dragonfly as it is asked for: nodes, and ports of a switch."""

    nodes: int
    radix: int


def build_dragonfly(asked: DragonflyAsked) -> Fabric:
    """The balanced dragonfly of whole groups. Raises WeftError with the sizes nearest to it."""
    each = (asked.radix + 1) // 4
    if not each:
        raise WeftError(
            f"a switch of a dragonfly has at least {LEAST_RADIX} ports, not {asked.radix}",
            f"use --switch {LEAST_RADIX} or more",
        )
    in_group = 2 * each
    whole = in_group * each
    groups, rest = divmod(asked.nodes, whole)
    most = in_group * each + 1
    if rest or not 2 <= groups <= most:
        sizes = sorted({min(max(n, 2), most) * whole for n in (groups, groups + 1)})
        raise WeftError(
            f"{counted(asked.nodes, 'node')} {verb_of(asked.nodes, 'are')} not 2 to {most} whole"
            f" groups of {counted(in_group, 'switch')} with"
            f" {counted(each, 'node')} each, which is what {counted(asked.radix, 'port')} permit",
            f"use --nodes {' or '.join(map(str, sizes))}",
        )
    between = in_group * each // (groups - 1)
    trunks = [*_local(groups, in_group), *_global(groups, in_group, each, between)]
    # SimGrid 3.32 cables group n to the n-th switch of each other group, and ends by a signal where
    # there is no n-th.
    has_zone = groups <= in_group
    zone = ("DRAGONFLY", f"{groups},{between};1,1;{in_group},1;{each}")
    # All groups look alike, but the switches of one do not.
    return Fabric(
        title=f"dragonfly of {counted(groups, 'group')}, {counted(in_group, 'switch')} each,"
        f" nodes per switch: {each}",
        nodes=asked.nodes,
        switches=(FabricSwitch("router", asked.radix, each),) * (groups * in_group),
        trunks=tuple(trunks),
        views=tuple((place, groups) for place in range(in_group)),
        spread=f"cables between every two groups: {between}",
        groups=groups,
        zone=zone if has_zone else ("", ""),
        irregular="" if has_zone else "it has more groups than switches in a group",
    )


def _local(groups: int, in_group: int) -> Iterator[Trunk]:
    for group in range(groups):
        first = group * in_group
        for one in range(in_group):
            for other in range(one + 1, in_group):
                yield Trunk(first + one, first + other, 1, "local")


def _global(groups: int, in_group: int, each: int, between: int) -> Iterator[Trunk]:
    """A group's cables to the group n places on take its n-th lot of ports, whichever group."""
    for group in range(groups):
        for other in range(group + 1, groups):
            cables: dict[tuple[int, int], int] = {}
            for n in range(between):
                here = (other - group - 1) * between + n
                there = (groups - (other - group) - 1) * between + (between - 1 - n)
                ends = group * in_group + here // each, other * in_group + there // each
                cables[ends] = cables.get(ends, 0) + 1
            for (one, end), count in cables.items():
                yield Trunk(one, end, count, "global")
