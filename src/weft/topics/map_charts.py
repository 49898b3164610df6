"""How a map is drawn: its matrix in colours, and the distribution of its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.diagnosis.bisection import SHARES, Bisection
from weft.analysis.diagnosis.matrix import PairMatrix, in_order
from weft.analysis.stats.median_deviation import deviation_by_distances
from weft.charts import Chart, ChartAxis, ChartPoint, Matrix, chart_of, track_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a scale spans at least, and at how many times the scatter of the pairs it begins.
_LEAST_SCALE = 0.1
_SCATTERS = 3.0
# What is beyond the scale has its last colour: so many pairs of 1,000 in all.
_BEYOND = 0.005
_POINTS = 100
_NOTE = "A row is the sender, a column the receiver; what is empty was not measured."


def matrix_charts(maps: Sequence[tuple[str, PairMatrix]], place: str, number: int) -> list[Chart]:
    """The matrices of one size by their records, endpoints in one order and colours on one scale.

    `place` says the transport and the size, `number` is that of the size among the charts.
    """
    drawn = [(name, in_order(matrix, maps[0][1].names)) for name, matrix in maps]
    ends = _ends([matrix for _, matrix in drawn])
    return [
        _matrix_chart(
            f"map-{number}" + (f"-{at}" if len(drawn) > 1 else ""),
            f"All pairs, {place}" + (f" ({name})" if name else ""),
            Matrix(
                values=100 * matrix.slower,
                ends=ends,
                label="slower than is usual so far apart, %",
                names=matrix.names,
                begins=maps[0][1].begins if matrix.names == maps[0][1].names else (),
            ),
        )
        for at, (name, matrix) in enumerate(drawn)
    ]


def difference_chart(
    first: PairMatrix, second: PairMatrix, place: str, number: int, *, names: tuple[str, str]
) -> Chart | None:
    """By how much pairs take longer in the second map than in the first; None of no pair."""
    second = in_order(second, first.names)
    first = in_order(first, second.names)
    longer = 100 * (second.time_ns / first.time_ns - 1)
    if not np.isfinite(longer).any():
        return None
    reach = max(100 * _LEAST_SCALE, float(np.nanquantile(np.abs(longer), 1 - _BEYOND)))
    return _matrix_chart(
        f"map-difference-{number}",
        f"{names[1]} against {names[0]}, {place}",
        Matrix(
            values=longer, ends=(-reach, reach), label="longer, %", names=first.names,
            is_signed=True,
        ),
    )  # fmt: skip


def _matrix_chart(name: str, title: str, matrix: Matrix) -> Chart:
    chart = chart_of(
        name, title, ChartAxis("to", is_log=False), ChartAxis("from", is_log=False), (), note=_NOTE
    )
    alt = f"{title}: {matrix.label}, by sender and receiver"
    return msgspec.structs.replace(chart, alt=alt, matrix=matrix, is_static=True)


def _ends(matrices: Sequence[PairMatrix]) -> tuple[float, float]:
    """From where scatter ends to the slowest pairs, %: scatter alone has one colour."""
    known = np.concatenate([one.slower[np.isfinite(one.slower)] for one in matrices])
    if not len(known):
        return 0.0, 100 * _LEAST_SCALE
    low = _SCATTERS * deviation_by_distances(known)
    high = max(float(np.quantile(known, 1 - _BEYOND)), low + _LEAST_SCALE)
    return 100 * low, 100 * high


def distribution_of(maps: Sequence[tuple[str, PairMatrix]], place: str, number: int) -> Chart:
    """Which share of the directed pairs takes at most so long."""
    tracks = []
    for group, (name, matrix) in enumerate(maps):
        times = matrix.time_ns[np.isfinite(matrix.time_ns)]
        shares = np.linspace(0, 1, min(_POINTS, len(times)) + 1)
        points = [
            ChartPoint(float(time), 100 * float(share))
            for time, share in zip(np.quantile(times, shares) / 1e3, shares, strict=True)
        ]
        tracks.append(track_of(name or place, points, group, style="line"))
    chart = chart_of(
        f"map-pairs-{number}",
        f"Times of the pairs, {place}",
        ChartAxis("there and back in \u00b5s", is_log=False),
        ChartAxis("pairs that take at most as long, %", is_log=False),
        tracks,
        note="",
    )
    return msgspec.structs.replace(chart, is_static=True)


def matchings_chart(maps: Sequence[tuple[str, str, Bisection]]) -> Chart:
    """Which share of the matchings gets at most so much of a link, by records and sizes."""
    shares = (0, *(100 * share for share in SHARES), 100)
    tracks = [
        track_of(
            ", ".join(filter(None, (name, place))),
            [
                ChartPoint(rate / 1e6, share)
                for rate, share in zip((of.least, *of.shares, of.greatest), shares, strict=True)
            ],
            group,
            style="line",
        )
        for group, (name, place, of) in enumerate(maps)
    ]
    chart = chart_of(
        "map-bisection",
        "Effective bisection bandwidth of matchings",
        ChartAxis("bandwidth of a link in MB/s", is_log=False),
        ChartAxis("matchings that get at most as much, %", is_log=False),
        tracks,
        note="",
    )
    return msgspec.structs.replace(chart, is_static=True)
