"""How far a simulated platform is from what was published of the real one."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

import msgspec

from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_percent, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weft.reference.library import Platform, PublishedPoint, PublishedSeries
    from weft.sim.protocols import Protocols


# The unit of a published table's figures, and what it is in SI.
_UNITS = {"latency": ("µs", 1e3), "bandwidth": ("MB/s", 1e6)}
# An error of so many per cent needs no second digit behind the point.
_LARGE = 10
# Of a table's pieces no more are shown.
_MOST_PIECES = 3
KIB = 1 << 10


class SeriesError(msgspec.Struct, frozen=True, kw_only=True):
    """The errors of one published table, in % of the published figures; `worst_bytes` where."""

    what: str
    points: int
    mean_percent: float
    worst_percent: float
    worst_bytes: int


def predicted_ns(protocols: Protocols) -> Callable[[str, int], float | None]:
    """What the protocols say themselves, without a simulation."""
    by_test = {"ping_pong": protocols.ping_pong_ns, "sendrecv": protocols.sendrecv_ns}
    return lambda test, size: by_test[test](size) if test in by_test else None


def figure_of(series: PublishedSeries, size_bytes: int, time_ns: float) -> float:
    """A time as the series has it: ns, or bytes/s of all its directions."""
    if series.quantity == "latency":
        return time_ns
    return series.directions * 1e9 * size_bytes / time_ns


def error_percent(series: PublishedSeries, point: PublishedPoint, time_ns: float) -> float:
    """Of a figure against the published one; above 0 it is larger."""
    return 100 * (figure_of(series, point.bytes, time_ns) / point.si - 1)


class PointError(msgspec.Struct, frozen=True, kw_only=True):
    """The error of a time or bandwidth against a published one, as a fraction without its sign."""

    test: str
    bytes: int
    time_ns: float
    fraction: float


def point_errors(
    platform: Platform, time_of: Callable[[str, int], float | None]
) -> tuple[PointError, ...]:
    """Of each published point that there is a time for."""
    return tuple(
        PointError(
            test=series.test,
            bytes=point.bytes,
            time_ns=time,
            fraction=abs(error_percent(series, point, time)) / 100,
        )
        for series in platform.series
        for point in series.points
        if (time := time_of(series.test, point.bytes))
    )


def errors_of(
    platform: Platform, time_of: Callable[[str, int], float | None]
) -> tuple[SeriesError, ...]:
    """A line for each published table that there are times for."""
    found = []
    for series in platform.series:
        errors = [
            (abs(error_percent(series, point, time)), point.bytes)
            for point in series.points
            if (time := time_of(series.test, point.bytes))
        ]
        if errors:
            worst, size = max(errors)
            mean = sum(error for error, _ in errors) / len(errors)
            found.append(
                SeriesError(
                    what=f"{series.table}, {series.test}: {series.quantity}",
                    points=len(errors),
                    mean_percent=mean,
                    worst_percent=worst,
                    worst_bytes=size,
                )
            )
    return tuple(found)


def errors_table(title: str, errors: Sequence[SeriesError]) -> Table:
    """These errors as a table."""
    return Table(
        name="errors",
        caption=f"{title}: errors against the calibration data",
        head=("", "sizes", "mean", "worst", "at"),
        rows=tuple(
            (
                one.what,
                str(one.points),
                f"{one.mean_percent:.2f} %",
                f"{one.worst_percent:.2f} %",
                format_bytes(one.worst_bytes),
            )
            for one in errors
        ),
    )


def beside(
    platforms: Sequence[Platform],
    times: Mapping[str, Callable[[str, int], float | None]],
    kind: str,
) -> list[Table]:
    """Each published table with the simulated figures and their errors, platforms in columns.

    Three platforms fit 80 columns: the units stand above, and `kind` is what was simulated.
    """
    tables = []
    for name in dict.fromkeys(series.table for one in platforms for series in one.series):
        columns = [
            (one, series) for one in platforms for series in one.series if series.table == name
        ]
        first = columns[0][1]
        sizes = dict.fromkeys(point.bytes for _, series in columns for point in series.points)
        rows = [(format_bytes(size), *_cells(columns, times, size)) for size in sizes]
        means = [
            f"{error.mean_percent:.2f}"
            for one, series in columns
            for error in errors_of(msgspec.structs.replace(one, series=(series,)), times[one.name])
        ]
        tables.append(
            Table(
                name=name.lower().replace(" ", "_"),
                caption=f"{name}: {first.suite}, {first.quantity} in {_UNITS[first.quantity][0]},"
                f" published and simulated ({kind}), errors in %",
                head=("size", *(head for one, _ in columns for head in (one.title, kind, "error"))),
                rows=(*rows, ("mean", *(cell for mean in means for cell in ("", "", mean)))),
            )
        )
    return tables


def _cells(
    columns: Iterable[tuple[Platform, PublishedSeries]],
    times: Mapping[str, Callable[[str, int], float | None]],
    size_bytes: int,
) -> list[str]:
    cells = []
    for one, series in columns:
        _, unit = _UNITS[series.quantity]
        point = next((point for point in series.points if point.bytes == size_bytes), None)
        time = times[one.name](series.test, size_bytes)
        if point is None or time is None:
            cells += ["", "", ""]
            continue
        own = figure_of(series, size_bytes, time)
        # No zero is below zero.
        error = round(error_percent(series, point, time), 2) + 0.0
        cells += [_digits(point.si / unit), _digits(own / unit)]
        cells += [f"{error:+.{2 if abs(error) < _LARGE else 1}f}"]
    return cells


def _digits(value: float) -> str:
    """Three digits, and those that are zero at the end: "4.30", "957"."""
    return f"{value:.{max(0, 2 - floor(log10(value)))}f}"


def parameters_table(title: str, protocols: Protocols) -> Table:
    """The numbers of a platform; of a table's many pieces the first and the last."""
    lists = {
        "message": protocols.transfer,
        "MPI_Send": protocols.blocking_send,
        "MPI_Isend": protocols.send,
        "receive": protocols.receive,
        "a post behind others": protocols.further_send,
        "a receive behind others": protocols.further_receive,
    }
    rows = []
    for what, pieces in lists.items():
        shown = pieces if len(pieces) <= _MOST_PIECES else (pieces[0], pieces[-1])
        rows += [
            (
                what,
                _begin_of(one.from_bytes),
                # Where a line is steep it meets 0 bytes below 0, which no message takes.
                format_time(one.at(one.from_bytes)),
                f"{one.ns_per_byte:.4g} ns",
            )
            for one in shown
            if one.ns or one.ns_per_byte
        ]
    bus = protocols.bus_bytes_per_s
    notes = (
        f"eager below {format_bytes(protocols.eager_below_bytes)}",
        f"a node's bus carries {format_bandwidth(bus)} both ways" if bus else "no bus binds",
        f"{protocols.parameters} parameters",
    )
    return Table(
        name="parameters",
        caption=f"{title}: message times",
        head=("", "from", "takes there", "and a byte more"),
        rows=tuple(rows),
        notes=notes,
    )


def _begin_of(size_bytes: int) -> str:
    """The first size of a piece: of one that begins a byte above a round size, "over 1 MiB"."""
    below = size_bytes - 1
    if below > 0 and below % KIB == 0:
        return f"over {format_bytes(below)}"
    return format_bytes(size_bytes)


def peaks_beside(
    platforms: Sequence[Platform],
    times: Mapping[str, Callable[[str, int], float | None]],
    label: str,
) -> Table:
    """Table 8: the largest bandwidth of each test, and its share of the link's peak."""
    from weft.analysis.published import with_shares

    rows = []
    for one in platforms:
        link = with_shares(one).link
        for series in one.series:
            if series.quantity != "bandwidth":
                continue
            own = max(
                figure_of(series, point.bytes, time)
                for point in series.points
                if (time := times[one.name](series.test, point.bytes))
            )
            published = max(point.si for point in series.points)
            peak = link.peak_bytes_per_s(series.directions) if link else None
            both = (published, own)
            shares = [format_percent(100 * rate / peak) if peak else "" for rate in both]
            rates = [format_bandwidth(rate) for rate in both]
            error = f"{100 * (own / published - 1):+.2f} %"
            rows.append(
                (f"{one.title}, {series.test}", rates[0], shares[0], rates[1], shares[1], error)
            )
    return Table(
        name="table_8",
        caption=f"Table 8: largest bandwidths, {label}",
        head=("", "published", "of peak", "simulated", "of peak", "error"),
        rows=tuple(rows),
    )


def statements_table(
    platforms: Sequence[Platform], figures: Mapping[str, Mapping[str, float]]
) -> Table:
    """What a text states beside what was simulated, by platform."""
    rows = []
    for one in platforms:
        published = {fact.key: fact for fact in one.facts if fact.si is not None}
        for key, own in figures[one.name].items():
            known = (
                published.get(key) or published.get(f"{key}_send") or published.get(f"{key}_put")
            )
            if known is None or known.si is None:
                continue
            shape = format_time if known.si_unit == "ns" else format_bandwidth
            error = f"{100 * (own / known.si - 1):+.2f} %"
            rows.append((one.title, known.what, shape(known.si), shape(own), error))
    return Table(
        name="statements",
        caption="What the text states, published and simulated (model)",
        head=("", "", "published", "simulated", "error"),
        rows=tuple(rows),
        left=(0, 1),
    )
