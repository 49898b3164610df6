"""Launches of one round beside each other: they ran one after the other on the same machine. Pure.

A round is one launch of every transport. What moves all launches of a round alike (temperature,
neighbours, the clock) is not in the difference of two of them, so the interval is over the rounds'
differences: a blocked design (Box, Hunter and Hunter, Statistics for Experimenters, 2005, ch. 3).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.analysis.stats.intervals import in_sessions, over_sessions
from weft.analysis.stats.parameters import over_launches
from weft.record.launches import grouped, launch_medians, samples_of_groups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.estimate import Estimate, Unit
    from weft.record.run import Run


def rounds_of(run: Run) -> dict[int, int]:
    """The round of each launch by its number.

    As the launches say. Where they do not, a round ends where a transport comes again after a
    launch that ended well, for one that broke is tried again at once.
    """
    broken = {end.launch for end in run.lines.ends if end.status != "ok"}
    found: dict[int, int] = {}
    done: set[tuple[str, int]] = set()
    number = 0
    for launch in sorted(run.lines.launches, key=lambda launch: launch.launch):
        if launch.round >= 0:
            found[launch.launch] = launch.round
            continue
        group = (launch.transport, len(launch.ranks))
        if group in done:
            number += 1
            done.clear()
        found[launch.launch] = number
        if launch.launch not in broken:
            done.add(group)
    return found


def times_by_round(run: Run) -> dict[str, dict[int, float]]:
    """By case and round: the median time of an operation in ns of what was measured well."""
    rounds = rounds_of(run)
    found: dict[str, dict[int, float]] = {}
    for case, batches in run.measured_by_case.items():
        of_rounds = grouped(batches, lambda batch: rounds[batch.launch])
        found[case] = dict(launch_medians(samples_of_groups(of_rounds, run.time_ns)))
    return found


def latencies_by_round(run: Run) -> dict[str, dict[int, float]]:
    """The same as latencies, of the tests that have one."""
    found: dict[str, dict[int, float]] = {}
    for case, times in times_by_round(run).items():
        if divisor := run.patterns[run.cases[case].test].latency_divisor:
            found[case] = {number: one / divisor for number, one in times.items()}
    return found


def session_of_rounds(run: Run) -> dict[int, int]:
    """The session in which each round was measured."""
    rounds = rounds_of(run)
    return {rounds[launch.launch]: launch.session for launch in run.lines.launches}


def differences(
    below: Mapping[int, float],
    above: Mapping[int, float],
    sessions: Mapping[int, int] = MappingProxyType({}),
) -> tuple[list[float], Unit]:
    """What one adds to the other in each round that has both, or in each of several sessions.

    `sessions` are those of the rounds; without them all are of one.
    """
    both = sorted(below.keys() & above.keys())
    found = [above[number] - below[number] for number in both]
    return over_sessions(in_sessions(found, [sessions.get(number, 0) for number in both]))


def difference(
    below: Mapping[int, float],
    above: Mapping[int, float],
    sessions: Mapping[int, int] = MappingProxyType({}),
) -> Estimate | None:
    """The median over rounds of what one adds to the other, with its 95 % interval.

    Both by round; over sessions where the rounds are of several. None with fewer than two rounds
    that have both.
    """
    found, unit = differences(below, above, sessions)
    return over_launches(found, positive=False, unit=unit) if len(found) > 1 else None
