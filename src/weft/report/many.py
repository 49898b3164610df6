"""Hot spots, message rates and latency under load as tables and charts. Computes no number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from rich.table import Table
from rich.text import Text

from weft.analysis.exchange import exchanges_of
from weft.analysis.load import LOAD, loads_of
from weft.analysis.stats.ratios import ratio_in_words
from weft.analysis.streams import HOT_SPOTS, REFERENCE, streams_of
from weft.report.charts import Axis, Chart, Mark, Track
from weft.report.leaf import Leaf
from weft.units import format_bandwidth, format_bytes, format_rate, format_time
from weft.written import with_half

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

    from weft.analysis.exchange import ExchangeRow
    from weft.analysis.load import Knee, LoadRow
    from weft.analysis.stats.intervals import Estimate
    from weft.analysis.stats.ratios import Ratio
    from weft.analysis.streams import StreamsRow
    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.run import Run

_Row = TypeVar("_Row", "StreamsRow", "LoadRow")
# What a drawing can tell apart.
MOST_CURVES = 7
DRAWN_PERCENTILES = ("50", "99", "99.9")
# Tests with charts of their own, against their axis and not against the size.
DRAWN_TESTS = (*HOT_SPOTS, "message_rate", LOAD)
_HOW = {"hot_spot_send": "send", "hot_spot_receive": "receive", REFERENCE: "pairs"}


def many_leaves(run: Run, summaries: Sequence[CaseSummary]) -> list[Leaf]:
    """Tables of hot spots, message rates, loads and exchanges, as far as a record has them."""
    rows = streams_of(run, summaries)
    loads, knees = loads_of(run, summaries)
    leaves = [
        _hot_spots([row for row in rows if row.test in (*HOT_SPOTS, REFERENCE)]),
        _message_rates([row for row in rows if row.test == "message_rate"]),
        _loads(loads, knees),
        _exchanges(exchanges_of(run)),
    ]
    return [leaf for leaf in leaves if leaf.rows]


def render_leaf(leaf: Leaf) -> list[RenderableType]:
    """A table for a terminal: its title, its rows, its notes."""
    table = Table(box=None)
    for at, head in enumerate(leaf.head):
        table.add_column(head, justify="left" if at == 0 else "right")
    for row in leaf.rows:
        table.add_row(*map(Text, row))
    notes = [Text(note) for note in leaf.notes]
    return [Text(leaf.title, style="bold"), table, *notes, Text("")]


def _spread(estimate: Estimate | None, shape: Callable[[float], str]) -> str:
    return "-" if estimate is None else with_half(estimate, shape)


def _median(estimate: Estimate | None, shape: Callable[[float], str]) -> str:
    return "-" if estimate is None else shape(estimate.median)


def _index(estimate: Estimate | None) -> str:
    return _spread(estimate, lambda index: f"{index:.3f}")


def _extremes(row: StreamsRow, shape: Callable[[float], str]) -> str:
    """The slowest and the fastest stream by itself."""
    medians = [rate.median for rate in row.own_rates_per_s.values()]
    if len(medians) < 2:
        return _spread(row.own_rate_per_s, shape)
    return f"{shape(min(medians))} to {shape(max(medians))}"


def _of_pair(ratio: Ratio | None) -> str:
    return "-" if ratio is None else ratio_in_words(ratio, ".2f")


def _hot_spots(rows: Sequence[StreamsRow]) -> Leaf:
    def bandwidth(row: StreamsRow) -> Callable[[float], str]:
        return lambda rate: format_bandwidth(rate * row.bytes)

    return Leaf(
        title="Hot spots: time of a message of any peer, bandwidth of all, and of each by itself",
        head=("", "message", "peers", "time", "bandwidth", "each", "Jain", "of a pair"),
        rows=tuple(
            (
                f"{row.transport} {row.variant}".rstrip() + f" {_HOW[row.test]}",
                format_bytes(row.bytes),
                str(row.streams),
                _median(row.time_ns, format_time),
                _spread(row.bandwidth_bytes_per_s, format_bandwidth),
                _extremes(row, bandwidth(row)),
                _index(row.fairness),
                _of_pair(row.of_reference),
            )
            for row in rows
        ),
        notes=(
            "Jain's index: 1 where all peers get the same, 1/n where one of n gets all.",
            "Of a pair: the bandwidth over one pair's of random_pairs, all pairs at once.",
        ),
    )


def _message_rates(rows: Sequence[StreamsRow]) -> Leaf:
    return Leaf(
        title="Message rate: all pairs together, and each by itself",
        head=("transport", "message", "pairs", "messages/s", "each pair", "Jain's index"),
        rows=tuple(
            (
                f"{row.transport} {row.variant}".rstrip(),
                format_bytes(row.bytes),
                str(row.streams),
                _spread(row.rate_per_s, format_rate),
                _extremes(row, format_rate),
                _index(row.fairness),
            )
            for row in rows
        ),
        notes=(),
    )


def _loads(rows: Sequence[LoadRow], knees: Sequence[Knee]) -> Leaf:
    return Leaf(
        title="Latency under offered load, from when a message was due to its answer",
        head=("transport", "message", "load", "offered/s", "answered", "50 %", "99 %", "99.9 %",
              "from post"),
        rows=tuple(
            (
                f"{row.transport} {row.variant}".rstrip(),
                format_bytes(row.bytes),
                f"{row.load_percent} %",
                _median(row.offered_per_s, format_rate),
                f"{100 * row.answered_per_s.median / row.offered_per_s.median:.0f} %",
                _median(row.percentiles_ns.get("50"), format_time),
                _spread(row.percentiles_ns.get("99"), format_time),
                _median(row.percentiles_ns.get("99.9"), format_time),
                _median(row.posted_percentiles_ns.get("99"), format_time),
            )
            for row in rows
        ),
        notes=(
            "From post: the 99 % that a count from the post would have shown.",
            *map(knee_in_words, knees),
        ),
    )  # fmt: skip


def _exchanges(rows: Sequence[ExchangeRow]) -> Leaf:
    return Leaf(
        title="Exchange: time of an iteration over the ranks, bandwidth of the slowest",
        head=("transport", "message", "ranks", "least", "mean", "greatest", "bandwidth"),
        rows=tuple(
            (
                f"{row.transport} {row.way}".strip(),
                format_bytes(row.bytes),
                str(row.ranks),
                _spread(row.least_ns, format_time),
                _spread(row.mean_ns, format_time),
                _spread(row.greatest_ns, format_time),
                _spread(row.bandwidth_bytes_per_s, format_bandwidth),
            )
            for row in rows
        ),
        notes=("As IMB reports Sendrecv; each rank's time is the median of its own samples.",),
    )


def knee_in_words(knee: Knee) -> str:
    """Where the knee is, over how many launches it varies, and what it is by."""
    place = f"knee: {knee.transport}, {format_bytes(knee.bytes)} {knee.variant}".rstrip()
    if knee.is_last:
        return f"{place}: none up to {knee.load_percent} % of saturation, the largest load measured"
    spread = (
        f" ({knee.lowest_percent} to {knee.highest_percent} % over launches)"
        if knee.lowest_percent < knee.highest_percent
        else ""
    )
    return (
        f"{place}: at {knee.load_percent} % of saturation{spread},"
        f" {format_rate(knee.offered_per_s.median)} messages/s;"
        f" there the rate over the {knee.percentile}th percentile is greatest"
    )


def many_charts(run: Run, summaries: Sequence[CaseSummary]) -> list[Chart]:
    """Time against peers, message rate against pairs, percentiles against load."""
    rows = streams_of(run, summaries)
    loads, knees = loads_of(run, summaries)
    charts = [
        _streams_chart(
            _by_way(run, [row for row in rows if row.test == test]),
            name=test,
            title=run.patterns[test].title if test in run.patterns else "",
            x="pairs" if test == "message_rate" else "peers",
        )
        for test in (*HOT_SPOTS, "message_rate")
    ]
    charts += [_load_chart(own, knees) for own in _by_way(run, loads)]
    return [chart for chart in charts if chart is not None]


def _by_way(run: Run, rows: Sequence[_Row]) -> list[list[_Row]]:
    """The rows in groups that differ in the point of their test only."""
    groups: dict[Case, list[_Row]] = {}
    for row in rows:
        groups.setdefault(run.cases[row.case].but_for("point"), []).append(row)
    return list(groups.values())


def _label(row: StreamsRow | LoadRow) -> str:
    return f"{row.transport} {row.variant}".rstrip() + f" {format_bytes(row.bytes)}"


def _streams_chart(
    groups: Sequence[Sequence[StreamsRow]], *, name: str, title: str, x: str
) -> Chart | None:
    """Figures 14 and 15: the time of a message; of pairs, the rate of all."""
    rows = [row for own in groups for row in own]
    if len({row.streams for row in rows}) < 2:
        return None
    is_rate = name == "message_rate"
    tracks = []
    for group, own in enumerate(groups[:MOST_CURVES]):
        figures = [row.rate_per_s if is_rate else row.time_ns for row in own]
        factor = 1e-6 if is_rate else 1e-3
        tracks.append(
            Track(
                label=_label(own[0]),
                x=tuple(float(row.streams) for row in own),
                y=tuple(figure.median * factor for figure in figures),
                low=tuple(figure.low * factor for figure in figures),
                high=tuple(figure.high * factor for figure in figures),
                texts=tuple(
                    f"{row.streams} {x}: "
                    + _spread(figure, format_rate if is_rate else format_time)
                    for row, figure in zip(own, figures, strict=True)
                ),
                group=group,
            )
        )
    axis = "million messages/s" if is_rate else "time of a message in µs"
    ticks = sorted({row.streams for row in rows})
    left_out = len(groups) - len(tracks)
    return Chart(
        name=f"many-{name}",
        title=title,
        alt=f"{title}: {axis} against the number of {x}",
        x=Axis(x, is_log=False, ticks=tuple((float(count), str(count)) for count in ticks)),
        y=Axis(axis),
        tracks=tuple(tracks),
        note="Bars are 95 % intervals."
        + (f" {left_out} more are in the table." if left_out else ""),
    )


def _load_chart(rows: Sequence[LoadRow], knees: Sequence[Knee]) -> Chart | None:
    if len(rows) < 2:
        return None
    tracks = []
    for group, name in enumerate(DRAWN_PERCENTILES):
        own = [row for row in rows if name in row.percentiles_ns]
        figures = [row.percentiles_ns[name] for row in own]
        if not own:
            continue
        tracks.append(
            Track(
                label=f"{name} %",
                x=tuple(row.offered_per_s.median / 1e3 for row in own),
                y=tuple(figure.median / 1e3 for figure in figures),
                low=tuple(figure.low / 1e3 for figure in figures),
                high=tuple(figure.high / 1e3 for figure in figures),
                texts=tuple(
                    f"{row.load_percent} %: {_spread(figure, format_time)}"
                    for row, figure in zip(own, figures, strict=True)
                ),
                group=group,
            )
        )
    if not tracks:  # too few samples for any percentile
        return None
    marks = tuple(
        Mark(axis="x", at=knee.offered_per_s.median / 1e3, text=f"knee, {knee.load_percent} %")
        for knee in knees
        if rows[0].case in knee.cases and not knee.is_last
    )
    title = f"Latency under load, {_label(rows[0])}"
    return Chart(
        name="load-"
        + re.sub(r"\W+", "-", f"{rows[0].transport} {rows[0].variant}".rstrip())
        + f"-{rows[0].bytes}",
        title=title,
        alt=f"{title}: percentiles of latency in µs against thousand messages/s offered",
        x=Axis("offered, thousand messages/s", is_log=False),
        y=Axis("from due to answer in µs"),
        tracks=tuple(tracks),
        marks=marks,
        note="Percentiles from when a message was due. Bars are 95 % intervals.",
    )
