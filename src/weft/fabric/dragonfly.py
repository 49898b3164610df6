"""Dragonflies: groups in which every switch has a cable to each other one, and cables between all
groups (Kim, Dally, Scott and Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA
2008). Balanced as there in section 3.1: a switch has p nodes and p global cables, a group 2p
switches. The last group may have fewer switches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.fabric.tree_search import shares
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_RADIX = 3


class DragonflyAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A dragonfly as it is asked for: nodes, and ports of a switch."""

    nodes: int
    radix: int


def build_dragonfly(asked: DragonflyAsked) -> Fabric:
    """The balanced dragonfly. Raises WeftError with the sizes nearest to it."""
    each = (asked.radix + 1) // 4
    if not each:
        raise WeftError(
            f"a switch of a dragonfly has at least {LEAST_RADIX} ports, not {asked.radix}",
            f"use --switch {LEAST_RADIX} or more",
        )
    sizes = _sizes(asked.nodes, each)
    if sizes is None:
        raise _none(asked, each)
    groups, in_group, of_last = sizes.groups, 2 * each, len(sizes.last)
    is_whole = sizes.last == [each] * in_group
    trunks = [
        *_local(groups, in_group, of_last),
        *global_trunks(groups, in_group, each, of_last=of_last),
    ]
    # SimGrid 3.32 cables group n to the n-th switch of each other group, and ends by a signal where
    # there is no n-th.
    has_zone = groups <= in_group and is_whole
    zone = ("DRAGONFLY", f"{groups},{sizes.between};1,1;{in_group},1;{each}")
    nodes = [each] * (in_group * (groups - 1)) + sizes.last
    partial = f", {counted(of_last, 'switch')} in the last" if of_last < in_group else ""
    between = f"{sizes.between}"
    if sizes.between_last < sizes.between:
        between += f", and {sizes.between_last} to the last"
    return Fabric(
        title=f"dragonfly of {counted(groups, 'group')}, {counted(in_group, 'switch')}"
        f" each{partial}, nodes per switch: {each}{' or fewer' if min(nodes) < each else ''}",
        nodes=asked.nodes,
        switches=tuple(FabricSwitch("router", asked.radix, own) for own in nodes),
        trunks=tuple(trunks),
        # All whole groups look alike, but the switches of one do not.
        views=tuple((place, groups) for place in range(in_group))
        if is_whole
        else tuple((place, 1) for place in range(len(nodes))),
        spread=f"cables between every two groups: {between}",
        groups=groups,
        zone=zone if has_zone else ("", ""),
        irregular="" if has_zone else _irregular(is_whole=is_whole),
    )


def _irregular(*, is_whole: bool) -> str:
    return (
        "it has more groups than switches in a group" if is_whole else "its last group is smaller"
    )


class _Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Groups, the nodes of each switch of the last one, and cables between two groups."""

    groups: int
    last: list[int]
    between: int
    between_last: int


def _sizes(nodes: int, each: int) -> _Sizes | None:
    """Sizes of a dragonfly with this many nodes; None if cables cannot join all groups."""
    in_group = 2 * each
    groups = -(-nodes // (in_group * each))
    if not 2 <= groups <= in_group * each + 1:
        return None
    rest = nodes - (groups - 1) * in_group * each
    last = shares(rest, -(-rest // each))
    between, between_last = _lots(groups, each, (in_group, len(last)))
    if not between_last:
        return None
    return _Sizes(groups=groups, last=last, between=between, between_last=between_last)


def _lots(groups: int, each: int, sizes: tuple[int, int]) -> tuple[int, ...]:
    """Cables from a group to each other one, for groups of these numbers of switches."""
    return tuple(switches * each // (groups - 1) for switches in sizes)


def _none(asked: DragonflyAsked, each: int) -> WeftError:
    """The refusal, with the nearest sizes that can be built."""
    in_group = 2 * each
    whole = in_group * each
    most = whole + 1
    below = range(min(asked.nodes, most * whole), whole, -1)
    above = range(max(asked.nodes, whole), most * whole + 1)
    near = [next((n for n in sizes if _sizes(n, each)), 0) for sizes in (below, above)]
    return WeftError(
        f"{counted(asked.nodes, 'node')} {verb_of(asked.nodes, 'are')} not 2 to {most}"
        f" groups of {counted(in_group, 'switch')} with {counted(each, 'node')} each, which is what"
        f" {counted(asked.radix, 'port')} permit, all joined by cables",
        f"use --nodes {' or '.join(str(n) for n in near if n)}",
    )


def _local(groups: int, in_group: int, of_last: int) -> Iterator[Trunk]:
    for group in range(groups):
        first = group * in_group
        size = of_last if group == groups - 1 else in_group
        for one in range(size):
            for other in range(one + 1, size):
                yield Trunk(first + one, first + other, 1, "local")


def global_trunks(
    groups: int, in_group: int, each: int, *, of_last: int, first: int = 0
) -> Iterator[Trunk]:
    """A group's cables to the group n places on take its n-th lot of ports, whichever group.

    The last group has `of_last` switches, and lots as small as its ports permit. The switches with
    global ports begin with the `first`.
    """
    between, between_last = _lots(groups, each, (in_group, of_last))
    for group in range(groups):
        for other in range(group + 1, groups):
            lot = between_last if other == groups - 1 else between
            cables: dict[tuple[int, int], int] = {}
            for n in range(lot):
                here = (other - group - 1) * between + n
                there = (groups - (other - group) - 1) * lot + (lot - 1 - n)
                ends = group * in_group + here // each, other * in_group + there // each
                cables[ends] = cables.get(ends, 0) + 1
            for (one, end), count in cables.items():
                yield Trunk(first + one, first + end, count, "global")
