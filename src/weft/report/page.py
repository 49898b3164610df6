"""The report: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.compare.conditions import conditions_of, unlike
from weft.charts import Chart
from weft.outputs import write_output
from weft.report.html import render
from weft.report.models import model_tables
from weft.report.notes import INCOMPLETE, ending_in_words, grouped_flags, troubles_in_words
from weft.report.signatures import signature_chart
from weft.tables import Table
from weft.topics import TOPICS, charts_of_topic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.fits.modelled import Modelled
    from weft.record.run import Run
    from weft.topics.base import Results, Topic


def report_path(record: Path) -> Path:
    """Where a record's report goes: beside it, under the same name."""
    name = record.name.removesuffix(".zst").removesuffix(".jsonl")
    return record.with_name(name + ".html")


def write_report(
    records: Sequence[Results],
    path: Path,
    models: Modelled | None = None,
    more: Sequence[Section] = (),
    *,
    front: Front | None = None,
) -> None:
    """Write the page, with `more` sections last. Raises WeftError where it cannot be written."""
    write_output(path, render_page(records, models, more, front=front))


def render_page(
    records: Sequence[Results],
    models: Modelled | None = None,
    more: Sequence[Section] = (),
    *,
    front: Front | None = None,
) -> str:
    """The page's HTML; the same for the same records. With models it has a part about them."""
    first = [front.section] if front else []
    sections = [*first, *(_section(topic, records) for topic in TOPICS), *more]
    signatures = [signature_chart(models.signatures)] if models and models.signatures else []
    return render(
        "page.html.j2",
        [*(chart for one in sections for chart in one.charts), *signatures],
        sections=[one for one in sections if one.charts or one.tables or one.findings],
        signatures=[chart.name for chart in signatures],
        models=model_tables(models) if models else [],
        model_notes=_model_notes(models) if models else [],
        title=front.title if front else _title(records),
        summary=front.summary if front else _summary(records),
        pictures=front.pictures if front else (),
        endings=list(dict.fromkeys(ending_in_words(one.run, one.summaries) for one in records)),
        warnings=list(front.warnings) if front else _warnings(records),
        troubles=[line for one in records for line in troubles_in_words(one.summaries)],
        notes=_notes(records),
        methods=[_method(one.run) for one in records],
        hosts=_hosts(records),
    )


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What a page shows of one topic."""

    name: str
    title: str
    charts: tuple[Chart, ...]
    tables: tuple[Table, ...]
    findings: tuple[str, ...]

    @property
    def drawn(self) -> tuple[str, ...]:
        """The names of the charts."""
        return tuple(chart.name for chart in self.charts)


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A drawing that is no chart: its SVG, and what it shows in words."""

    name: str
    title: str
    svg: str

    @property
    def data(self) -> str:
        """As an image's address."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


class Front(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on top of a page that answers a question by several records.

    They are unlike on purpose, so their conditions are no warning: `warnings` are the answer's.
    """

    title: str
    summary: str
    warnings: tuple[str, ...]
    section: Section
    pictures: tuple[Picture, ...] = ()


def _section(topic: Topic[Any], records: Sequence[Results]) -> Section:
    """A topic of all records; of several, tables and findings bear their record's name."""
    tables, findings = [], []
    for one in records:
        name, rows = one.run.path.name, one.of(topic)
        several = f"{name}: " if len(records) > 1 else ""
        tables += [
            msgspec.structs.replace(table, caption=several + table.caption)
            for table in one.labelled(topic.wide(rows))
        ]
        findings += [several + line for line in topic.findings(rows)]
    return Section(
        name=topic.name,
        title=topic.title,
        charts=tuple(charts_of_topic(topic, records)),
        tables=tuple(tables),
        findings=tuple(findings),
    )


def _model_notes(found: Modelled) -> list[str]:
    lines = list(found.refused)
    for one in found.models:
        parts = (one.line, one.piecewise, one.loggp)
        notes = [note for part in parts if part is not None for note in part.notes]
        lines += [f"{one.name}: {note}" for note in dict.fromkeys(notes)]
    return lines


def _title(records: Sequence[Results]) -> str:
    places = dict.fromkeys(_place(one.run) for one in records)
    return f"weft: {', '.join(places)}"


def _place(run: Run) -> str:
    """The hosts that were measured, or the platform that was simulated."""
    platform = run.header.plan.simulated
    return platform.label if platform else " and ".join(run.header.hosts)


def _summary(records: Sequence[Results]) -> str:
    """The sentence on top: what each topic has to say first, one sentence per record."""
    sentences = []
    for one in records:
        heads = [head for topic in TOPICS if (head := topic.headline(one.of(topic)))]
        counts = sorted({s.ranks for s in one.summaries})
        ranks = ", ".join(map(str, counts)) + (" rank" if counts == [1] else " ranks")
        sentences.append(f"{ranks} on {_place(one.run)}{': ' if heads else ''}{'; '.join(heads)}.")
    return " ".join(sentences)


def _warnings(records: Sequence[Results]) -> list[str]:
    """Lines of the records' own, and unlike conditions first."""
    runs = [one.run for one in records]
    found = unlike([conditions_of(run.header, run.lines.launches) for run in runs])
    differ = [f"{name}: {' / '.join(texts)}" for name, texts in found.items()]
    first = "these records were measured under unlike conditions: " + "; ".join(differ)
    lines = [first] if differ else []
    for run in runs:
        lines += run.header.notes
        lines += run.footer.notes if run.footer else (INCOMPLETE,)
    return lines


def _notes(records: Sequence[Results]) -> list[dict[str, Any]]:
    return [
        {"first": cases[0][1], "cases": [f"{c}: {f}" for c, f in cases]}
        for one in records
        for cases in grouped_flags(one.summaries).values()
    ]


def _method(run: Run) -> list[tuple[str, str]]:
    plan = run.header.plan
    first = next(iter(run.launches.values()), None)
    clock = run.clocks.get(first.launch) if first else None
    facts = [
        ("record", run.path.name),
        ("command", " ".join(run.header.command)),
        ("simulated" if plan.simulated else "measured", run.header.created_utc),
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


def _hosts(records: Sequence[Results]) -> list[dict[str, str]]:
    hosts: dict[str, str] = {}
    for one in records:
        for name, manifest in one.run.header.hosts.items():
            text = msgspec.json.format(msgspec.json.encode(manifest), indent=2).decode()
            hosts[name] = text
    return [{"name": name, "manifest": text} for name, text in hosts.items()]
