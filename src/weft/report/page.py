"""The report: one HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.compare.conditions import conditions_of, unlike
from weft.analysis.stats.launches import next_session_of
from weft.colours import of_transports
from weft.errors import WeftError
from weft.outputs import write_output
from weft.record.reader import stem_of
from weft.report.front import (
    cards_of,
    facts_of,
    heading_of,
    machine_in_words,
    place_of,
    ranks_of,
    short_warning,
    transports_of,
    verdicts_of,
    warnings_of,
)
from weft.report.html import Card, Fold, Page, Section, Verdict, render
from weft.report.models import model_tables
from weft.report.notes import grouped_flags, troubles_in_words
from weft.report.signatures import signature_chart
from weft.stages import counted_off
from weft.topics import TOPICS, charts_of_topic
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.fits.modelled import Modelled
    from weft.record.model import Imported
    from weft.record.run import Run
    from weft.topics.base import Results, Topic


MEDIANS = (
    "Every figure is the median over launches of each launch's median; the interval covers the"
    " variation between launches. Received buffers were checked byte by byte outside the timed"
    " region."
)
STATED = (
    "Figures are as another program printed them: weft measured none of them, checked no buffer and"
    " knows no scatter within a run."
)
# Reasons of cases without a figure on the first screen.
MOST_TROUBLES = 6
# Of a page's own name; a file's may have 255 bytes, and more letters while it is written.
LONGEST_NAME = 200


def report_path(record: Path, part: str = "", *others: tuple[Path, str]) -> Path:
    """Where a record's report goes: beside it, under the same name; of a part under its own.

    That of several records has the names of all, so that the page of none is replaced. Raises
    WeftError where these are too long for a file.
    """
    names = [_page_name(*one) for one in ((record, part), *others)]
    name = f"{'+'.join(names)}.html"
    if others and len(name.encode()) > LONGEST_NAME:
        raise WeftError(
            f"no file's name holds those of {counted(len(names), 'record')}", "use -o page.html"
        )
    return record.with_name(name)


def _page_name(record: Path, part: str) -> str:
    # What parts transports from each other and from their settings is no letter of a file's name.
    own = "".join(one if one.isalnum() or one in "._" else "-" for one in part)
    return f"{stem_of(record)}-{own}" if part else stem_of(record)


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
    return render(
        Page(
            title=f"weft: {front.title}" if front else _title(records),
            heading=front.title if front else _places(records),
            kind="weft prediction" if front else _kind(records),
            summary=front.summary if front else _summary(records),
            facts=() if front else facts_of(records),
            commands=tuple(dict.fromkeys(" ".join(one.run.header.command) for one in records)),
            cards=front.cards if front else cards_of(records),
            verdicts=() if front else (*_alarms(records), *verdicts_of(records)),
            warnings=front.warnings if front else _differing(records),
            sections=(
                *first,
                *(_section(topic, records) for topic in counted_off(TOPICS, "making tables")),
                *more,
                *([_models_section(models, records)] if models else []),
                Section(name="notes", title="Notes on the results", folds=_notes(records)),
                Section(
                    name="conditions",
                    title=_conditions_title(records),
                    **_disturbed(records),
                ),
                _methods(records),
                Section(name="hosts", title="Hosts", folds=_hosts(records)),
            ),
        )
    )


class Front(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on top of a page that answers a question by several records.

    They are unlike on purpose, so their conditions are no warning: `warnings` are the answer's.
    """

    title: str
    summary: str
    warnings: tuple[str, ...]
    section: Section
    cards: tuple[Card, ...] = ()


def _section(topic: Topic[Any], records: Sequence[Results]) -> Section:
    """A topic of all records; of several, tables and findings bear their record's name.

    What a finding is about stands in the heading, and not before each of them.
    """
    tables, findings = [], []
    about = f"{topic.name.replace('_', ' ')}: "
    for one in records:
        name, rows = one.name, one.of(topic)
        several = f"{name}: " if len(records) > 1 else ""
        tables += [
            msgspec.structs.replace(table, caption=several + table.caption)
            for table in one.labelled(topic.wide(rows))
        ]
        findings += [several + line.removeprefix(about) for line in one.findings(topic)]
    return Section(
        name=topic.name,
        title=topic.title,
        charts=tuple(charts_of_topic(topic, records)),
        tables=tuple(tables),
        findings=tuple(findings),
    )


def _models_section(models: Modelled, records: Sequence[Results]) -> Section:
    """The models, folded: how many series have one."""
    notes = _model_notes(models)
    signatures = [signature_chart(models.signatures)] if models.signatures else []
    tables = tuple(model_tables(models))
    if not tables and not signatures and not notes:
        return Section(name="models", title="Models")
    many, few = len(models.models), len(models.refused)
    without = f"; {few} without a model" if few else ""
    return Section(
        name="models",
        title="Models",
        charts=tuple(of_transports(one, transports_of(records)) for one in signatures),
        tables=tables,
        folds=(Fold(line=counted(len(notes), "note"), sentences=tuple(notes)),) if notes else (),
        line=f"Latency, bandwidth and n½ fitted to {counted(many, 'curve')}{without}"
        if many
        else f"Of {counted(few, 'curve')} there is no model",
    )


def _model_notes(found: Modelled) -> list[str]:
    lines = list(found.refused)
    for one in found.models:
        parts = (one.line, one.piecewise, one.loggp)
        notes = [note for part in parts if part is not None for note in part.notes]
        lines += [f"{one.name}: {note}" for note in dict.fromkeys(notes)]
    return lines


def _title(records: Sequence[Results]) -> str:
    return f"weft: {_places(records)}"


def _places(records: Sequence[Results]) -> str:
    return ", ".join(dict.fromkeys(heading_of(one.run) for one in records))


def _kind(records: Sequence[Results]) -> str:
    """What kind of page it is: a run, or several of them."""
    run = records[0].run
    word = (
        "simulated" if run.header.plan.simulated else "imported" if run.header.imported else "run"
    )
    return f"weft: {counted(len(records), 'record')}" if len(records) > 1 else f"weft {word}"


def _summary(records: Sequence[Results]) -> str:
    """What each topic has to say first, one sentence per record.

    Of one record whose figures stand on cards nothing is said again.
    """
    sentences = []
    with_cards = len(records) == 1 and bool(cards_of(records))
    for one in records:
        said = [topic for topic in TOPICS if not (with_cards and topic.is_on_cards)]
        heads = [
            head
            for topic in said
            if (head := topic.headline(one.of(topic))) and not topic.alarm(one.of(topic))
        ]
        if heads or not with_cards:
            colon = ": " if heads else ""
            name = f"{one.name}: " if len(records) > 1 else ""
            on = ", " if one.run.header.plan.simulated else " on "
            where = f"{ranks_of(one)}{on}{place_of(one.run)}".removesuffix(on)
            sentences.append(f"{name}{where}{colon}{'; '.join(heads)}.")
    return " ".join(sentences)


def _alarms(records: Sequence[Results]) -> tuple[Verdict, ...]:
    """What is wrong, before how precisely it is known: a slow node may be measured well."""
    found = [(one, topic.alarm(one.of(topic))) for one in records for topic in TOPICS]
    several = len(records) > 1
    return tuple(
        Verdict(
            word=f"{one.name}: something is wrong." if several else "Something is wrong.",
            sentence=f"{alarm}.",
            mood="bad",
        )
        for one, alarm in found
        if alarm
    )


def _differing(records: Sequence[Results]) -> tuple[str, ...]:
    """Unlike conditions of several records, and the reasons of cases without a figure."""
    runs = [one.run for one in records]
    found = unlike([conditions_of(run.header, run.lines.launches) for run in runs])
    differ = [f"{name}: {' / '.join(texts)}" for name, texts in found.items()]
    first = "these records were measured under unlike conditions: " + "; ".join(differ)
    # Below the verdict stands already how to go on.
    troubles = [
        line.removesuffix(next_session_of(one.run).to_finish)
        for one in records
        for line in troubles_in_words(one.summaries)
    ]
    more = len(troubles) - MOST_TROUBLES
    last = [f"and {more} more reasons: see the tables"] if more > 0 else []
    return tuple(([first] if differ else []) + troubles[:MOST_TROUBLES] + last)


def _is_simulated(records: Sequence[Results]) -> bool:
    return all(one.run.header.plan.simulated for one in records)


def _conditions_title(records: Sequence[Results]) -> str:
    if all(one.run.header.imported for one in records):
        return "Notes on the outputs"
    return "Simulated platform" if _is_simulated(records) else "Interference"


def _disturbed(records: Sequence[Results]) -> dict[str, Any]:
    """What the machine did that moves figures: what it is in a line, its effect and cure inside.

    What a line says whole has nothing inside.
    """
    lines = list(dict.fromkeys(line for one in records for line in warnings_of(one.run)))
    short = {line: short_warning(line) for line in lines}
    return {
        "notes": tuple(line for line in lines if short[line] == line),
        "folds": tuple(
            Fold(line=short[line], sentences=(line,)) for line in lines if short[line] != line
        ),
    }


def _notes(records: Sequence[Results]) -> tuple[Fold, ...]:
    return tuple(
        Fold(
            line=f"{counted(len(cases), 'case')}: {kind}",
            sentences=_said_of(cases),
        )
        for one in records
        for kind, cases in grouped_flags(one.summaries).items()
    )


def _said_of(cases: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """What is said of each case; once of all of whom the same is said."""
    said = {flag for _, flag in cases}
    if len(cases) > 1 and len(said) == 1:
        return (f"{', '.join(case for case, _ in cases)}: {said.pop()}",)
    return tuple(f"{case}: {flag}" for case, flag in cases)


def _methods(records: Sequence[Results]) -> Section:
    folds = []
    for one in records:
        run = one.run
        if run.header.imported:
            line = counted(len(run.launches), "run")
            facts = _of_another(run, run.header.imported)
        else:
            line = f"{counted(len(run.launches), 'launch')}, {run.header.plan.budget_s:g} s"
            facts = _method(run)
        folds.append(Fold(line=f"{run.path.name}: {line}", facts=tuple(facts)))
    stated = [one.run.header.imported for one in records]
    return Section(
        name="method",
        title="How it was measured",
        notes=(
            *([] if all(stated) else [MEDIANS]),
            *([STATED] if any(stated) else []),
        ),
        folds=tuple(folds),
    )


def _of_another(run: Run, imported: Imported) -> list[tuple[str, str]]:
    """What is known of how another program measured."""
    return [
        ("record", run.path.name),
        ("program", imported.program),
        ("started by", imported.command or "not known"),
        ("read from", ", ".join(imported.files)),
        ("dated", run.header.created_utc),
        ("read by", f"weft {run.header.weft_version}, {' '.join(run.header.command)}"),
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


def _hosts(records: Sequence[Results]) -> tuple[Fold, ...]:
    hosts: dict[str, Fold] = {}
    for one in records:
        for name, manifest in one.run.header.hosts.items():
            text = msgspec.json.format(msgspec.json.encode(manifest), indent=2).decode()
            machine = machine_in_words(manifest)
            line = f"{name}: {machine}" if machine else name
            hosts[name] = Fold(line=line, plain=text)
    return tuple(hosts.values())
