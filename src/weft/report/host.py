"""What messages cost the host, as tables and charts. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.availability import availabilities_of
from weft.analysis.completion import completions_of
from weft.analysis.host_time import overheads_of, overlaps_of
from weft.errors import WeftError
from weft.report.charts import Axis, Chart, Track
from weft.report.fits import signed_time
from weft.report.table import Table
from weft.units import format_bandwidth, format_bytes, format_time
from weft.written import ends, with_half

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.availability import Availability, BusyPoint
    from weft.analysis.completion import Completion
    from weft.analysis.host_time import HostOverhead, Overlap
    from weft.analysis.stats.parameters import Parameter
    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run

NAMES = ("overhead", "overlap", "availability", "completion")


def host_rows(run: Run, summaries: Sequence[CaseSummary], name: str) -> tuple[Any, ...]:
    """The rows behind one of the tables NAMES. Raises WeftError for another name."""
    if name not in NAMES:
        raise WeftError(f"there is no table {name}", f"choose one of {', '.join(NAMES)}")
    if name == "completion":
        return completions_of(run, summaries)
    makers = {"overhead": overheads_of, "overlap": overlaps_of, "availability": availabilities_of}
    return makers[name](run)


def to_json(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """What `weft show --table NAME --json` prints: plain data; null where nothing was measured."""
    return [msgspec.to_builtins(row) for row in rows]


def host_tables(
    run: Run, summaries: Sequence[CaseSummary], names: Sequence[str] = NAMES
) -> list[Table]:
    """The tables that the record has something for."""
    shown: dict[str, Callable[[Any], Table]] = {
        "overhead": _overhead_table,
        "overlap": _overlap_table,
        "availability": _availability_table,
        "completion": _completion_table,
    }
    tables = []
    for name in names:
        rows = host_rows(run, summaries, name)
        if rows:
            tables.append(shown[name](rows))
    return tables


def _place(row: HostOverhead | Overlap | Availability | Completion) -> str:
    """The transport, and what differs from the usual way."""
    return f"{row.transport} {row.variant}".rstrip()


def _overhead_table(rows: Sequence[HostOverhead]) -> Table:
    return Table(
        name="overhead",
        caption="What a message costs the host, by three methods, with half of each 95 % interval:"
        " the time in its calls; post, work and wait less the work; the delay method.",
        head=("", "calls", "of it post", "beside work", "delay method", "left to work"),
        rows=tuple(
            (
                f"{_place(row)} {row.side} {format_bytes(row.bytes)}"
                + (f" on rank {row.rank}" if row.rank else ""),
                _short(row.calls_ns, signed_time),
                signed_time(row.post_ns.value) if row.post_ns else "-",
                _short(row.beside_work_ns, signed_time),
                _short(row.delay_ns, signed_time),
                _short(row.availability_percent, _percent),
            )
            for row in rows
        ),
    )


def _overlap_table(rows: Sequence[Overlap]) -> Table:
    return Table(
        name="overlap",
        caption="How much of a transfer is hidden by work of the same length, in per cent of the"
        " transfer alone, with half of each 95 % interval.",
        head=("", "transfer alone", "work alone", "both", "hidden"),
        rows=tuple(
            (
                f"{_place(row)} {row.side} {format_bytes(row.bytes)}",
                format_time(row.alone_ns.value),
                format_time(row.work_ns.value),
                format_time(row.both_ns.value),
                _short(row.hidden_percent, _percent),
            )
            for row in rows
        ),
    )


def _availability_table(curves: Sequence[Availability]) -> Table:
    return Table(
        name="availability",
        caption="Bandwidth while the sender computes, with half of each 95 % interval. Work is in"
        " per cent of the stream alone, computing in per cent of the whole time.",
        head=("", "work", "computing", "bandwidth", "kept"),
        rows=tuple(
            (
                f"{_place(curve)} {format_bytes(curve.bytes)}",
                f"{point.work_percent} %",
                _short(point.computing_percent, _percent),
                _short(point.bandwidth_bytes_per_s, format_bandwidth),
                _short(point.kept_percent, _percent),
            )
            for curve in curves
            for point in curve.points
        ),
    )


def _completion_table(rows: Sequence[Completion]) -> Table:
    ranks = max(len(row.cpu_percent) for row in rows)
    return Table(
        name="completion",
        caption="What each way to learn of a completion adds to the cheapest, and the processor's"
        " time it takes, with half of each 95 % interval.",
        head=("", "way", "latency", "adds", *(f"CPU rank {rank}" for rank in range(ranks))),
        rows=tuple(
            (
                f"{_place(row)} {row.kind} {format_bytes(row.bytes)}",
                row.way,
                format_time(row.latency_ns.median),
                _added(row),
                *(_short(share, _percent) for share in row.cpu_percent),
                *("-" for _ in range(ranks - len(row.cpu_percent))),
            )
            for row in rows
        ),
    )


def _added(row: Completion) -> str:
    if row.is_cheapest:
        return "cheapest"
    words = signed_time(row.added_ns) if row.verdict == "adds" else "cannot tell"
    return f"{words} {ends(row.low_ns, row.high_ns, signed_time)}"


def _short(parameter: Parameter | None, shape: Callable[[float], str]) -> str:
    """A parameter with half its interval: "4.07 µs ±12 ns"."""
    if parameter is None:
        return "-"
    return with_half(parameter, shape, lambda half: shape(round(half, 2)))


def _percent(value: float) -> str:
    return f"{value:.1f} %"


def availability_chart(run: Run) -> Chart | None:
    """Bandwidth in MB/s against the share of the time computing (figure 8); None without any."""
    curves = availabilities_of(run)
    if not curves:
        return None
    names = [f"{_place(curve)} {format_bytes(curve.bytes)}" for curve in curves]
    return Chart(
        name="availability",
        title="Bandwidth while computing",
        alt=f"bandwidth against the share of time spent computing for {', '.join(names)}",
        x=Axis("share of the time computing in %", is_log=False),
        y=Axis("bandwidth in MB/s", is_log=False),
        tracks=tuple(
            _track(name, curve.points, group)
            for group, (name, curve) in enumerate(zip(names, curves, strict=True))
        ),
        note="Bars are 95 % intervals. Figure 8 of Liu et al. (2003).",
    )


def _track(name: str, points: Sequence[BusyPoint], group: int) -> Track:
    def rate(part: str) -> tuple[float, ...]:
        rates: list[Parameter] = [point.bandwidth_bytes_per_s for point in points]
        return tuple(getattr(one, part) / 1e6 for one in rates)

    return Track(
        label=name,
        x=tuple(point.computing_percent.value for point in points),
        y=rate("value"),
        low=rate("low"),
        high=rate("high"),
        texts=tuple(
            f"{point.computing_percent.value:.1f} % computing:"
            f" {format_bandwidth(point.bandwidth_bytes_per_s.value)}"
            for point in points
        ),
        group=group,
    )
