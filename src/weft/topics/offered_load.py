"""Latency under offered load: percentiles against the rate, and the knee. Pure.

Times run from when a message was due (Tene, How NOT to Measure Latency, 2013, and his wrk2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import Estimate, median_of_launches
from weft.analysis.stats.percentiles import percentiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run

LOAD = "offered_load"
PERCENTILES = (50.0, 90.0, 99.0, 99.9)
# The tail that the knee is looked for in, or the middle where samples are too few for it.
KNEE_PERCENTILES = ("99", "50")
# Answered at less than this share of the offered rate, a load is over what the link can do.
KEPT_UP = 0.99


class LoadRow(msgspec.Struct, frozen=True, kw_only=True):
    """One load: the asked per cent of saturation, and what came of it.

    `offered_per_s` is the rate at which messages were due, `answered_per_s` the rate of answers.
    `percentiles_ns` are of the time from due to answer, `posted_percentiles_ns` of the time from
    post to answer, which leaves out how long a message waited to be posted: a difference between
    the two is what coordinated omission would have hidden.
    """

    case: str
    transport: str
    bytes: int
    variant: str
    load_percent: int
    offered_per_s: Estimate
    answered_per_s: Estimate
    percentiles_ns: dict[str, Estimate]
    posted_percentiles_ns: dict[str, Estimate]

    @property
    def keeps_up(self) -> bool:
        """Whether the answers came at the rate at which messages were due."""
        return self.answered_per_s.median >= KEPT_UP * self.offered_per_s.median


class Knee(msgspec.Struct, frozen=True, kw_only=True):
    """Where more load costs more latency than it is worth, of `cases` that differ in load only.

    The rate is over launches, each with its own knee; `lowest_percent` and `highest_percent` are
    the loads at which launches had theirs. `is_last` says that it is the largest load measured, so
    that the knee may lie beyond.
    """

    transport: str
    bytes: int
    variant: str
    cases: tuple[str, ...]
    percentile: str
    load_percent: int
    lowest_percent: int
    highest_percent: int
    offered_per_s: Estimate
    is_last: bool


class LaunchLoad(msgspec.Struct, frozen=True, kw_only=True):
    """One load in the launch of this number."""

    launch: int
    offered_per_s: float
    answered_per_s: float
    percentiles_ns: dict[str, float]
    posted_percentiles_ns: dict[str, float]


def launch_load(run: Run, batch: Batch) -> LaunchLoad:
    """What a batch under load shows; its launch's, as each case has one batch a launch."""
    import numpy as np

    times = run.time_ns(batch)
    interval = float(np.median(run.time_ns(batch, part="interval")))
    # Message i is due at i intervals: the answers' own time runs from the first to the last.
    lasted = (len(times) - 1) * interval + float(times[-1] - times[0])
    posted = times - run.time_ns(batch, part="late") if "late" in batch.parts else times
    return LaunchLoad(
        launch=batch.launch,
        offered_per_s=1e9 / interval,
        # Few answers may all come at once: then there is no telling that they were behind.
        answered_per_s=1e9 * ((len(times) - 1) / lasted if lasted > 0 else 1 / interval),
        percentiles_ns=percentiles(times, PERCENTILES),
        posted_percentiles_ns=percentiles(posted, PERCENTILES),
    )


def loads_of(
    run: Run, summaries: Sequence[CaseSummary]
) -> tuple[tuple[LoadRow, ...], tuple[Knee, ...]]:
    """A row a measured load, and a knee for each way and size measured at three or more."""
    batches: dict[str, list[Batch]] = {}
    for batch in run.measured:
        if "interval" in batch.parts and len(batch.ticks) - batch.warmup > 1:
            batches.setdefault(batch.case, []).append(batch)
    wanted = [s for s in summaries if s.test == LOAD and s.case in batches and s.status == "ok"]
    groups: dict[Case, list[tuple[Case, list[LaunchLoad]]]] = {}
    rows = []
    for summary in wanted:
        case = run.cases[summary.case]
        launches = [launch_load(run, batch) for batch in batches[case.key]]
        rows.append(_row(case, launches))
        groups.setdefault(case.but_for("point"), []).append((case, launches))
    knees = [found for group in groups.values() if (found := knee_of(group)) is not None]
    return tuple(rows), tuple(knees)


def _row(case: Case, launches: list[LaunchLoad]) -> LoadRow:
    return LoadRow(
        case=case.key,
        transport=case.transport,
        bytes=case.bytes,
        variant=case.but_for("point").variant,
        load_percent=case.point or 0,
        offered_per_s=median_of_launches([one.offered_per_s for one in launches]),
        answered_per_s=median_of_launches([one.answered_per_s for one in launches]),
        percentiles_ns=_over([one.percentiles_ns for one in launches]),
        posted_percentiles_ns=_over([one.posted_percentiles_ns for one in launches]),
    )


def _over(launches: list[dict[str, float]]) -> dict[str, Estimate]:
    """Each percentile that every launch has, over launches."""
    shared = set.intersection(*(set(one) for one in launches))
    return {
        name: median_of_launches([max(one[name], 1.0) for one in launches])
        for name in launches[0]
        if name in shared
    }


def knee_of(group: Sequence[tuple[Case, Sequence[LaunchLoad]]]) -> Knee | None:
    """Where Kleinrock's power, the rate answered over the latency, is greatest.

    Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications
    (ICC 1979): at its maximum a straight line from the origin touches the curve of latency against
    rate from below. The latency is the 99th percentile. Each launch has its own; only launches that
    measured every load count. None with fewer than three loads, or without a percentile.
    """
    points = sorted(group, key=lambda pair: pair[0].point or 0)
    by_launch = [{one.launch: one for one in measured} for _, measured in points]
    launches = sorted(set.intersection(*(set(own) for own in by_launch))) if by_launch else []
    if len(points) < 3 or not launches:
        return None
    usable = [
        name
        for name in KNEE_PERCENTILES
        if all(name in own[launch].percentiles_ns for own in by_launch for launch in launches)
    ]
    if not usable:
        return None
    loads = [case.point or 0 for case, _ in points]
    peaks = []
    for launch in launches:
        row = [own[launch] for own in by_launch]
        power = [one.answered_per_s / max(one.percentiles_ns[usable[0]], 1.0) for one in row]
        at = power.index(max(power))
        peaks.append((loads[at], row[at].offered_per_s))
    found = sorted(load for load, _ in peaks)
    middle = found[(len(found) - 1) // 2]
    case = points[0][0]
    return Knee(
        transport=case.transport,
        bytes=case.bytes,
        variant=case.but_for("point").variant,
        cases=tuple(case.key for case, _ in points),
        percentile=usable[0],
        load_percent=middle,
        lowest_percent=found[0],
        highest_percent=found[-1],
        offered_per_s=median_of_launches([rate for _, rate in peaks]),
        is_last=middle == loads[-1],
    )
