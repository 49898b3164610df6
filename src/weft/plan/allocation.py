"""The nodes that ranks run on, and how many ranks each of them gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from weft.errors import WeftError
from weft.file_values import Small
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Placement = Literal["spread", "pack", "same-socket", "other-socket", "near-device"]
PLACEMENTS: tuple[str, ...] = get_args(Placement)
# Where nodes take their ranks in turn, and where a rank's place is one beside another's.
_IN_TURN = ("spread", "near-device")
_ON_SOCKETS = ("same-socket", "other-socket")
MOST_NODES = 100_000


class Allocation(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes that ranks run on, as they were asked for.

    Without `hosts` those that the launcher has by itself: this machine, or a site's allocation, of
    which the first `nodes`, or all with 0. With 0 `ranks_per_node` their number follows from
    `placement`: `pack` fills a node before the next, `spread` takes the nodes in turn. With
    `same-socket` and `other-socket` nodes are filled, and the ranks of a node are on cores of one
    socket, or of its sockets in turn; with `near-device` nodes take turns, and ranks are on cores
    near the device that they use. `command` starts the ranks there, if the user has a starter of
    their own.
    """

    hosts: tuple[str, ...] = ()
    nodes: Small = 0
    ranks_per_node: Small = 0
    placement: Placement = "spread"
    command: str = ""

    @property
    def takes_turns(self) -> bool:
        """Whether the nodes take ranks in turn; else one is filled before the next."""
        return self.placement in _IN_TURN

    @property
    def words(self) -> tuple[str, ...]:
        """What a rank is to know of it, as arguments of its command line."""
        binds = self.placement in (*_ON_SOCKETS, "near-device")
        return ("--placement", self.placement) if binds else ()

    def check_sockets(self, sockets: Mapping[str, int | None]) -> None:
        """Raises WeftError where a host has one socket, by the hosts' names, and two are needed."""
        lacking = [host for host, count in sockets.items() if count == 1]
        if self.placement == "other-socket" and lacking:
            raise WeftError(
                f"{', '.join(lacking)} has one socket, and --placement other-socket takes two",
                "use --placement same-socket, or name other hosts",
            )

    @property
    def usual_ranks(self) -> int:
        """How many ranks run where nobody says how many: as many as asked for on each node."""
        return max(2, (self.nodes or len(self.hosts)) * max(1, self.ranks_per_node))

    def chosen(self, hosts: tuple[str, ...]) -> tuple[str, ...]:
        """Of the hosts that a launcher has, those that were asked for.

        Raises WeftError where it has fewer.
        """
        known = self.hosts or hosts
        if self.nodes > len(known):
            raise WeftError(
                f"{counted(self.nodes, 'node')} {verb_of(self.nodes, 'were')} asked for, and there"
                f" {verb_of(len(known), 'are')} {len(known)}:"
                f" {', '.join(known)}",
                f"use --nodes {len(known)}, or ask for more",
            )
        return known[: self.nodes] if self.nodes else known


class RankLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How many nodes ranks take, and the most of them on one."""

    nodes: int
    each: int


def place_of(ranks: int, nodes: int, allocation: Allocation) -> tuple[RankLayout, bool]:
    """Where so many ranks go, and whether they take nodes in turn.

    Allocations alike in both, and in their `words`, put ranks on the same places. Raises WeftError
    where they do not fit.

    With one rank to a node, or on one node, no order matters.
    """
    layout = layout_of(ranks, nodes, allocation)
    has_order = layout.nodes > 1 and layout.each > 1
    return layout, has_order and allocation.takes_turns


def first_two_apart(ranks: int, nodes: int, allocation: Allocation) -> bool:
    """Whether ranks 0 and 1 are on different nodes. Raises WeftError as layout_of."""
    layout = layout_of(ranks, nodes, allocation)
    return layout.nodes > 1 and (allocation.takes_turns or layout.each == 1)


def layout_of(ranks: int, nodes: int, allocation: Allocation) -> RankLayout:
    """Where so many ranks go on so many nodes. Raises WeftError where they do not fit."""
    most = allocation.ranks_per_node
    if most and ranks > most * nodes:
        raise WeftError(
            f"{ranks:,} ranks do not fit {counted(nodes, 'node')} with {most} on each",
            f"use --ranks {most * nodes}, or more --nodes",
        )
    if allocation.takes_turns:
        taken = min(nodes, ranks)
        return RankLayout(nodes=taken, each=-(-ranks // taken))
    each = most or -(-ranks // nodes)
    if each < 2 and allocation.placement in _ON_SOCKETS:
        raise WeftError(
            f"--placement {allocation.placement} is for two ranks of a node, and each has one",
            "use --ranks-per-node 2",
        )
    return RankLayout(nodes=-(-ranks // each), each=each)
