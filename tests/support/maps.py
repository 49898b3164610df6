"""Records of maps whose answer is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record, write_lines
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import Group, KnownFabric
from weft.plan.case import Case
from weft.plan.rounds import partners_in, usual_rounds
from weft.topics.pair_map import PAIR_ROUNDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# From one rank to another, how many times as long as is usual.
Slower = Callable[[int, int], float]
HOSTS = tuple(f"n{number}" for number in range(1, 8))


def map_record(
    path: Path,
    slow: Mapping[str, float],
    rounds: int = 0,
    hosts: tuple[str, ...] = HOSTS,
    gone: tuple[str, ...] = (),
    near: tuple[int, ...] = (),
    sizes: tuple[int, ...] = (8,),
    devices: str = "",
    now_and_then: Mapping[str, float] | None = None,
    wait: str = "",
) -> weft.Run:
    """Each host's way to its partner takes 1 us, times its factor where it is slow to send.

    "rank 3" among the slow is that rank alone. With `devices` they are those of verbs.

    Longer messages take a nanosecond more for each byte there.

    Hosts that are `gone` did not answer any more in the end. Between the ranks that are `near` and
    the others it takes twice as long. Each ninth message of hosts that are delayed `now_and_then`
    takes so many times as long.
    """
    count = len(hosts)

    def time_ns(case: Case, rank: int, launch: int) -> list[float]:
        share = 1 + 0.003 * ((rank * 31 + (case.point or 0) * 17) % 7)
        partner = partners_in(case.point or 0, count)[rank]
        share *= 2 if (rank in near) != (partner in near) and near else 1
        longer = 1000 + (case.bytes if case.bytes > 64 else 0)
        usual_ns = longer * share * LAUNCH_EFFECTS[launch] * _factor(slow, hosts, rank)
        return [usual_ns] * 8 + [usual_ns * _factor(now_and_then or {}, hosts, rank)]

    def parts(case: Case, launch: int) -> dict[str, list[float]]:
        partners = partners_in(case.point or 0, count)
        return {
            f"rank{rank}": time_ns(case, rank, launch)
            for rank in range(1, count)
            if partners[rank] < count
        }

    transport = "verbs" if devices else "tcp"
    cases = tuple(
        Case(test=PAIR_ROUNDS, transport=transport, bytes=size, ranks=count, point=point, wait=wait)
        for size in sizes
        for point in range(rounds or usual_rounds(count))
    )
    path.parent.mkdir(exist_ok=True, parents=True)
    synthetic_record(
        path, cases, times_ns=lambda case, launch: time_ns(case, 0, launch), parts_ns=parts
    )
    _on_hosts(path, hosts, gone, {"verbs.device": devices} if devices else {})
    return weft.load(path)


def _on_hosts(
    path: Path, hosts: tuple[str, ...], gone: tuple[str, ...], options: dict[str, str]
) -> None:
    """The record's ranks are on these hosts, its transports have these settings."""
    lines = weft.load(path).lines
    launches = [
        msgspec.structs.replace(
            one,
            ranks=tuple(
                msgspec.structs.replace(one.ranks[0], rank=rank, host=host)
                for rank, host in enumerate(hosts)
            ),
        )
        for one in lines.launches
    ]
    manifest = next(iter(lines.header.hosts.values()), {})
    plan = msgspec.structs.replace(lines.header.plan, options=options)
    header = msgspec.structs.replace(lines.header, hosts=dict.fromkeys(hosts, manifest), plan=plan)
    assert lines.footer is not None
    footer = msgspec.structs.replace(lines.footer, silent_hosts=gone)
    path.unlink()
    write_lines(path, [header, *launches, *lines.batches, *lines.ends, footer])


def _factor(slow: Mapping[str, float], hosts: tuple[str, ...], rank: int) -> float:
    return slow.get(f"rank {rank}", slow.get(hosts[rank], 1.0))


def mapped(
    nodes: int, slower: Slower, scatter: float = 0.01, rounds: int = 0, seed: int = 7
) -> PairTimes:
    """Times of 1000 ns, so many times as long, with a scatter drawn from a fixed seed."""
    random = np.random.default_rng(seed)
    rows = [
        (rank, partner, visit, 1000.0 * slower(rank, partner))
        for visit in range(rounds or usual_rounds(nodes))
        for rank, partner in enumerate(partners_in(visit, nodes))
        if partner < nodes
    ]
    source, target, visit, time_ns = map(np.array, zip(*rows, strict=True))
    return PairTimes(
        names=tuple(f"n{node}" for node in range(nodes)),
        source=source,
        target=target,
        visit=visit,
        time_ns=time_ns * np.exp(scatter * random.standard_normal(len(source))),
    )


def leaves(nodes: int, each: int) -> KnownFabric:
    """So many nodes below each leaf, l0, l1 ..."""
    return KnownFabric(
        groups=tuple(
            Group(
                name=f"leaf l{first // each}",
                members=frozenset(f"n{node}" for node in range(first, first + each)),
            )
            for first in range(0, nodes, each)
        )
    )
