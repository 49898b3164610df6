"""n½ of a measured curve: the message size that reaches half of the best bandwidth.

After Hockney (The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel
Computing 20, 1994), read from the measured bandwidths themselves: no line is fitted.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import median_of_case
from weft.estimate import Estimate
from weft.record.launches import launch_medians, samples_by_launch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.case import Case
    from weft.record.run import Run

FEWEST_SIZES = 3


class HalfBandwidth(msgspec.Struct, frozen=True, kw_only=True):
    """n½ in bytes with its interval; without, `why` says what keeps it from being known."""

    size_bytes: Estimate | None = None
    why: str = ""


def half_bandwidth(run: Run, cases: Sequence[Case]) -> HalfBandwidth:
    """n½ of the cases of one test and transport, over the launches that measured every size."""
    sizes = sorted({case.bytes for case in cases if case.bytes})
    if len(sizes) < FEWEST_SIZES:
        return HalfBandwidth(why=f"needs {FEWEST_SIZES} sizes")
    curves: dict[int, dict[int, float]] = {}
    for case in cases:
        times = samples_by_launch(run.measured_by_case.get(case.key, ()), run.time_ns)
        for launch, time_ns in launch_medians(times).items():
            if case.bytes and time_ns > 0:
                curves.setdefault(launch, {})[case.bytes] = case.bytes / time_ns
    whole = {launch: own for launch, own in curves.items() if len(own) == len(sizes)}
    if not whole:
        return HalfBandwidth(why="no launch measured every size")
    found = {launch: size_of_half(own) for launch, own in whole.items()}
    known = {launch: size for launch, size in found.items() if size is not None}
    if len(known) < len(found):
        return HalfBandwidth(why=f"below {sizes[0]} B: half is there at the smallest size")
    figure = median_of_case(list(known.values()), run.sessions_of(known))
    return HalfBandwidth(size_bytes=figure)


def size_of_half(rates: Mapping[int, float]) -> float | None:
    """Where a curve of bandwidths first reaches half of its best, bytes.

    Between two sizes it is interpolated in the logarithms of both. None where it is there from the
    smallest size on.
    """
    half = max(rates.values()) / 2
    points = sorted(rates.items())
    if points[0][1] >= half:
        return None
    for (size, rate), (next_size, next_rate) in pairwise(points):
        if next_rate >= half:
            share = math.log(half / rate) / math.log(next_rate / rate)
            return float(size * (next_size / size) ** share)
    raise AssertionError("the best bandwidth is more than half of itself")
