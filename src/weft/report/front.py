"""The first screen of a record's page: what was measured, on what, and how far to believe it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.first_figures import first_figures
from weft.colours import places_of
from weft.large import parted
from weft.report.curve_cards import cards_of_curves
from weft.report.html import Card, Verdict
from weft.report.notes import INCOMPLETE, ending_in_words, state_of
from weft.topics import TOPICS
from weft.units import (
    format_bandwidth,
    format_bytes,
    format_computed_bytes,
    format_percent,
    format_time,
)
from weft.wording import counted, hosts_in_words, in_a_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.analysis.first_figures import FirstFigures
    from weft.record.run import Run
    from weft.topics.base import Results


_WARNING = "warning: "
# Causes of a disturbance that the first screen names.
MOST_NAMED = 3


def heading_of(run: Run) -> str:
    """Where it was measured; of what another program printed, this program."""
    where, imported = place_of(run), run.header.imported
    return " on ".join(filter(None, (imported.program if imported else "", where)))


def place_of(run: Run) -> str:
    """The hosts that were measured, or the platform that was simulated; of an import maybe none."""
    platform = run.header.plan.simulated
    return platform.label if platform else hosts_in_words(run.header.hosts)


def ranks_of(results: Results) -> str:
    """How many ranks the cases had: "2 ranks"."""
    *others, most = sorted({one.ranks for one in results.summaries}) or [0]
    return ", ".join([*map(str, others), counted(most, "rank")])


def transports_of(records: Sequence[Results]) -> tuple[str, ...]:
    """The transports of all records, each once, in the records' order."""
    names = (one.transport for results in records for one in results.summaries)
    return tuple(dict.fromkeys(names))


def facts_of(records: Sequence[Results]) -> tuple[str, ...]:
    """On what, when and how much: a few words each."""
    first = records[0]
    header = first.run.header
    machines = (machine_in_words(one) for one in header.hosts.values())
    facts = [*dict.fromkeys(filter(None, machines))]
    facts.append(f"{header.created_utc[:16].replace('T', ' ')} UTC")
    facts.append(ranks_of(first))
    facts.append(
        f"{counted(len(first.summaries), 'case')} over {', '.join(transports_of([first]))}"
    )
    if first.run.launches:
        facts.append(counted(len(first.run.launches), "launch"))
    if len(records) > 1:
        facts.append(f"and {counted(len(records) - 1, 'record')} more")
    return tuple(facts)


def machine_in_words(manifest: Mapping[str, Any]) -> str:
    """A host in a few words: its processor, cores and kernel, as far as its manifest has them."""
    cpu, software = manifest.get("cpu") or {}, manifest.get("software") or {}
    cores = cpu.get("cores")
    parts = [str(cpu.get("model") or ""), counted(cores, "core") if cores else ""]
    if kernel := software.get("kernel"):
        parts.append(f"Linux {kernel}")
    return ", ".join(filter(None, parts))


def cards_of(records: Sequence[Results]) -> tuple[Card, ...]:
    """A card a transport, and what topics say large; of several records none: they are compared."""
    if len(records) != 1:
        return ()
    transports = transports_of(records)
    places = places_of(transports)
    large = [figure for topic in TOPICS for figure in topic.large(records[0].of(topic))]
    return (
        *(
            Card(title=one.transport, group=places[one.transport], figures=tuple(figures_of(one)))
            for one in first_figures(records[0].run, records[0].summaries)
        ),
        *cards_of_curves(large, transports),
    )


def figures_of(one: FirstFigures) -> list[tuple[str, str, str]]:
    """What each figure is, its value, and its interval, in words."""
    found = []
    if one.latency_ns:
        what = f"latency, {format_bytes(one.latency_bytes)}"
        found.append((what, *parted(one.latency_ns, format_time)))
    if one.bandwidth_bytes_per_s:
        what = f"bandwidth, {format_bytes(one.bandwidth_bytes)}"
        found.append((what, *parted(one.bandwidth_bytes_per_s, format_bandwidth)))
    if one.half:
        size = one.half.size_bytes
        shown = parted(size, format_computed_bytes) if size else ("not known", one.half.why)
        found.append(("n½, half of it", *shown))
    if one.percent_of_peak:
        what = f"of the peak of {one.link}"
        found.append((what, *parted(one.percent_of_peak, format_percent)))
    elif one.bandwidth_bytes_per_s:
        found.append(("of the peak", "not known", "no link is named"))
    return found


def warnings_of(run: Run) -> tuple[str, ...]:
    """What the record says that disturbed it."""
    return (*run.header.notes, *(run.footer.notes if run.footer else (INCOMPLETE,)))


def short_warning(line: str) -> str:
    """What disturbed it: of a warning without the effect and the cure, of what failed the cause."""
    return line.removeprefix(_WARNING).split(": ")[0] if line.startswith(_WARNING) else line


def verdicts_of(records: Sequence[Results]) -> tuple[Verdict, ...]:
    """How each record ended: whether it is settled, what disturbed it, and what to do next.

    Of several each bears its record's name.
    """
    if len(records) == 1:
        return (verdict_of(records[0]),)
    found = ((one.run.path.name, verdict_of(one)) for one in records)
    return tuple(
        msgspec.structs.replace(verdict, word=f"{name}: {verdict.word}") for name, verdict in found
    )


def verdict_of(results: Results, *, with_causes: bool = True) -> Verdict:
    """The verdict on one record; `with_causes` it names what disturbed the run."""
    state = state_of(results.run, results.summaries)
    first, dot, rest = ending_in_words(results.run, results.summaries).partition(". ")
    word = f"{state[0].upper()}{state[1:]}"
    # The sentence of an ending stands alone elsewhere, and then says it itself.
    said = first.removeprefix(f"{word}: ")
    first = f"{said[0].upper()}{said[1:]}"
    is_simulated = results.run.header.plan.simulated is not None
    imported = results.run.header.imported
    known = warnings_of(results.run) if with_causes and not is_simulated else ()
    causes = list(dict.fromkeys(map(short_warning, known)))
    disturbed = ""
    if causes:
        more = len(causes) - MOST_NAMED
        others = [f"{more} more"] if more > 0 else []
        of_what = "Note" if imported else "Interference"
        disturbed = f" {of_what}: {in_a_row([*causes[:MOST_NAMED], *others], 'and')}."
    has_all = all(one.status in ("ok", "unsupported") for one in results.summaries)
    mood = "good" if state == "settled" or (state == "simulated" and has_all) else "open"
    return Verdict(
        word=f"{word}.",
        sentence=first + ("." if dot else "") + disturbed,
        mood="bad" if state == "nothing measured" else mood,
        then=rest,
    )
