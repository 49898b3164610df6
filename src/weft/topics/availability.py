"""Bandwidth against the share of time in which the sender computes. Pure.

Figure 8 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), from the test `busy_stream`. A stream without work is measured in every
sample beside the one with work, so what is kept of the bandwidth is a ratio within one sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.host_time import by_case, by_launch, over, part_ns
from weft.analysis.stats.parameters import Parameter, over_launches
from weft.analysis.stats.shape import drift
from weft.units import format_bytes
from weft.written import with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run

BUSY = "busy_stream"
# The bandwidth falls when it is lower by this much.
DROP = 0.05


class BusyPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A stream beside work: the work asked for, in per cent of the stream's time alone, the share
    of the time that was spent computing, the bandwidth, and what is kept of that without work."""

    work_percent: int
    computing_percent: Parameter
    bandwidth_bytes_per_s: Parameter
    kept_percent: Parameter


class Availability(msgspec.Struct, frozen=True, kw_only=True):
    """The curve of one size, and the share of computing at which 5 % of the bandwidth are lost.

    `drop_at_percent` is None where not every launch shows the drop; `note` says so.
    """

    transport: str
    bytes: int
    queue_depth: int
    variant: str
    points: tuple[BusyPoint, ...]
    drop_at_percent: Parameter | None
    note: str = ""


def availabilities_of(run: Run) -> tuple[Availability, ...]:
    """A curve a transport, size and way of two points or more; empty without any."""
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


def drifts_of(run: Run, tests: Sequence[str]) -> tuple[str, ...]:
    """Where the compute loop's rate moved within a batch, a sentence a test and transport."""
    moved: dict[tuple[str, str], list[float]] = {}
    batches = [batch for all_ in by_case(run, tests).values() for batch in all_]
    for batch in batches:
        case = run.cases[batch.case]
        changes = moved.setdefault((case.transport, case.test), [])
        change = drift(part_ns(run, batch, "work")) if case.point else None
        if change is not None:
            changes.append(change)
    totals = [(run.cases[batch.case].transport, run.cases[batch.case].test) for batch in batches]
    return tuple(
        f"{transport}, {test}: the compute loop's rate drifted by up to"
        f" {max(map(abs, changes)):.0%} in {len(changes)} of {totals.count((transport, test))}"
        " batches: the processor's clock was not steady, or something else ran; the work is"
        " measured in every sample, so shares hold, but their points are not those asked for"
        for (transport, test), changes in moved.items()
        if changes
    )


def _curve(run: Run, batches: dict[int, list[Batch]]) -> Availability:
    first = next(iter(batches.values()))[0]
    case = run.cases[first.case]
    points = tuple(_point(run, work, batches[work]) for work in sorted(batches))
    drop, note = _drop(run, batches)
    return Availability(
        transport=case.transport,
        bytes=case.bytes,
        queue_depth=case.queue_depth,
        variant=case.but_for("point").variant,
        points=points,
        drop_at_percent=drop,
        note=note,
    )


def _point(run: Run, work: int, batches: list[Batch]) -> BusyPoint:
    moved = run.cases[batches[0].case].bytes * 1e9
    return BusyPoint(
        work_percent=work,
        computing_percent=over(by_launch(batches, lambda b: 100 * _computing(run, b))),
        bandwidth_bytes_per_s=over(by_launch(batches, lambda b: moved / part_ns(run, b))),
        kept_percent=over(by_launch(batches, lambda b: 100 * _kept(run, b))),
    )


def _computing(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The share of a sample's time that its work takes alone."""
    return part_ns(run, batch, "work") / part_ns(run, batch)


def _kept(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The bandwidth with work over that without, in the same sample."""
    return part_ns(run, batch, "alone") / part_ns(run, batch)


def _drop(run: Run, batches: dict[int, list[Batch]]) -> tuple[Parameter | None, str]:
    """Where the bandwidth has fallen by 5 %, found in each launch by itself."""
    import numpy as np

    curves: dict[int, list[tuple[int, float, float]]] = {}
    for work, own in batches.items():
        for launch in dict.fromkeys(batch.launch for batch in own):
            mine = [batch for batch in own if batch.launch == launch]
            computing = np.median(np.concatenate([_computing(run, batch) for batch in mine]))
            kept = np.median(np.concatenate([_kept(run, batch) for batch in mine]))
            curves.setdefault(launch, []).append((work, float(computing), float(kept)))
    # Launches that measured only what was not yet precise are left out.
    whole = [sorted(curve) for curve in curves.values() if len(curve) == len(batches)]
    found = [crossing([(share, kept) for _, share, kept in curve]) for curve in whole]
    shares = [100 * share for share in found if share is not None]
    if not shares and whole:
        most = max(curve[-1][1] for curve in whole)
        return None, f"no drop of {DROP:.0%} up to {most:.1%} of the time computing"
    if len(shares) < max(len(whole), 2):
        told = f"{len(shares)} of {len(whole)} launches show it"
        return None, f"cannot tell where it drops by {DROP:.0%}: {told}"
    at = over_launches(shares, positive=True)
    return msgspec.structs.replace(at, high=min(at.high, 100.0)), ""


def crossing(curve: Sequence[tuple[float, float]]) -> float | None:
    """The share at which what is kept passes below 1 - DROP; None where it does not.

    `curve` is (share, kept) in the order of the work. What is kept is made to fall all the way by
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
