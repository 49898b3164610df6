"""The report: one HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.compare.conditions import conditions_of, unlike
from weft.analysis.ways import findings_of
from weft.plan.suites import follows_osu
from weft.report.charts import chart_of
from weft.report.figures import figures_of
from weft.report.host import availability_chart, host_tables
from weft.report.html import render, write_page
from weft.report.many import DRAWN_TESTS, many_charts, many_leaves
from weft.report.memory import memory_tables, reuse_charts
from weft.report.osu_figures import not_osu, osu_charts, osu_tables
from weft.report.signatures import signature_chart
from weft.report.tables import column_heads, model_tables, size_rows
from weft.report.tails import tail_tables
from weft.report.terminal import (
    ending_in_words,
    grouped_flags,
    peaks_in_words,
    troubles_in_words,
)
from weft.units import format_bandwidth, format_bytes, format_time
from weft.written import RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from weft.analysis.fits.modelled import Modelled
    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run
    from weft.report.charts import Chart

Runs = list[tuple["Run", "tuple[CaseSummary, ...]"]]


def report_path(record: Path) -> Path:
    """Where a record's report goes: beside it, under the same name."""
    name = record.name.removesuffix(".zst").removesuffix(".jsonl")
    return record.with_name(name + ".html")


def write_report(runs: Runs, path: Path, models: Modelled | None = None) -> None:
    """Write the page. Raises WeftError where it cannot be written."""
    write_page(render_page(runs, models), path)


def render_page(runs: Runs, models: Modelled | None = None) -> str:
    """The page's HTML; the same for the same records. With models it has a part about them."""
    osu = _by_record(runs, osu_charts)
    return render(
        "page.html.j2",
        [*osu, *_charts([(run, not_osu(run, summaries)) for run, summaries in runs], models)],
        osu_tables=osu_tables(osu),
        host_tables=[table for run, summaries in runs for table in host_tables(run, summaries)],
        models=model_tables(models) if models else [],
        model_notes=_model_notes(models) if models else [],
        title=_title(runs),
        summary=_summary(runs),
        endings=[ending_in_words(run, summaries) for run, summaries in runs],
        warnings=_warnings(runs),
        tables=[
            _table(run, rest, len(runs))
            for run, summaries in runs
            if (rest := not_osu(run, summaries))
        ],
        tails=[table for run, summaries in runs for table in tail_tables(not_osu(run, summaries))],
        memory=[table for run, summaries in runs for table in memory_tables(run, summaries)],
        troubles=[line for _, summaries in runs for line in troubles_in_words(summaries)],
        notes=_notes(runs),
        leaves=[leaf for run, summaries in runs for leaf in many_leaves(run, summaries)],
        findings=[line for run, summaries in runs for line in findings_of(run, summaries)],
        methods=[_method(run) for run, _ in runs],
        hosts=_hosts(runs),
    )


def _charts(runs: Runs, models: Modelled | None) -> list[Chart]:
    """The charts of the summaries that are in no figure of the OSU paper."""
    charts = [chart_of(one) for one in figures_of(runs) if one.name not in DRAWN_TESTS]
    charts += _by_record(runs, many_charts)
    charts += reuse_charts(runs)
    if models is not None and models.signatures:
        charts.append(signature_chart(models.signatures))
    return charts + _by_record(runs, _busy_charts)


def _busy_charts(run: Run, _: Sequence[CaseSummary]) -> list[Chart]:
    chart = None if follows_osu(run.header.plan.suite) else availability_chart(run)
    return [] if chart is None else [chart]


def _by_record(
    runs: Runs, charts_of: Callable[[Run, Sequence[CaseSummary]], list[Chart]]
) -> list[Chart]:
    """The charts of each record; of several records each bears its record's name."""
    charts = []
    for at, (run, summaries) in enumerate(runs):
        for chart in charts_of(run, summaries):
            name, title = f"{chart.name}-{at}", f"{chart.title} ({run.path.name})"
            alone = len(runs) == 1
            charts.append(
                chart if alone else msgspec.structs.replace(chart, name=name, title=title)
            )
    return charts


def _model_notes(found: Modelled) -> list[str]:
    lines = list(found.refused)
    for one in found.models:
        parts = (one.line, one.piecewise, one.loggp)
        notes = [note for part in parts if part is not None for note in part.notes]
        lines += [f"{one.name}: {note}" for note in dict.fromkeys(notes)]
    return lines


def _title(runs: Runs) -> str:
    hosts = dict.fromkeys(host for run, _ in runs for host in run.header.hosts)
    return f"weft: {', '.join(hosts)}"


def _summary(runs: Runs) -> str:
    """The sentence on top: the smallest latency and the peak of each transport."""
    sentences = []
    for run, summaries in runs:
        hosts = " and ".join(run.header.hosts)
        parts = [
            _extremes(name, summaries) for name in dict.fromkeys(s.transport for s in summaries)
        ]
        ranks = max(s.ranks for s in summaries)
        place = f"{ranks} ranks on {hosts}"
        sentences.append(f"{place}: " + "; ".join(part for part in parts if part) + ".")
    return " ".join(sentences)


def _extremes(transport: str, summaries: Sequence[CaseSummary]) -> str:
    good = [s for s in summaries if s.transport == transport and s.status == "ok"]
    # What is typical of a transport is its usual way, where that was measured.
    own = [s for s in good if not s.variant] or good
    latencies = [(s.bytes, s.latency_ns) for s in own if s.latency_ns and s.test == "ping_pong"]
    rates = [
        (s.bandwidth_bytes_per_s, s.bytes)
        for s in own
        if s.bandwidth_bytes_per_s and s.test == "stream"
    ]
    words = []
    at_eight = [pair for pair in latencies if pair[0] == 8] or latencies[:1]
    if at_eight:
        size, latency = at_eight[0]
        words.append(f"{format_bytes(size)} latency {format_time(latency.median)}")
    if rates:
        rate, size = max(rates, key=lambda pair: pair[0].median)
        words.append(f"peak bandwidth {format_bandwidth(rate.median)} at {format_bytes(size)}")
    return f"over {transport} " + ", ".join(words) if words else ""


def _warnings(runs: Runs) -> list[str]:
    """Lines of the records' own, and unlike conditions first."""
    found = unlike([conditions_of(run.header, run.lines.launches) for run, _ in runs])
    told = [f"{name}: {' / '.join(texts)}" for name, texts in found.items()]
    lines = ["these records were measured under unlike conditions: " + "; ".join(told)] * bool(told)
    for run, _ in runs:
        lines += run.header.notes
        lines += run.footer.notes if run.footer else ("this record has no end: it was cut off",)
    return lines


def _notes(runs: Runs) -> list[dict[str, Any]]:
    return [
        {"first": cases[0][1], "cases": [f"{c}: {f}" for c, f in cases]}
        for _, summaries in runs
        for cases in grouped_flags(summaries).values()
    ]


def _table(run: Run, summaries: Sequence[CaseSummary], records: int) -> dict[str, Any]:
    caption = " ".join((f"Median over launches; {RULE}.", *peaks_in_words(summaries)))
    return {
        "caption": caption if records == 1 else f"{run.path.name}: {caption}",
        "heads": column_heads(run, summaries),
        "rows": [{"size": size, "cells": cells} for size, *cells in size_rows(summaries)],
    }


def _method(run: Run) -> list[tuple[str, str]]:
    plan = run.header.plan
    first = next(iter(run.launches.values()), None)
    clock = run.clocks.get(first.launch) if first else None
    facts = [
        ("record", run.path.name),
        ("command", " ".join(run.header.command)),
        ("measured", run.header.created_utc),
        ("weft", run.header.weft_version),
        ("MPI", first.mpi if first else plan.mpi),
        ("launches", f"{len(run.launches)} made, {plan.launches} asked of each case"),
        ("order", f"random, seed {plan.seed}"),
        ("budget and precision", f"{plan.budget_s:g} s, ±{100 * plan.precision:g} %"),
    ]
    if clock:
        cost = f"two reads cost {clock.overhead_ticks} ticks"
        facts.append(("clock", f"{clock.name}, {clock.tick_ns:.6f} ns a tick, {cost}"))
    facts += [(p.title, p.summary) for p in run.header.patterns]
    return facts


def _hosts(runs: Runs) -> list[dict[str, str]]:
    hosts: dict[str, str] = {}
    for run, _ in runs:
        for name, manifest in run.header.hosts.items():
            text = msgspec.json.format(msgspec.json.encode(manifest), indent=2).decode()
            hosts[name] = text
    return [{"name": name, "manifest": text} for name, text in hosts.items()]
