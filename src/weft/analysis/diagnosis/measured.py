"""The times of a map by pair of endpoints, as a record has them.

Of each pair the median of a launch's samples counts, from one rank to the other, in a round
of pairs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from weft.analysis.diagnosis.collisions import load_of
from weft.analysis.diagnosis.guess import guessed
from weft.analysis.diagnosis.pair_times import AS_AN_ANSWER, PairTimes
from weft.fabric.known import LEVEL_OF_HOST, LEVEL_OF_RAIL, Group, KnownFabric
from weft.fabric.topology import topology_kept
from weft.plan.case import Case
from weft.plan.devices import devices_in_turn
from weft.plan.rounds import begins_in, partners_in
from weft.record.rank_times import delays_of_ranks, medians_of_ranks, shares_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.plan.pattern import Pattern
    from weft.record.model import Batch, Header, Launch
    from weft.record.run import Run


# What is known of the fabric of endpoints with these names.
FabricOf: TypeAlias = "Callable[[Sequence[str]], KnownFabric]"


class MeasuredMap(msgspec.Struct, frozen=True, kw_only=True):
    """The map of one size over a transport: its times, and what is known of the fabric.

    `delays` has, in the place of each time, how many times as long as that median an operation
    took on average: more than usual where a rank is kept from its messages now and then. Not a
    number where a record keeps no more than quantiles, and of ranks that share cores, which all
    wait for each other. `lacks_topology`: one was typed when it was measured, and is not known now.
    """

    case: Case
    times: PairTimes
    delays: PairTimes
    fabric: KnownFabric
    launches: int
    rounds: int
    lacks_topology: bool = False


def is_map(header: Header) -> bool:
    """Whether the record with this header is a map and nothing else."""
    rounds = {pattern.name for pattern in header.patterns if _is_round(pattern)}
    return all(case.test in rounds for case in header.plan.cases)


def _is_round(pattern: Pattern) -> bool:
    return pattern.figure == "pairs"


def measured_maps(run: Run, fabric_of: FabricOf | None = None) -> list[MeasuredMap]:
    """One for each size over each transport; without a fabric the record's own one counts, and
    where it has none its groups are guessed.

    Raises WeftError where the fabric does not have these hosts.
    """
    maps: dict[Case, list[tuple[Case, Batch]]] = {}
    for key, batches in run.measured_by_case.items():
        case = run.cases[key]
        if _is_round(run.patterns[case.test]):
            own = maps.setdefault(case.but_for("point"), [])
            own += [(case, batch) for batch in batches]
    return [_measured(run, case, own, fabric_of) for case, own in maps.items()]


def _measured(
    run: Run, case: Case, measured: Sequence[tuple[Case, Batch]], fabric_of: FabricOf | None
) -> MeasuredMap:
    times, delays = _times_of(run, case, measured)
    is_crowded = shares_cores(run, (batch for _, batch in measured))
    if is_crowded:
        delays = msgspec.structs.replace(delays, time_ns=np.full(len(delays.time_ns), np.nan))
    if fabric_of is None and run.header.topology:
        fabric_of = topology_kept(run.header.topology).on
    lacks = run.header.lacks_topology and fabric_of is None
    known = _fabric(times, fabric_of, is_crowded=is_crowded or lacks)
    # Short messages do not wait for each other, nor does one pair alone.
    if case.bytes > AS_AN_ANSWER and not case.at_once:
        load = load_of(times, known)
        times, delays = (msgspec.structs.replace(one, load=load) for one in (times, delays))
    return MeasuredMap(
        case=case,
        times=times,
        delays=delays,
        fabric=msgspec.structs.replace(
            known, groups=(*known.groups, *_hosts(times.names), *_rails(times.names))
        ),
        launches=len({batch.launch for _, batch in measured}),
        rounds=len({one.point for one, _ in measured}),
        lacks_topology=lacks,
    )


def _fabric(times: PairTimes, fabric_of: FabricOf | None, *, is_crowded: bool) -> KnownFabric:
    """The fabric that is known, else as the times show it.

    Ranks that share a core are near each other by that, and no fabric shows.
    """
    if fabric_of:
        return fabric_of(times.names)
    return KnownFabric() if is_crowded else guessed(times)


def _times_of(
    run: Run, of: Case, measured: Sequence[tuple[Case, Batch]]
) -> tuple[PairTimes, PairTimes]:
    """A value for each rank that had a partner in a batch: the median of its samples.

    And how many times as long they took on average.
    """
    source, target, visit, time_ns, is_first = [], [], [], [], []
    delay = list[float]()
    for number, (case, batch) in enumerate(sorted(measured, key=lambda one: one[1].order)):
        medians_ns = medians_of_ranks(run, [batch])
        delays = delays_of_ranks(run, batch)
        for rank, partner in enumerate(partners_in(case.point or 0, of.ranks)):
            if partner == of.ranks or rank not in medians_ns:
                continue
            source.append(rank)
            target.append(partner)
            visit.append(number)
            time_ns.append(medians_ns[rank])
            delay.append(delays.get(rank, np.nan))
            is_first.append(begins_in(case.point or 0, rank, partner))
    times = np.array(time_ns)
    found = PairTimes(
        names=_names_of(run, run.launches[measured[0][1].launch], of),
        source=np.array(source),
        target=np.array(target),
        visit=np.array(visit),
        # A clock that stood still has no logarithm.
        time_ns=np.where(times > 0, times, np.nan),
        is_first=np.array(is_first),
    )
    return found, msgspec.structs.replace(found, time_ns=np.array(delay))


def _names_of(run: Run, launch: Launch, case: Case) -> tuple[str, ...]:
    """Each rank's host, and where a host has several its number or its rail: n1/3, n1/mlx5_1.

    Ranks that share a rail have both: n1/mlx5_1/3. Simulated nodes are n0, n1 ...; a rank of which
    the launch says nothing has its number alone.
    """
    if run.header.plan.simulated is not None:
        return tuple(f"n{rank}" for rank in range(case.ranks))
    host_of = {one.rank: one.host for one in launch.ranks if one.rank < case.ranks}
    several = Counter(host_of.values())
    devices = devices_in_turn(case.transport, run.header.plan.options)
    seen: Counter[str] = Counter()
    found = []
    for rank in range(case.ranks):
        host = host_of.get(rank, "rank")
        parts = [host]
        if devices and several[host] > 1:
            parts.append(devices[seen[host] % len(devices)])
        if several[host] > max(1, len(devices)) or host not in several:
            parts.append(str(rank))
        seen[host] += 1
        found.append("/".join(parts))
    return tuple(found)


def _hosts(names: Sequence[str]) -> list[Group]:
    """The hosts of several endpoints."""
    members: dict[str, set[str]] = {}
    for name in names:
        host, slash, _ = name.partition("/")
        if slash and host != "rank":
            members.setdefault(host, set()).add(name)
    return [
        Group(name=f"host {host}", members=frozenset(own), level=LEVEL_OF_HOST)
        for host, own in members.items()
    ]


def _rails(names: Sequence[str]) -> list[Group]:
    """The rails of several endpoints, where their names have any.

    Those of one rail are farther apart than those of one host, and not as far as the others.
    """
    members: dict[str, set[str]] = {}
    for name in names:
        _, _, rail = name.partition("/")
        device = rail.partition("/")[0]
        if device and not device.isdigit():
            members.setdefault(device, set()).add(name)
    if len(members) < 2:
        return []
    return [
        Group(name=f"rail {device}", members=frozenset(own), level=LEVEL_OF_RAIL)
        for device, own in members.items()
    ]
