"""Results as tables in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from weft.analysis.ways import findings_of
from weft.report.host import host_tables
from weft.report.many import many_leaves, render_leaf
from weft.report.memory import bus_sentences, memory_tables
from weft.report.osu_figures import not_osu, osu_charts, osu_tables
from weft.report.table import render_table
from weft.report.tails import tail_tables
from weft.units import format_bandwidth, format_bytes, format_percent, format_time
from weft.written import with_half

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.stats.intervals import Estimate
    from weft.analysis.summary import CaseSummary
    from weft.fabric.peaks import Link
    from weft.host.finding import Finding
    from weft.record.run import Run

PIPE_WIDTH = 100
MOST_FLAGS = 12
# More ways of measuring than these are rows, for a screen has no room for so many columns.
MOST_COLUMNS = 5


def console(*, stderr: bool = False) -> Console:
    """The terminal; through a pipe a fixed width, so that scripts see the same each time."""
    plain = Console(stderr=stderr, highlight=False)
    return plain if plain.is_terminal else Console(stderr=stderr, highlight=False, width=PIPE_WIDTH)


def findings_table(findings: Sequence[Finding]) -> RenderableType:
    """The doctor's findings: warnings with effect and mend, the rest in a line each."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column("level", no_wrap=True)
    table.add_column("check", no_wrap=True)
    table.add_column("finding")
    marks = {"warning": "WARNING", "unknown": "unknown", "note": "note", "ok": "ok"}
    for finding in findings:
        words = Text(finding.what)
        if finding.effect:
            words.append(f"\n  effect: {finding.effect}", style="dim")
        if finding.mend:
            words.append(f"\n  mend:   {finding.mend}")
        style = "bold" if finding.level == "warning" else ""
        table.add_row(Text(marks[finding.level], style=style), finding.check, words)
    return table


def figure_of(summary: CaseSummary) -> Estimate | None:
    """The figure that a test is about: bandwidth where it has no latency."""
    return summary.latency_ns or summary.bandwidth_bytes_per_s


def format_estimate(summary: CaseSummary) -> str:
    """Median with its interval, a bandwidth with its share of the peak."""
    estimate = figure_of(summary)
    if estimate is None:
        return "-" if summary.status == "ok" else _plain(summary.status)
    shape = format_time if summary.latency_ns else format_bandwidth
    mark = "" if summary.status == "ok" else f" {_plain(summary.status)}"
    if summary.percent_of_peak is not None and not summary.latency_ns:
        mark = f" ({format_percent(summary.percent_of_peak)} of peak){mark}"
    return with_half(estimate, shape) + mark


def render_tables(run: Run, summaries: Sequence[CaseSummary]) -> RenderableType:
    """A table a test, a column a transport; then what to know; then how the run ended."""
    parts: list[RenderableType] = []
    for table in osu_tables(osu_charts(run, summaries)):
        parts += render_table(table)
    shown = not_osu(run, summaries)
    for test in dict.fromkeys(s.test for s in shown):
        pattern = run.patterns[test]
        parts += [Text(f"{pattern.title} ({test}): {pattern.summary}", style="bold")]
        parts += [_test_table([s for s in shown if s.test == test]), Text("")]
    for table in (
        *tail_tables(shown),
        *host_tables(run, summaries),
        *memory_tables(run, summaries),
    ):
        parts += render_table(table)
    parts += [part for leaf in many_leaves(run, summaries) for part in render_leaf(leaf)]
    parts += [Text(line) for line in findings_of(run, summaries)]
    parts += [Text(line) for line in bus_sentences(run, summaries)]
    parts += [
        *map(Text, troubles_in_words(summaries)),
        *_flags(summaries),
        *_ending(run, summaries),
    ]
    return Group(*parts)


def _test_table(summaries: Sequence[CaseSummary]) -> Table:
    table = Table(box=None)
    table.add_column("message", justify="right")
    ways = list(dict.fromkeys(s.way for s in summaries))
    if len(ways) > MOST_COLUMNS:
        return _long_table(table, summaries)
    for way in ways:
        table.add_column(way, justify="right", no_wrap=True)
    for size in sorted({s.bytes for s in summaries}):
        cells = []
        for way in ways:
            found = [s for s in summaries if s.bytes == size and s.way == way]
            cells.append("\n".join(format_estimate(s) for s in found))
        table.add_row(format_bytes(size), *cells)
    return table


def _long_table(table: Table, summaries: Sequence[CaseSummary]) -> Table:
    """A row a case, where there are more ways of measuring than columns fit a screen."""
    table.add_column("way")
    table.add_column("figure", justify="right", no_wrap=True)
    for summary in sorted(summaries, key=lambda s: s.bytes):
        table.add_row(format_bytes(summary.bytes), summary.way, format_estimate(summary))
    return table


def troubles_in_words(summaries: Sequence[CaseSummary]) -> list[str]:
    """The reasons of cases that are not ok, each once with the cases it holds for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for summary in summaries:
        if summary.status != "ok":
            reasons.setdefault((summary.status, summary.reason), []).append(summary.case)
    return [
        f"{_plain(status)}: {_some(cases)}: {reason}" for (status, reason), cases in reasons.items()
    ]


def _plain(status: str) -> str:
    """A status as a person reads it."""
    return status.replace("_", " ")


def _some(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
    return ", ".join(cases[:3]) + more


def grouped_flags(summaries: Sequence[CaseSummary]) -> dict[str, list[tuple[str, str]]]:
    """What to know of cases, by the kind of flag (its words up to the first figure or colon)."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for summary in summaries:
        for flag in summary.flags:
            kind = flag.split(",")[0].split(":")[0].split(" by ")[0]
            kinds.setdefault(kind.rstrip(" 0123456789%±"), []).append((summary.case, flag))
    return kinds


def _flags(summaries: Sequence[CaseSummary]) -> list[Text]:
    """One line a kind of flag with an example in full; all of them are in the report."""
    lines = []
    for cases in grouped_flags(summaries).values():
        case, flag = cases[0]
        more = f" (and {len(cases) - 1} more cases)" if len(cases) > 1 else ""
        lines.append(Text(f"note: {case}{more}: {flag}"))
    return lines[:MOST_FLAGS]


def _ending(run: Run, summaries: Sequence[CaseSummary]) -> list[Text]:
    peaks = peaks_in_words(summaries)
    return [Text(line) for line in (*peaks, *run.header.notes, ending_in_words(run, summaries))]


def peaks_in_words(summaries: Sequence[CaseSummary]) -> list[str]:
    """Which link and peak the per cents are of, a sentence a transport."""
    peaks: dict[tuple[str, str], set[float]] = {}
    for summary in summaries:
        if summary.peak_bytes_per_s:
            place = (summary.transport, summary.link)
            peaks.setdefault(place, set()).add(summary.peak_bytes_per_s)
    return [
        f"Peak of {link} over {transport}:"
        f" {' or '.join(format_bandwidth(peak) for peak in sorted(values))}"
        + (" (one way, both ways)." if len(values) > 1 else ".")
        for (transport, link), values in peaks.items()
    ]


def ending_in_words(run: Run, summaries: Sequence[CaseSummary]) -> str:
    """How the run ended and what its precision is, one sentence."""
    plan = run.header.plan
    good = sum(1 for s in summaries if s.settled)
    asked = f"±{100 * plan.precision:g} %"
    reached = f"{good} of {len(summaries)} cases are within {asked} over {plan.launches} launches"
    footer = run.footer
    if footer is None:
        return f"The run has no end: {reached}. Go on with: weft run --resume {run.path}"
    if footer.outcome == "precise" and run.missing:
        return (
            f"launches failed in {len(run.missing)} of {len(summaries)} cases, the others are done:"
            f" {reached}. Try them again with: weft run --resume {run.path}"
        )
    if footer.outcome == "precise" and plan.samples:
        return f"Every case has its {plan.samples} samples in each launch: {reached}."
    if footer.outcome == "precise":
        return f"Every case is precise: {reached}."
    if footer.outcome == "interrupted":
        return f"The run was interrupted: {reached}. Go on with: weft run --resume {run.path}"
    if run.missing:
        return (
            f"The budget of {plan.budget_s:g} s ended with launches missing in {len(run.missing)}"
            f" cases: {reached}. Go on with: weft run --resume {run.path}"
        )
    return (
        f"The budget of {plan.budget_s:g} s ended first: {reached}; the others show the interval"
        f" they reached. More precision: weft run --resume {run.path} --budget TIME."
    )


def peaks_table(links: Sequence[Link]) -> RenderableType:
    """Links with their peaks, the bound that headers leave, and the sources."""
    parts: list[RenderableType] = []
    for link in links:
        lane = f"{link.lane_bits_per_s / 1e9:.9g} Gbit/s"
        parts.append(Text(f"{link.name}: {link.lanes} x {lane}, {link.encoding}", style="bold"))
        table = Table(box=None)
        for head in ("", "one way", "both ways"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_row("peak", *map(_exact, (link.one_way_bytes_per_s, link.both_ways_bytes_per_s)))
        for bound in link.bounds:
            ways = (bound.one_way_bytes_per_s, bound.both_ways_bytes_per_s)
            table.add_row(f"packets of {bound.mtu_bytes} B", *map(_exact, ways))
        notes = [f"headers: {link.headers}", f"source: {link.source}"]
        notes += [f"note: {link.note}"] if link.note else []
        parts += [table, *(Text(note, style="dim") for note in notes), Text("")]
    return Group(*parts[:-1])


def _exact(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:,.1f} MB/s"
