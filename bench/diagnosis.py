"""How often `weft map` names the right culprit, on planted faults and noise as records have it.

    .venv/bin/python -m bench.diagnosis                # the table, some hours at 1,024 nodes
    .venv/bin/python -m bench.diagnosis --trials 20 --nodes 64

Prints one Markdown row per result, for docs/validation/map.md. Nothing is measured. The times of
all pairs are drawn at random, in the order of the engine's rounds: each launch and each round has
an effect of its own, and every time scatters by 2 %, with skew and outliers. A faulty part is 4 %
slower. The first answer counts as right if it reports the planted fault, alone or among the causes
that slow the same pairs; of two faults it must report both. Any answer on a healthy fabric is a
false alarm.

A node that is delayed now and then is found in means over medians: 40 samples of each way are
drawn, of a healthy one with the same scatter and outliers, and of the node's one of ten takes four
times as long. Right is that it alone is said to be delayed.
"""

from __future__ import annotations

import argparse
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.noise import deviates
from bench.tables import markdown, row_of_cells
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.delays import delayed_in
from weft.analysis.diagnosis.diagnose import diagnose
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import LEVEL_OF_HOST, Group, KnownFabric, known_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.plan.rounds import partners_in, usual_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.diagnosis.diagnose import FoundCause

SEED = 20261123
TRIALS = 100
SCATTER = 0.02
LAUNCHES = 3
# By the number of nodes the ports of a switch, and so the nodes of a leaf: half of them.
SWITCHES = {16: 8, 64: 16, 256: 32, 1024: 64}
SIZES = (4, 8, 16, 64, 256, 1024)
# Of a way in a launch; how many of a delayed node's take how many times as long.
SAMPLES = 40
DELAYED = 0.1
DELAY = 4.0


class Drawn(NamedTuple):
    """Who is in each value of a map, how far along it was (0 to 1), and whether beyond a leaf."""

    names: tuple[str, ...]
    source: np.ndarray
    target: np.ndarray
    visit: np.ndarray
    progress: np.ndarray
    is_apart: np.ndarray


class Planted(NamedTuple):
    """A fault: what the diagnosis has to name, and by how many effects each value is slower."""

    causes: tuple[Cause, ...]
    slower: np.ndarray


def values_of(names: tuple[str, ...], fabric: KnownFabric) -> Drawn:
    """The rounds of a map of these endpoints, the same ones in each launch."""
    count = len(names)
    rounds = [np.array(partners_in(point, count)) for point in range(usual_rounds(count))]
    source = np.concatenate([np.flatnonzero(one < count) for one in rounds])
    target = np.concatenate([one[one < count] for one in rounds])
    turn = np.repeat(np.arange(len(rounds)), [int((one < count).sum()) for one in rounds])
    apart = np.array([bool(fabric.ways.get((a, b))) for a in names for b in names])
    launch = np.repeat(np.arange(LAUNCHES), len(source))
    visit = launch * len(rounds) + np.tile(turn, LAUNCHES)
    return Drawn(
        names=names,
        source=np.tile(source, LAUNCHES),
        target=np.tile(target, LAUNCHES),
        visit=visit,
        progress=visit / visit.max(),
        is_apart=np.tile(apart[source * count + target], LAUNCHES),
    )


def endpoints_of(nodes: int, ports: int) -> tuple[str, ...]:
    """The names as a map has them: with the port where a node has several."""
    return tuple(
        f"n{node}" if ports == 1 else f"n{node}/{ports * node + port}"
        for node in range(nodes)
        for port in range(ports)
    )


@lru_cache(maxsize=2)
def fabric_of(nodes: int, ports: int) -> KnownFabric:
    """A fat tree with static routes where there are enough nodes for four leaves.

    Of nodes with several ports nothing is known but who is on which node.
    """
    names = endpoints_of(nodes, ports)
    if ports > 1:
        hosts = [frozenset(names[at : at + ports]) for at in range(0, len(names), ports)]
        return KnownFabric(
            groups=tuple(
                Group(name=f"host n{at}", members=own, level=LEVEL_OF_HOST)
                for at, own in enumerate(hosts)
            )
        )
    if nodes not in SWITCHES:
        return KnownFabric()
    asked = FabricAsked(nodes=nodes, switch=str(SWITCHES[nodes]))
    return known_of(build_fabric(asked), names, "d-mod-k")


def times_of(random: np.random.Generator, drawn: Drawn, slower: np.ndarray) -> PairTimes:
    """The times, ns: 1 us in a leaf and 1.5 us beyond it."""
    shape = drawn.source.shape
    kind = ("skewed", "outliers")[int(random.integers(2))]
    logs = SCATTER * (deviates(random, kind, shape) + 2 * slower)
    outliers = random.random(shape) < 0.01
    logs += outliers * random.exponential(0.3, shape)
    # What runs at once, and a launch as a whole, has an effect of its own.
    logs += (SCATTER / 2 * random.standard_normal(int(drawn.visit.max()) + 1))[drawn.visit]
    logs += 0.4 * drawn.is_apart
    return PairTimes(
        names=drawn.names,
        source=drawn.source,
        target=drawn.target,
        visit=drawn.visit,
        time_ns=1000 * np.exp(logs),
    )


def _node(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    del fabric
    bad = int(random.integers(len(drawn.names)))
    hit = (drawn.source == bad) | (drawn.target == bad)
    return Planted((Cause("node", drawn.names[bad]),), hit.astype(float))


def _sending(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    del fabric
    bad = int(random.integers(len(drawn.names)))
    return Planted((Cause("send", drawn.names[bad]),), (drawn.source == bad).astype(float))


def _receiving(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    del fabric
    bad = int(random.integers(len(drawn.names)))
    return Planted((Cause("receive", drawn.names[bad]),), (drawn.target == bad).astype(float))


def _two(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    first = _node(random, drawn, fabric)
    second = first
    while second.causes == first.causes:
        second = _node(random, drawn, fabric)
    return Planted(first.causes + second.causes, np.maximum(first.slower, second.slower))


def _noisy(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    """A job beside ours on a node: it slows every second message, twice as much."""
    found = _node(random, drawn, fabric)
    return Planted(found.causes, 2 * found.slower * (random.random(len(drawn.source)) < 0.5))


def _hot(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    """It slows down as it runs, by as much on average."""
    found = _node(random, drawn, fabric)
    return Planted(found.causes, 2 * found.slower * drawn.progress)


def _leaf(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    group = fabric.groups[int(random.integers(len(fabric.groups)))]
    has = np.array([name in group.members for name in drawn.names])
    return Planted(
        (Cause("group", group.name),), (has[drawn.source] | has[drawn.target]).astype(float)
    )


def _uplinks(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    """All ways out of a leaf, and none into it."""
    group = fabric.groups[int(random.integers(len(fabric.groups)))]
    has = np.array([name in group.members for name in drawn.names])
    return Planted(
        (Cause("out of", group.name),), (has[drawn.source] & ~has[drawn.target]).astype(float)
    )


@lru_cache(maxsize=2)
def links_taken(nodes: int) -> tuple[str, ...]:
    """What messages pass on the fabric of so many nodes."""
    ways = fabric_of(nodes, 1).ways
    return tuple(sorted({one for way in ways.values() for one in way}))


def _hit(drawn: Drawn, fabric: KnownFabric, bad: set[str]) -> np.ndarray:
    """1 where a message passes one of these links, else 0: each launch has the same pairs."""
    names, first = drawn.names, len(drawn.source) // LAUNCHES
    pairs = zip(drawn.source[:first].tolist(), drawn.target[:first].tolist(), strict=True)
    own = [not bad.isdisjoint(fabric.ways.get((names[i], names[j]), ())) for i, j in pairs]
    return np.tile(np.array(own, dtype=float), LAUNCHES)


def _passing(
    starts: str,
) -> Callable[[np.random.Generator, Drawn, KnownFabric], Planted]:
    """A cable or a spine, one that messages take."""

    def planted(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
        links = [one for one in links_taken(len(drawn.names)) if one.startswith(starts)]
        bad = links[int(random.integers(len(links)))]
        return Planted((Cause("link", bad),), _hit(drawn, fabric, {bad}))

    return planted


def _cable(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> Planted:
    """Both links of a cable."""
    bad = sorted(fabric.cables)[int(random.integers(len(fabric.cables)))]
    return Planted((Cause("cable", bad),), _hit(drawn, fabric, {*fabric.cables[bad]}))


# By name, with the fewest nodes that tell it from others, and the ports of a node.
FAULTS = {
    "a slow node": (4, 1, _node),
    "slow when it sends": (4, 1, _sending),
    "slow when it receives": (4, 1, _receiving),
    "one port of two": (4, 2, _node),
    "two slow nodes": (8, 1, _two),
    "a noisy neighbour on a node": (4, 1, _noisy),
    "a node that slows as it warms up": (4, 1, _hot),
    "a whole leaf": (16, 1, _leaf),
    "the ways out of a leaf (routes differ by direction)": (16, 1, _uplinks),
    "one cable between switches, one way": (16, 1, _passing("cable")),
    "one cable between switches, both ways": (16, 1, _cable),
    "a spine": (16, 1, _passing("spine")),
}


def is_right(
    random: np.random.Generator, drawn: Drawn, fabric: KnownFabric, planted: Planted
) -> bool:
    """Whether the first findings name the planted causes: each once, or all in one group."""
    found = diagnose(times_of(random, drawn, planted.slower), fabric).findings
    wanted = set(planted.causes)
    if found and found[0].others:
        return set(found[0].causes) == wanted
    first = found[: len(wanted)]
    named = [wanted & set(one.causes) for one in first]
    return len(first) == len(wanted) and all(named) and set().union(*named) == wanted


def row_of(name: str, sizes: tuple[int, ...], trials: int) -> tuple[str, ...]:
    """Of 100 faults, how many were named right, by the number of nodes."""
    fewest, ports, fault = FAULTS[name]
    cells = []
    for nodes in sizes:
        if nodes < fewest:
            cells.append("-")
            continue
        random = np.random.default_rng([SEED, nodes])
        fabric = fabric_of(nodes, ports)
        drawn = values_of(endpoints_of(nodes, ports), fabric)
        right = sum(
            is_right(random, drawn, fabric, fault(random, drawn, fabric)) for _ in range(trials)
        )
        cells.append(f"{100 * right / trials:.0f}")
    return (name, *cells)


def disturbances(random: np.random.Generator, drawn: Drawn, fabric: KnownFabric) -> np.ndarray:
    """By how many effects each value is slower: each leaf has a scatter of its own by the round.

    It is as large as the effect of a fault, and no leaf is slower than another for long.
    """
    number = np.zeros(len(drawn.names), dtype=int)
    for at, group in enumerate(fabric.groups):
        number[[name in group.members for name in drawn.names]] = at
    of = random.standard_normal((int(drawn.visit.max()) + 1, max(1, len(fabric.groups))))
    slower: np.ndarray = of[drawn.visit, number[drawn.source]]
    slower += drawn.is_apart * of[drawn.visit, number[drawn.target]]
    return slower


def false_alarms(
    sizes: tuple[int, ...], trials: int, *, is_disturbed: bool = False
) -> tuple[str, ...]:
    """Of 100 healthy fabrics, how many have an answer; or of those whose leaves are disturbed."""
    cells = []
    for nodes in sizes:
        if is_disturbed and nodes not in SWITCHES:
            cells.append("-")
            continue
        random = np.random.default_rng([SEED, 1, nodes])
        fabric = fabric_of(nodes, 1)
        drawn = values_of(endpoints_of(nodes, 1), fabric)
        nothing = np.zeros(len(drawn.source))
        alarms = 0
        for _ in range(trials):
            slower = disturbances(random, drawn, fabric) if is_disturbed else nothing
            alarms += bool(diagnose(times_of(random, drawn, slower), fabric).findings)
        cells.append(f"{100 * alarms / trials:.0f}")
    what = "healthy, leaves disturbed by the round" if is_disturbed else "healthy"
    return (f"**{what}: a cause is reported, %**", *cells)


def delays_of(random: np.random.Generator, drawn: Drawn, bad: str) -> PairTimes:
    """Mean over median of each way's samples: those of one node are delayed, or nobody's."""
    shape = (len(drawn.source), SAMPLES)
    kind = ("skewed", "outliers")[int(random.integers(2))]
    logs = SCATTER * deviates(random, kind, shape)
    logs += (random.random(shape) < 0.01) * random.exponential(0.3, shape)
    names = np.array(drawn.names)
    hit = (names[drawn.source] == bad) | (names[drawn.target] == bad)
    logs += np.log(DELAY) * (hit[:, None] & (random.random(shape) < DELAYED))
    times = np.exp(logs)
    return PairTimes(
        names=drawn.names,
        source=drawn.source,
        target=drawn.target,
        visit=drawn.visit,
        time_ns=times.mean(axis=1) / np.median(times, axis=1),
    )


def delayed_row(sizes: tuple[int, ...], trials: int, *, is_healthy: bool) -> tuple[str, ...]:
    """Of 100 maps with a node that is delayed now and then, how many name it and nobody else.

    Or of healthy ones, how many say that somebody is delayed.
    """
    cells = []
    for nodes in sizes:
        random = np.random.default_rng([SEED, 2, nodes])
        fabric = fabric_of(nodes, 1)
        drawn = values_of(endpoints_of(nodes, 1), fabric)
        told = 0
        for _ in range(trials):
            bad = "" if is_healthy else drawn.names[int(random.integers(nodes))]
            found = delayed_in(delays_of(random, drawn, bad), fabric)
            told += bool(found) if is_healthy else _names(found, bad)
        cells.append(f"{100 * told / trials:.0f}")
    what = "**healthy: a delay is reported, %**" if is_healthy else "a node delayed now and then"
    return (what, *cells)


def _names(found: Sequence[FoundCause], node: str) -> bool:
    return len(found) == 1 and Cause("node", node) in found[0].causes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.diagnosis",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each kind")
    parser.add_argument("--nodes", type=int, nargs="*", choices=SIZES, default=SIZES)
    asked = parser.parse_args()
    sizes = tuple(asked.nodes)
    head = ("planted fault, % reported right", *(f"{nodes} nodes" for nodes in sizes))
    print(markdown([head]), flush=True)
    for name in FAULTS:
        print(row_of_cells(row_of(name, sizes, asked.trials)), flush=True)
    print(row_of_cells(delayed_row(sizes, asked.trials, is_healthy=False)), flush=True)
    print(row_of_cells(false_alarms(sizes, asked.trials)), flush=True)
    print(row_of_cells(false_alarms(sizes, asked.trials, is_disturbed=True)), flush=True)
    print(row_of_cells(delayed_row(sizes, asked.trials, is_healthy=True)), flush=True)


if __name__ == "__main__":
    main()
