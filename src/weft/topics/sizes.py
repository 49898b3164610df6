"""Latency and bandwidth by size: the usual tables and curves, and tails of single operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.summary import CaseSummary, to_json_rows
from weft.charts import SizeCurve, chart_over_sizes
from weft.plan.cases import BANDWIDTH, LATENCY
from weft.plan.pattern import Pattern
from weft.tables import TERMINAL_WIDTH, Table
from weft.topics.base import Topic
from weft.topics.tails import tail_tables
from weft.units import format_bandwidth, format_bytes, format_percent, format_time
from weft.wording import (
    RULE,
    counted,
    hosts_in_words,
    in_a_row,
    size_in_words,
    status_in_words,
    with_half,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart, Metric
    from weft.estimate import Estimate
    from weft.topics.base import Results

# More variants than these are rows, for a screen has no room for so many columns.
MOST_COLUMNS = 5


class SizeRows(msgspec.Struct, frozen=True, kw_only=True):
    """The cases in tables of sizes, those of them whose figures are curves over sizes, and all."""

    tabled: tuple[CaseSummary, ...]
    drawn: tuple[CaseSummary, ...]
    planned: tuple[CaseSummary, ...]
    patterns: dict[str, Pattern]
    hosts: tuple[str, ...]
    stated_by: str = ""

    def caption(self, where: str = "") -> str:
        """What the figures are, and how their intervals are written."""
        if not self.stated_by:
            return f"Median over launches or sessions{where}; {RULE}"
        if max((one.launches for one in self.tabled), default=0) > 1:
            return f"Median over runs, each as {self.stated_by} states it{where}; {RULE}"
        return f"As {self.stated_by} states them{where}: of one run no interval is known"


class Sizes(Topic[SizeRows]):
    """Latency and bandwidth by message size, of every test that no other topic owns."""

    name = "figures"
    title = "Latency and bandwidth by size"
    is_usual = True
    is_on_cards = True

    def rows(self, results: Results) -> SizeRows:
        """The summaries that are shown by size."""
        return SizeRows(
            tabled=results.with_tables(),
            drawn=results.with_curves(),
            planned=results.summaries,
            patterns=results.run.patterns,
            hosts=tuple(results.run.header.hosts),
            stated_by=stated.program if (stated := results.run.header.imported) else "",
        )

    def tables(self, rows: SizeRows) -> list[Table]:
        """A table a test, a column a transport and variant; tails; which peak per cents are of."""
        found = [
            _test_table(rows.patterns[test], [s for s in rows.tabled if s.test == test])
            for test in _tests(rows.tabled)
        ]
        return found + tail_tables(rows.tabled)

    def wide(self, rows: SizeRows) -> list[Table]:
        """One table where a page has room for all its columns, else a table a test; then tails."""
        whole = self._whole(rows)
        if whole is None or whole.has_room_on_a_page:
            return [*([whole] if whole else []), *tail_tables(rows.tabled)]
        return [*_tables_of_tests(rows), *tail_tables(rows.tabled)]

    def for_paper(self, rows: SizeRows) -> list[Table]:
        """The same of all cases in one table, whatever a page shows elsewhere."""
        every = msgspec.structs.replace(rows, tabled=rows.planned)
        whole = self._whole(every)
        return [*([whole] if whole else []), *tail_tables(every.tabled)]

    def _whole(self, rows: SizeRows) -> Table | None:
        """One row per size, a column a test and variant."""
        if not rows.tabled:
            return None
        hosts = f" on {hosts_in_words(rows.hosts)}" if rows.hosts else ""
        return Table(
            name=self.name,
            caption=f"{rows.caption(hosts)}.",
            head=("size", *_column_heads(rows)),
            rows=tuple(_size_rows(rows.tabled)),
        )

    def brief(self, rows: SizeRows, room: int) -> list[Table]:
        """One table: as many sizes of each test as there is room for, in the first columns."""
        columns = _brief_columns(rows.drawn)
        cells = {
            (s.test, s.bytes, s.measured_over): s for s in rows.drawn if s.measured_over in columns
        }
        tests = list(dict.fromkeys(test for test, _, _ in cells))
        lines: list[tuple[str, ...]] = []
        shown = 0
        for test in tests[:room]:
            sizes = sorted({size for own, size, _ in cells if own == test})
            pattern = rows.patterns[test]
            most = max(1, room // len(tests))
            has_latency = pattern.latency_divisor > 0
            for at, size in enumerate(_spread(sizes, most, is_latency=has_latency)):
                found = [cells.get((test, size, column)) for column in columns]
                title = "" if at else pattern.title
                line = [format_estimate(one) if one else "" for one in found]
                lines.append((title, size_in_words(test, size), *line))
                shown += sum(one is not None for one in found)
        more = len(rows.drawn) - shown
        if not lines:
            return []
        return [
            Table(
                name=self.name,
                caption=rows.caption(),
                head=("", "size", *columns),
                rows=tuple(lines),
                notes=(counted(more, "more figure"),) if more else (),
            )
        ]

    def charts(self, rows: SizeRows) -> list[Chart]:
        """A chart a test, a curve a transport and variant."""
        return self.overlaid([("", rows)])

    def overlaid(self, records: Sequence[tuple[str, SizeRows]]) -> list[Chart]:
        """The curves of all records in one chart a test, in the order of the first record."""
        tests = dict.fromkeys(test for _, rows in records for test in _tests(rows.drawn))
        found = (_chart(test, records) for test in tests)
        return [chart for chart in found if chart is not None]

    def headline(self, rows: SizeRows) -> str:
        """The smallest latency and the peak of each transport."""
        transports = dict.fromkeys(s.transport for s in rows.planned)
        parts = [_extremes(name, rows.planned) for name in transports]
        return "; ".join(part for part in parts if part)

    def findings(self, rows: SizeRows) -> list[str]:
        """Which link and peak the per cents are of."""
        return peaks_in_words(rows.tabled)

    def plain(self, rows: SizeRows) -> list[dict[str, Any]]:
        """The rows of the summaries, without what does not apply."""
        return to_json_rows(rows.tabled)


def _brief_columns(summaries: Sequence[CaseSummary]) -> tuple[str, ...]:
    """All transports and variants that fit, or else the transports without further options."""
    columns = list(dict.fromkeys(s.measured_over for s in summaries))
    if len(columns) > MOST_COLUMNS:
        plain = list(dict.fromkeys(s.measured_over for s in summaries if not s.variant))
        columns = plain or columns
    return tuple(columns[:MOST_COLUMNS])


def _tests(summaries: Sequence[CaseSummary]) -> list[str]:
    return list(dict.fromkeys(s.test for s in summaries))


def _spread(sizes: Sequence[int], most: int, *, is_latency: bool) -> list[int]:
    """At most so many of the sizes, evenly apart, the smallest and the largest among them.

    Where there is room for one, a latency is that of the smallest, a bandwidth of the largest.
    """
    if len(sizes) <= most:
        return list(sizes)
    if most == 1:
        return [sizes[0] if is_latency else sizes[-1]]
    last = len(sizes) - 1
    return [sizes[round(at * last / (most - 1))] for at in range(most)]


def _extremes(transport: str, summaries: Sequence[CaseSummary]) -> str:
    good = [s for s in summaries if s.transport == transport and s.status == "ok"]
    # What is typical of a transport is it without further options, where that was measured.
    own = [s for s in good if not s.variant] or good
    latencies = [(s.bytes, s.latency_ns) for s in own if s.latency_ns and s.test == LATENCY]
    rates = [
        (s.bandwidth_bytes_per_s, s.bytes)
        for s in own
        if s.bandwidth_bytes_per_s and s.test == BANDWIDTH
    ]
    words = []
    at_eight = [pair for pair in latencies if pair[0] == 8] or latencies[:1]
    if at_eight:
        size, latency = at_eight[0]
        words.append(f"{format_bytes(size)} latency {format_time(latency.value)}")
    if rates:
        rate, size = max(rates, key=lambda pair: pair[0].value)
        words.append(f"peak bandwidth {format_bandwidth(rate.value)} at {format_bytes(size)}")
    return f"over {transport} " + ", ".join(words) if words else ""


def figure_of(summary: CaseSummary) -> Estimate | None:
    """The figure that a test is about: bandwidth where it has no latency."""
    return summary.latency_ns or summary.bandwidth_bytes_per_s


def format_estimate(summary: CaseSummary) -> str:
    """Median with its interval, a bandwidth with its share of the peak."""
    estimate = figure_of(summary)
    if estimate is None:
        return "-" if summary.status == "ok" else status_in_words(summary.status)
    shape = format_time if summary.latency_ns else format_bandwidth
    mark = "" if summary.status == "ok" else f" {status_in_words(summary.status)}"
    if summary.percent_of_peak is not None and not summary.latency_ns:
        mark = f" ({format_percent(summary.percent_of_peak)} of peak){mark}"
    return with_half(estimate, shape) + mark


def peaks_in_words(summaries: Sequence[CaseSummary]) -> list[str]:
    """Which link and peak the per cents are of, a sentence for all transports it holds for."""
    peaks: dict[tuple[str, str], set[float]] = {}
    for summary in summaries:
        if summary.peak_bytes_per_s:
            place = (summary.transport, summary.link)
            peaks.setdefault(place, set()).add(summary.peak_bytes_per_s)
    alike: dict[tuple[str, tuple[float, ...]], list[str]] = {}
    for (transport, link), values in peaks.items():
        alike.setdefault((link, tuple(sorted(values))), []).append(transport)
    return [
        f"Peak of {link} over {in_a_row(transports, 'and')}:"
        f" {' or '.join(map(format_bandwidth, values))}"
        + (" (one way, both ways)." if len(values) > 1 else ".")
        for (link, values), transports in alike.items()
    ]


def _test_table(pattern: Pattern, summaries: Sequence[CaseSummary]) -> Table:
    columns = list(dict.fromkeys(s.measured_over for s in summaries))
    caption = f"{pattern.title} ({pattern.name}): {pattern.summary}"
    rows = []
    for size in sorted({s.bytes for s in summaries}):
        cells = []
        for column in columns:
            found = [s for s in summaries if s.bytes == size and s.measured_over == column]
            cells.append("\n".join(format_estimate(s) for s in found))
        rows.append((size_in_words(pattern.name, size), *cells))
    head = ("size", *columns)
    table = Table(name=pattern.name, caption=caption, head=head, rows=tuple(rows), left=())
    if len(columns) <= MOST_COLUMNS and table.width <= TERMINAL_WIDTH:
        return table
    return Table(
        name=pattern.name,
        caption=caption,
        head=("size", "variant", "figure"),
        left=(1,),
        rows=tuple(
            (size_in_words(s.test, s.bytes), s.measured_over, format_estimate(s))
            for s in sorted(summaries, key=lambda s: s.bytes)
        ),
    )


def _columns(summaries: Sequence[CaseSummary]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((s.test, s.measured_over) for s in summaries))


def _tables_of_tests(rows: SizeRows) -> list[Table]:
    """A table a test, a row per size, a column a transport and variant."""
    tables = []
    for test in _tests(rows.tabled):
        own = [one for one in rows.tabled if one.test == test]
        columns = list(dict.fromkeys(one.measured_over for one in own))
        tables.append(
            Table(
                name=test,
                caption=rows.patterns[test].title,
                head=("size", *columns),
                rows=tuple(_size_rows(own)),
            )
        )
    # What holds for all of them is said once.
    said = (f"{rows.caption()}.",)
    return [*tables[:-1], msgspec.structs.replace(tables[-1], notes=said)]


def _column_heads(rows: SizeRows) -> list[str]:
    """The heads of the columns of `_size_rows`: each test in each variant."""
    return [f"{rows.patterns[test].title}, {column}" for test, column in _columns(rows.tabled)]


def _size_rows(summaries: Sequence[CaseSummary]) -> list[tuple[str, ...]]:
    """A row a message size: the size, then the figure of each test and variant."""
    sizes = {s.case: (s.bytes, size_in_words(s.test, s.bytes)) for s in summaries}
    cells = {(sizes[s.case], s.test, s.measured_over): format_estimate(s) for s in summaries}
    columns = _columns(summaries)
    return [
        (size[1], *(cells.get((size, *column), "") for column in columns))
        for size in sorted(set(sizes.values()))
    ]


def _chart(test: str, records: Sequence[tuple[str, SizeRows]]) -> Chart | None:
    pattern = next(rows.patterns[test] for _, rows in records if test in rows.patterns)
    metric: Metric = "latency" if pattern.latency_divisor else "bandwidth"
    drawn = [(name, [s for s in rows.drawn if s.test == test]) for name, rows in records]
    having = [(name, own) for name, own in drawn if own]
    curves = [
        curve
        for name, own in having
        for curve in _curves(own, metric, name if len(having) > 1 else "")
    ]
    return chart_over_sizes(test, pattern.title, metric, curves) if curves else None


def _curves(summaries: Sequence[CaseSummary], metric: Metric, record: str) -> list[SizeCurve]:
    curves = []
    for column in dict.fromkeys(s.measured_over for s in summaries):
        points = _points(summaries, column, metric)
        if points:
            label = f"{column} ({record})" if record else column
            sizes, estimates = zip(*points, strict=True)
            curves.append(SizeCurve(label, tuple(sizes), tuple(estimates)))
    return curves


def _points(
    summaries: Sequence[CaseSummary], column: str, metric: Metric
) -> list[tuple[int, Estimate]]:
    points = []
    for summary in summaries:
        estimate = summary.latency_ns if metric == "latency" else summary.bandwidth_bytes_per_s
        if summary.measured_over == column and estimate is not None:
            points.append((summary.bytes, estimate))
    return sorted(points, key=lambda point: point[0])
