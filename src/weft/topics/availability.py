"""CPU availability: bandwidth against the share of time in which the sender computes.

Figure 8 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), from the test `busy_stream`. A stream without work is measured in every
sample beside the one with work, so what is kept of the bandwidth is a ratio within one sample.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.parameters import over_sessions_of
from weft.charts import BANDWIDTH_UNIT, BARS, Chart, ChartAxis, ChartPoint, chart_of, track_of
from weft.estimate import Estimate
from weft.record.launches import launch_medians, samples_by_launch
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import SizeRow, TopicRow
from weft.topics.series import by_case, median_over, part_ns, whole_ns
from weft.units import format_bandwidth, format_bytes, format_percent
from weft.wording import counted, half_in_its_unit, verb_of, with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

BUSY = "busy_stream"
# The bandwidth falls when it is lower by this much.
DROP = 0.05


class BusyPoint(TopicRow, frozen=True, kw_only=True):
    """A stream beside work: the work asked for, in per cent of the stream's time alone, the share
    of the time that was spent computing, the bandwidth, and what is kept of that without work."""

    work_percent: int
    computing_percent: Estimate
    bandwidth_bytes_per_s: Estimate
    kept_percent: Estimate


class Availability(SizeRow, frozen=True, kw_only=True):
    """The curve of one size, and the share of computing at which 5 % of the bandwidth are lost.

    `drop_at_percent` is None where not every launch shows the drop; `note` says so.
    """

    queue_depth: int
    points: tuple[BusyPoint, ...]
    drop_at_percent: Estimate | None
    note: str = ""


class CpuAvailability(Topic[tuple[Availability, ...]]):
    """How much of the bandwidth a sender keeps that computes."""

    name = "availability"
    title = "Bandwidth while computing"

    def rows(self, results: Results) -> tuple[Availability, ...]:
        """A curve a transport, size and variant."""
        return availabilities_of(results.run)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Streams beside work are shown against the work."""
        del run
        return pattern.name == BUSY

    def tables(self, rows: tuple[Availability, ...]) -> list[Table]:
        """A row a point of each curve."""
        return [_table(rows)] if rows else []

    def charts(self, rows: tuple[Availability, ...]) -> list[Chart]:
        """Bandwidth in MB/s against the share of the time computing (figure 8)."""
        return [availability_chart(rows)] if rows else []

    def findings(self, rows: tuple[Availability, ...]) -> list[str]:
        """The share of computing at which the bandwidth falls."""
        return list(drops_in_words(rows))


def availabilities_of(run: Run) -> tuple[Availability, ...]:
    """A curve a transport, size and variant of two points or more; empty without any."""
    curves: dict[Case, dict[int, list[Batch]]] = {}
    for key, batches in by_case(run, (BUSY,)).items():
        case = run.cases[key]
        curves.setdefault(case.but_for("point"), {})[case.point or 0] = batches
    return tuple(_curve(run, points) for points in curves.values() if len(points) > 1)


def drops_in_words(curves: Sequence[Availability]) -> tuple[str, ...]:
    """A sentence a curve: the share of the time computing at which its bandwidth falls."""
    sentences = []
    for curve in curves:
        place = f"availability: {curve.transport}, {format_bytes(curve.bytes)} {curve.variant}"
        place = place.rstrip()
        at = curve.drop_at_percent
        if at is None:
            sentences.append(f"{place}: {curve.note}")
        else:
            sentences.append(
                f"{place}: the bandwidth falls by {DROP:.0%} when the sender computes"
                f" {with_ends(at, '{:.1f} %'.format)} of the time"
            )
    return tuple(sentences)


def _curve(run: Run, batches: dict[int, list[Batch]]) -> Availability:
    first = next(iter(batches.values()))[0]
    case = run.cases[first.case]
    points = tuple(_point(run, work, batches[work]) for work in sorted(batches))
    drop, note = _drop(run, batches)
    return Availability(
        **Availability.of(case, "point"),
        points=points,
        drop_at_percent=drop,
        note=note,
    )


def _point(run: Run, work: int, batches: list[Batch]) -> BusyPoint:
    moved = run.cases[batches[0].case].bytes * 1e9
    return BusyPoint(
        work_percent=work,
        computing_percent=median_over(run, batches, lambda b: 100 * _computing(run, b)),
        bandwidth_bytes_per_s=median_over(run, batches, lambda b: moved / whole_ns(run, b)),
        kept_percent=median_over(run, batches, lambda b: 100 * _kept(run, b)),
    )


def _computing(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The share of a sample's time that its work takes alone."""
    return part_ns(run, batch, "work") / whole_ns(run, batch)


def _kept(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The bandwidth with work over that without, in the same sample."""
    return part_ns(run, batch, "alone") / whole_ns(run, batch)


def _drop(run: Run, batches: dict[int, list[Batch]]) -> tuple[Estimate | None, str]:
    """Where the bandwidth has fallen by 5 %, found in each launch by itself."""
    curves: dict[int, list[tuple[int, float, float]]] = {}
    for work, own in batches.items():
        computing = launch_medians(samples_by_launch(own, partial(_computing, run)))
        kept = launch_medians(samples_by_launch(own, partial(_kept, run)))
        for launch, share in computing.items():
            curves.setdefault(launch, []).append((work, share, kept[launch]))
    # Launches that measured only what was not yet precise are omitted.
    whole = {
        launch: sorted(curve) for launch, curve in curves.items() if len(curve) == len(batches)
    }
    found = {
        launch: crossing([(share, kept) for _, share, kept in curve])
        for launch, curve in whole.items()
    }
    shares = {launch: 100 * share for launch, share in found.items() if share is not None}
    if not shares and whole:
        most = max(curve[-1][1] for curve in whole.values())
        return None, f"no drop of {DROP:.0%} up to {most:.1%} of the time computing"
    if len(shares) < max(len(whole), 2):
        shown = verb_of(len(shares), "show", len(whole))
        seen = f"{len(shares)} of {counted(len(whole), 'launch')} {shown} it"
        return None, f"where it drops by {DROP:.0%} is not known: {seen}"
    sessions = run.sessions_of(shares)
    at = over_sessions_of(list(shares.values()), sessions, positive=True)
    return msgspec.structs.replace(at, high=min(at.high, 100.0)), ""


def crossing(curve: Sequence[tuple[float, float]]) -> float | None:
    """The share at which what is kept passes below 1 - DROP; None where it does not.

    `curve` is (share, kept) in the order of the work. What is kept is made to fall throughout by
    the mean of neighbours that do not (Barlow and others, Statistical Inference under Order
    Restrictions, 1972), so that chance at one point is no drop; between points the curve is a line.
    """
    level = 1 - DROP
    smooth = falling([kept for _, kept in curve])
    for at, kept in enumerate(smooth):
        if kept >= level:
            continue
        share = curve[at][0]
        if at == 0:
            return share
        before, above = curve[at - 1][0], smooth[at - 1]
        return before + (share - before) * (above - level) / (above - kept)
    return None


def falling(values: Sequence[float]) -> list[float]:
    """The nearest sequence in least squares that never rises."""
    from scipy.optimize import isotonic_regression

    return [float(value) for value in isotonic_regression(values, increasing=False).x]


def _table(curves: Sequence[Availability]) -> Table:
    return Table(
        name="availability",
        caption="Bandwidth while the sender computes, with half of each 95 % interval. Work is in"
        " per cent of the stream alone, computing in per cent of the whole time.",
        head=("", "work", "computing", "bandwidth", "kept"),
        rows=tuple(
            (
                curve.place,
                f"{point.work_percent} %",
                half_in_its_unit(point.computing_percent, format_percent),
                half_in_its_unit(point.bandwidth_bytes_per_s, format_bandwidth),
                half_in_its_unit(point.kept_percent, format_percent),
            )
            for curve in curves
            for point in curve.points
        ),
    )


def availability_chart(curves: Sequence[Availability]) -> Chart:
    """Bandwidth in MB/s against the share of the time computing (figure 8)."""
    return chart_of(
        "availability",
        "Bandwidth while computing",
        ChartAxis("share of the time computing in %", is_log=False),
        ChartAxis(BANDWIDTH_UNIT.label, is_log=False),
        (
            track_of(curve.place, map(_drawn_at, curve.points), group)
            for group, curve in enumerate(curves)
        ),
        note=f"{BARS} Figure 8 of Liu et al. (2003).",
    )


def _drawn_at(point: BusyPoint) -> ChartPoint:
    share, rate = point.computing_percent.value, point.bandwidth_bytes_per_s
    text = f"{share:.1f} % computing: {format_bandwidth(rate.value)}"
    return BANDWIDTH_UNIT.point(share, rate, text)
