"""A topology before its hosts are known, as it was typed or as a record keeps it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric, host_of, known_of, on_endpoints
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.record.model import KeptGroup, KeptTopology
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS_LIKE = 'use one like "fat-tree 24/288 half", "torus 24 8x8x4" or "dragonfly 24"'
# The most pairs of hosts whose routes a record keeps of a file. Of typed words it keeps the words.
MOST_KEPT_WAYS = 1 << 17


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a fabric before its hosts are: the fabric, or words to build it by.

    `typed` are the words after --topology.
    """

    fabric: KnownFabric = KnownFabric()
    asked: FabricAsked | None = None
    routing: str = ""
    typed: tuple[str, ...] = ()

    def on(self, endpoints: Sequence[str]) -> KnownFabric:
        """The fabric of these endpoints; of words, their hosts fill it in this order.

        Raises WeftError where it does not have them.
        """
        fabric = self.fabric
        if self.asked is not None:
            fabric = self._built(list(dict.fromkeys(map(host_of, endpoints))), self.asked)
        return on_endpoints(msgspec.structs.replace(fabric, typed=self.typed), endpoints)

    def _built(self, hosts: list[str], asked: FabricAsked) -> KnownFabric:
        try:
            built = build_fabric(msgspec.structs.replace(asked, nodes=len(hosts)))
        except WeftError as error:
            # Whoever prices a fabric chooses its nodes, and has options of more than words.
            raise WeftError(
                f"'{' '.join(self.typed)}' does not fit {counted(len(hosts), 'host')}, {hosts[0]}"
                f" to {hosts[-1]}: {error.what}",
                f"{WORDS_LIKE}, which these hosts fill",
            ) from None
        known = known_of(built, hosts, self.routing)
        return known if self.routing else msgspec.structs.replace(known, ways={})

    def kept(self, hosts: Sequence[str]) -> KeptTopology:
        """The form for the record of a map of these hosts. Raises WeftError as `on` does."""
        fabric = self.on(hosts)
        if self.asked is not None:
            usual = msgspec.structs.asdict(FabricAsked(nodes=0))
            every = msgspec.structs.asdict(self.asked)
            asked = {name: one for name, one in every.items() if one != usual[name]}
            return KeptTopology(typed=self.typed, asked=asked, routing=self.routing)
        names = dict.fromkeys(chain.from_iterable(fabric.ways.values()))
        links = {name: at for at, name in enumerate(names)}
        ways: dict[str, dict[str, tuple[int, ...]]] = {}
        if len(fabric.ways) <= MOST_KEPT_WAYS:
            for (one, other), way in fabric.ways.items():
                ways.setdefault(one, {})[other] = tuple(links[name] for name in way)
        groups = tuple(
            KeptGroup(
                name=one.name,
                members=tuple(sorted(one.members)),
                level=one.level,
                absent=one.absent,
            )
            for one in fabric.groups
        )
        return KeptTopology(
            typed=self.typed, groups=groups, links=tuple(links), ways=ways, cables=fabric.cables
        )


def topology_kept(kept: KeptTopology) -> Topology:
    """The topology that a record keeps."""
    if kept.asked:
        asked = msgspec.convert({"nodes": 0, **kept.asked}, FabricAsked)
        return Topology(asked=asked, routing=kept.routing, typed=kept.typed)
    groups = tuple(
        # A host that was not measured is below the switch too.
        Group(name=one.name, members=frozenset((*one.members, *one.absent)), level=one.level)
        for one in kept.groups
    )
    ways = {
        (one, other): tuple(kept.links[at] for at in way)
        for one, others in kept.ways.items()
        for other, way in others.items()
    }
    fabric = KnownFabric(groups=groups, ways=ways, cables=kept.cables)
    return Topology(fabric=fabric, typed=kept.typed)
