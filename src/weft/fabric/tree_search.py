"""The cheapest fat tree: a search over leaves, uplinks, pods, spines and cores.

Every leaf has as many uplinks, and nodes are shared out so that leaves differ by one at most. A
spine has as many cables to each leaf of its pod ("even"), or one more to some ("any"). Spines at
the same places in their pods meet at the same cores. A core has as many cables from each pod, or
one more from some pods, unless it has line cards or a bisection is stated. Among these the cheapest
is found: nothing is skipped but what costs at least as much as what is found already.
So what is taken away, nodes or uplinks that were asked for, never makes it more expensive.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from math import ceil
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Spread = Literal["even", "any"]
# Price, switches, cables and leaves, of which the first that is less decides.
Key = tuple[float, int, int, int]


class SwitchPrice(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of switch costs. A modular one has as many line cards as its cables need."""

    radix: int
    price: float = 0.0
    card_ports: int = 0
    card_price: float = 0.0

    def of(self, ports: int) -> float:
        """The price of one with so many ports cabled."""
        return self.price + self.cards(ports) * self.card_price

    def cards(self, ports: int) -> int:
        """The line cards of one with so many ports cabled; none of a switch that is not modular."""
        return ceil(ports / self.card_ports) if self.card_ports else 0


class TreePrices(msgspec.Struct, frozen=True, kw_only=True):
    """What leaves, spines, cores and a cable between switches cost.

    Where all is zero the tree with the fewest switches is the cheapest, then with the fewest
    cables.
    """

    leaf: SwitchPrice
    spine: SwitchPrice
    core: SwitchPrice
    cable: float = 0.0


class TreeLayers(msgspec.Struct, frozen=True, kw_only=True):
    """How many of everything, and how many cables run upwards from a leaf and from a spine.

    `spines` are those of a pod. Cores are in `core_groups`, each of as many: the spines at every
    `core_groups`-th place of a pod share their uplinks out over the cores of a group; with
    `is_uneven` in turn, so that a core has one cable more from some pods. `alone` is the only
    switch there is.
    """

    leaves: int
    leaf_uplinks: int = 0
    pods: int = 1
    spines: int = 0
    spine_uplinks: int = 0
    cores: int = 0
    core_groups: int = 0
    is_uneven: bool = False
    alone: SwitchPrice | None = None


class Needs(Protocol):
    """The fewest cables upwards that a tree must have."""

    def uplinks(self, leaves: int) -> int:
        """Of each of so many leaves."""

    def uplinks_of_spine(self, leaves: int, uplinks: int, pods: int, spines: int) -> int:
        """Of each spine of so many in a pod; every leaf has so many uplinks."""

    def uplinks_of_all(self) -> int:
        """Of all leaves together, however many these are."""

    def ports_below(self, radix: int) -> int:
        """The most cables downwards of a spine that is itself below others."""

    def uplinks_of_spines(self, below: int) -> int:
        """Of all spines together, which have so many cables downwards."""


class BlockingNeeds(msgspec.Struct, frozen=True):
    """No switch has more cables from below over those upwards than its blocking."""

    nodes: int
    blocking: tuple[Fraction, Fraction]

    def uplinks(self, leaves: int) -> int:
        """Of each of so many leaves."""
        return ceil(ceil(self.nodes / leaves) / self.blocking[0])

    def uplinks_of_spine(self, leaves: int, uplinks: int, pods: int, spines: int) -> int:
        """Of each spine of so many in a pod."""
        return ceil(ceil(leaves / pods) * (uplinks // spines) / self.blocking[1])

    def uplinks_of_all(self) -> int:
        """Of all leaves together."""
        return ceil(self.nodes / self.blocking[0])

    def ports_below(self, radix: int) -> int:
        """The most cables downwards of a spine below cores."""
        return ports_down(radix, self.blocking[1])[0]

    def uplinks_of_spines(self, below: int) -> int:
        """Of all spines together."""
        return ceil(below / self.blocking[1])


class BisectionNeeds(msgspec.Struct, frozen=True):
    """The first half of the nodes sends to the second over so many cables at once.

    Half of all uplinks of leaves, and of pods, are as many: nothing of it is met by what stays in a
    leaf or pod in which both halves have nodes.
    """

    nodes: int
    cables: int

    def uplinks(self, leaves: int) -> int:
        """Of each of so many leaves."""
        enough = _least(
            ceil(self.nodes / leaves),
            lambda up: tree_flow(self.nodes, leaves, up) >= self.cables,
        )
        return max(enough, ceil(self.uplinks_of_all() / leaves))

    def uplinks_of_spine(self, leaves: int, uplinks: int, pods: int, spines: int) -> int:
        """Of each spine of so many in a pod."""
        of_a_pod = _least(
            ceil(leaves / pods) * uplinks,
            lambda up: tree_flow(self.nodes, leaves, uplinks, pods, up) >= self.cables,
        )
        return max(ceil(of_a_pod / spines), ceil(self.uplinks_of_all() / (pods * spines)))

    def uplinks_of_all(self) -> int:
        """Of all leaves together, and of all pods: an odd cable is for one half's way out."""
        return 2 * self.cables - 1

    def ports_below(self, radix: int) -> int:
        """The most cables downwards of a spine below cores."""
        return radix - 1

    def uplinks_of_spines(self, below: int) -> int:  # noqa: ARG002 - it hangs on no cable below
        """Of any number of spines, those of one pod or of all."""
        return 0


@cache
def ports_down(radix: int, blocking: Fraction) -> tuple[int, int]:
    """The most ports downwards, and the fewest upwards that keep the blocking.

    Kept, for a search asks thousands of times for the same.
    """
    down = next((n for n in range(radix - 1, 0, -1) if n + ceil(n / blocking) <= radix), 0)
    return down, ceil(down / blocking)


def _least(most: int, is_enough: Callable[[int], bool]) -> int:
    """The least number up to `most` that is enough, where every larger one is too."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low


def tree_flow(
    nodes: int, leaves: int, uplinks: int, pods: int = 1, pod_uplinks: int | None = None
) -> int:
    """The cables over which the first half of the nodes can send to the second at once.

    Every leaf has so many uplinks and every pod so many to the cores; None: any. Messages spread
    ideally. On a tree what can stay below a switch does, and the rest goes up as far as it fits.
    """
    below, of_pods = _within_pods(nodes, leaves, uplinks, pods)
    return below + min(_sides([_cut(own, pod_uplinks) for own in of_pods]))


# A search asks of the same leaves and pods again and again, with other uplinks above them.
@lru_cache(maxsize=64)
def _within_pods(nodes: int, leaves: int, uplinks: int, pods: int) -> tuple[int, list[int]]:
    """What the halves exchange within leaves and pods, and what each pod has left to send."""
    below, ups, downs = _within_leaves(nodes, leaves, uplinks)
    last = 0
    of_pods = []
    for count in shares(leaves, pods):
        first, last = last, last + count
        up, down = ups[last] - ups[first], downs[last] - downs[first]
        below += min(up, down)
        of_pods.append(up - down)
    return below, of_pods


@lru_cache(maxsize=64)
def _within_leaves(nodes: int, leaves: int, uplinks: int) -> tuple[int, list[int], list[int]]:
    """What the halves exchange within leaves; what all leaves before each send up, and take."""
    import numpy as np

    sizes = np.array(shares(nodes, leaves))
    firsts = np.cumsum(sizes) - sizes
    sends = np.clip(nodes // 2 - firsts, 0, sizes)
    surplus = np.clip(2 * sends - sizes, -uplinks, uplinks)
    ups, downs = ([0, *np.cumsum(np.maximum(one, 0)).tolist()] for one in (surplus, -surplus))
    return int(np.minimum(sends, sizes - sends).sum()), ups, downs


def _sides(surplus: Sequence[int]) -> tuple[int, int]:
    """What leaves want to send, and what they can take."""
    return sum(max(one, 0) for one in surplus), sum(max(-one, 0) for one in surplus)


def _cut(surplus: int, most: int | None) -> int:
    return surplus if most is None else max(-most, min(most, surplus))


def shares(number: int, parts: int) -> list[int]:
    """A number in so many whole parts that differ by one at most, the larger ones first."""
    least, more = divmod(number, parts)
    return [least + 1] * more + [least] * (parts - more)


class TreeSearch:
    """What is asked of a tree, and the cheapest one that is found so far."""

    def __init__(self, nodes: int, needs: Needs, prices: TreePrices, spread: Spread) -> None:
        self._nodes = nodes
        self._needs = needs
        self._prices = prices
        self._spread = spread
        # A stated bisection is counted for cores that have as many cables from each pod.
        self._has_uneven = not prices.core.card_ports and isinstance(needs, BlockingNeeds)
        self._may_be_uneven = False
        self._best: tuple[Key, TreeLayers] | None = None

    @property
    def found(self) -> TreeLayers | None:
        """The cheapest of what was searched; None where nothing can be built."""
        return self._best[1] if self._best else None

    def one_switch(self) -> None:
        """The cheapest switch that has ports for all; of several the one with the fewest ports."""
        kinds = {
            one.radix: one for one in (self._prices.leaf, self._prices.spine, self._prices.core)
        }
        for _, one in sorted(kinds.items()):
            if one.radix >= self._nodes:
                self._take(TreeLayers(leaves=1, alone=one))

    def two_levels(self) -> None:
        """Leaves below spines."""
        spine = self._prices.spine
        for leaves, least in self._leaves(min(self._nodes, spine.radix), self._fewest_spines):
            fullest = ceil(self._nodes / leaves)
            for spines in range(ceil(leaves * least / spine.radix), self._room(fullest) + 1):
                if self._is_dear(leaves, leaves * least, spines):
                    break
                up = ceil(least / spines) * spines if self._spread == "even" else max(least, spines)
                if up <= self._room(fullest) and ceil(leaves * up / spines) <= spine.radix:
                    self._take(TreeLayers(leaves=leaves, leaf_uplinks=up, spines=spines))

    def three_levels(self) -> None:
        """Pods of leaves and spines below cores, evenly cabled ones where they cost as little."""
        for may_be_uneven in (False, True)[: 1 + self._has_uneven]:
            self._may_be_uneven = may_be_uneven
            for leaves, least in self._leaves(self._nodes, self._fewest_of_pods):
                for pods in range(2, min(leaves, self._prices.core.radix) + 1):
                    self._pods(leaves, least, pods)

    def _fewest_spines(self, uplinks: int) -> tuple[int, int, int]:
        """The fewest spines and cores above so many uplinks of leaves, and the cables of both."""
        return ceil(uplinks / self._prices.spine.radix), 0, uplinks

    def _fewest_of_pods(self, uplinks: int) -> tuple[int, int, int]:
        more = self._needs.uplinks_of_spines(uplinks)
        spines = ceil(uplinks / max(1, self._needs.ports_below(self._prices.spine.radix)))
        return max(2, spines), max(1, ceil(more / self._prices.core.radix)), uplinks + more

    def _leaves(
        self, most: int, fewest: Callable[[int], tuple[int, int, int]]
    ) -> Iterator[tuple[int, int]]:
        """So many leaves with the fewest uplinks of each, as long as they might be cheaper."""
        radix = self._prices.leaf.radix
        for leaves in range(max(2, ceil(self._nodes / (radix - 1))), most + 1):
            spines, cores, cables = fewest(self._needs.uplinks_of_all())
            if self._is_dear(leaves, cables, spines, cores):
                return
            least = self._needs.uplinks(leaves)
            spines, cores, cables = fewest(leaves * least)
            if ceil(self._nodes / leaves) + least <= radix and not self._is_dear(
                leaves, cables, spines, cores
            ):
                yield leaves, least

    def _pods(self, leaves: int, least: int, pods: int) -> None:
        """All trees of so many leaves and pods."""
        radix, fullest = self._prices.spine.radix, ceil(self._nodes / leaves)
        of_a_pod, below = ceil(leaves / pods), self._needs.ports_below(radix)
        _, cores, cables = self._fewest_of_pods(leaves * least)
        cores = max(
            cores, self._fewest_cores(pods, self._needs.uplinks_of_spines(of_a_pod * least))
        )
        for spines in range(ceil(of_a_pod * least / max(1, below)), self._room(fullest) + 1):
            if self._is_dear(leaves, cables, pods * spines, cores):
                return
            up = ceil(least / spines) * spines
            down = of_a_pod * (up // spines)
            if up > self._room(fullest) or down > below:
                continue
            layers = TreeLayers(leaves=leaves, leaf_uplinks=up, pods=pods, spines=spines)
            self._cores(layers, radix - down)

    def _cores(self, layers: TreeLayers, room: int) -> None:
        """All trees of such pods, whose spines have room for so many uplinks."""
        leaves, pods, spines = layers.leaves, layers.pods, layers.spines
        radix = self._prices.core.radix
        below = leaves * layers.leaf_uplinks
        least = self._needs.uplinks_of_spine(leaves, layers.leaf_uplinks, pods, spines)
        for up in range(least, room + 1):
            cables = pods * spines * up
            fewest = self._fewest_cores(pods, spines * up)
            if self._is_dear(leaves, below + cables, pods * spines, fewest):
                return
            pairs = _meetings(spines, up, radix // pods)
            # More cores with fewer cables each may need fewer line cards.
            for places, each in pairs if self._prices.core.card_ports else [max(pairs, key=_width)]:
                groups = spines // places
                self._take(
                    msgspec.structs.replace(
                        layers, spine_uplinks=up, cores=groups * (up // each), core_groups=groups
                    )
                )
            if self._may_be_uneven:
                self._take(
                    msgspec.structs.replace(
                        layers, spine_uplinks=up, cores=fewest, core_groups=1, is_uneven=True
                    )
                )

    def _fewest_cores(self, pods: int, of_a_pod: int) -> int:
        """The fewest cores of so many pods with so many cables upwards each."""
        if self._may_be_uneven:
            return ceil(pods * of_a_pod / self._prices.core.radix)
        # A core has as many ports for each pod.
        return ceil(of_a_pod / (self._prices.core.radix // pods))

    def _room(self, nodes: int) -> int:
        return self._prices.leaf.radix - nodes

    def _is_dear(self, leaves: int, cables: int, spines: int, cores: int = 0) -> bool:
        """Whether no tree of so many at least can be cheaper than the one that is found."""
        if self._best is None:
            return False
        of = self._prices
        price = leaves * of.leaf.price + spines * of.spine.price + cores * of.core.price
        key = price + cables * of.cable, leaves + spines + cores, cables, leaves
        return key >= self._best[0]

    def _take(self, layers: TreeLayers) -> None:
        key = key_of(self._nodes, layers, self._prices)
        if self._best is None or key < self._best[0]:
            self._best = key, layers


def _meetings(spines: int, uplinks: int, most: int) -> list[tuple[int, int]]:
    """How many places of a pod meet at a core, and with how many cables each: `most` in all."""
    return [
        (places, each)
        for places in _divisors(spines, most)
        for each in _divisors(uplinks, most // places)
    ]


def _width(pair: tuple[int, int]) -> tuple[int, int]:
    places, each = pair
    return places * each, places


def _divisors(number: int, most: int) -> list[int]:
    return [n for n in range(1, min(number, most) + 1) if number % n == 0]


def key_of(nodes: int, layers: TreeLayers, prices: TreePrices) -> Key:
    """What decides between two trees; adapters and the cables of nodes are the same in both."""
    if layers.alone:
        return layers.alone.of(nodes), 1, 0, 1
    leaves, uplinks = layers.leaves, layers.leaf_uplinks
    spines = layers.spines * layers.pods
    cables = leaves * uplinks + spines * layers.spine_uplinks
    price = cables * prices.cable + _price(prices.leaf, nodes, leaves, uplinks)
    least, more = divmod(leaves, layers.pods)
    for pods, own in ((more, least + 1), (layers.pods - more, least)) if spines else ():
        price += pods * _price(prices.spine, own * uplinks, layers.spines, layers.spine_uplinks)
    if layers.cores:
        price += _price(prices.core, spines * layers.spine_uplinks, layers.cores, 0)
    return price, leaves + spines + layers.cores, cables, leaves


def _price(switch: SwitchPrice, below: int, count: int, above: int) -> float:
    """Of so many switches, over which cables from below are shared out, each with so many above."""
    least, more = divmod(below, count)
    return more * switch.of(least + 1 + above) + (count - more) * switch.of(least + above)
