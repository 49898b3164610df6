"""Network counters: errors and other events that hosts counted during the measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.compare.acceptance import Checked
from weft.analysis.network_counters import (
    SLOW,
    CountedKind,
    counted_events,
    uncounted_hosts,
)
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import CaseRow
from weft.units import format_bytes
from weft.wording import WITHOUT_SIZE, counted, in_a_row, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.compare.acceptance import Outcome
    from weft.record.run import Run
    from weft.topics.base import Results

SEES_ALL = "network counters include all traffic of the interface, port or host"
NOUNS: dict[CountedKind, str] = {
    "errors": "error",
    "drops": "dropped packet",
    "retransmissions": "retransmission",
    "ecn_marks": "ECN mark",
    "link_flaps": "link flap",
    "pauses": "pause frame",
    "waits": "tick without credits",
}
# Launches that a sentence names.
_MOST_LAUNCHES = 4


class CountedRow(CaseRow, frozen=True, kw_only=True):
    """Events of one kind that a device of a host counted while a case was measured.

    `launches` is how many launches the events were in, `in_launches` are their numbers.
    Such events are in `batches_there` of the `batches` of the case, and these have
    `slow_samples_there` of its `slow_samples`.
    """

    host: str
    device: str
    kind: CountedKind
    events: int
    counters: tuple[str, ...]
    in_launches: tuple[int, ...]
    batches: int
    batches_there: int
    slow_samples: int
    slow_samples_there: int

    @property
    def measured(self) -> str:
        """The test with its size."""
        size = () if self.test in WITHOUT_SIZE else (format_bytes(self.bytes),)
        return " ".join((self.test, *size, "over", self.over))


class NetworkCounters(Topic[tuple[CountedRow, ...]]):
    """Which errors, drops, retransmissions and marks the hosts counted."""

    name = "network_counters"
    title = "Network counters"

    def rows(self, results: Results) -> tuple[CountedRow, ...]:
        """One row per kind of event, device and case that is shown."""
        shown = {one.case for one in results.summaries}
        return tuple(
            CountedRow(
                **CountedRow.of(results.run.cases[one.case]),
                host=one.host,
                device=one.device,
                kind=one.kind,
                events=one.events,
                counters=one.counters,
                launches=len(one.launches),
                in_launches=one.launches,
                batches=one.batches,
                batches_there=one.batches_there,
                slow_samples=one.slow_samples,
                slow_samples_there=one.slow_samples_there,
            )
            for one in counted_events(results.run)
            if one.case in shown
        )

    def tables(self, rows: tuple[CountedRow, ...]) -> list[Table]:
        """One row per kind of event, device and case."""
        if not rows:
            return []
        return [
            Table(
                name=self.name,
                caption="Events that the hosts counted: retransmissions without those that TCP"
                f" found unnecessary; slow: samples over {SLOW:g} times the median, in batches with"
                " such events, of all.",
                head=("host", "device", "events", "while", "in", "slow"),
                rows=tuple(
                    (
                        row.host,
                        row.device,
                        counted(row.events, NOUNS[row.kind]),
                        row.measured,
                        _in_launches(row.in_launches),
                        f"{row.slow_samples_there:,} of {row.slow_samples:,}",
                    )
                    for row in rows
                ),
                left=(0, 1, 3),
            )
        ]

    def findings(self, rows: tuple[CountedRow, ...]) -> list[str]:
        """One sentence per kind of event and device; then the reach of the counters."""
        places: dict[tuple[str, str, CountedKind], list[CountedRow]] = {}
        for row in rows:
            places.setdefault((row.host, row.device, row.kind), []).append(row)
        found = [
            f"{host} {device}: {_in_words(kind, own)}"
            for (host, device, kind), own in places.items()
        ]
        return [*found, SEES_ALL] if found else []


def without_events(runs: Sequence[Run], kinds: Iterable[CountedKind]) -> tuple[Checked, ...]:
    """For each kind whether no host counted such events while the cases of the runs ran."""
    return tuple(_without(runs, kind) for kind in kinds)


def _without(runs: Sequence[Run], kind: CountedKind) -> Checked:
    rows = [row for run in runs for row in counted_events(run) if row.kind == kind]
    cases = [(run, tuple(run.cases.values())) for run in runs]
    blind = dict.fromkeys(host for run, own in cases for host in uncounted_hosts(run, kind, own))
    outcome: Outcome = "fail" if rows else "cannot tell" if blind else "pass"
    why = f"the hosts counted no {_many(kind)}"
    if rows:
        most = max(rows, key=lambda row: row.events)
        events = counted(sum(row.events for row in rows), NOUNS[kind])
        why = f"{events}, most on {most.host} {most.device} in case {most.case}; {SEES_ALL}"
    elif blind:
        why = f"{in_a_row(tuple(blind), 'and')} did not count {_many(kind)}"
    return Checked(
        case=f"*/{kind}", test=kind, transport="", bytes=None, asked=f"no {_many(kind)}",
        quantity="latency", outcome=outcome, why=why,
        launches=sum(len(run.launches) for run in runs),
    )  # fmt: skip


def _many(kind: CountedKind) -> str:
    return counted(0, NOUNS[kind]).removeprefix("0 ")


def _in_words(kind: CountedKind, rows: Sequence[CountedRow]) -> str:
    """ "41 retransmissions while stream 64 KiB over tcp was measured, in launches 2 and 4"."""
    events = counted(sum(row.events for row in rows), NOUNS[kind])
    launches = sorted({number for row in rows for number in row.in_launches})
    most = max(rows, key=lambda row: row.events)
    where = f"while {most.measured} was measured"
    if len(rows) > 1:
        where = f"in {counted(len(rows), 'case')}, most ({most.events:,}) {where}"
    slow = ""
    if most.slow_samples_there and most.batches_there < most.batches:
        slow = (
            f"; {most.slow_samples_there:,} of its {counted(most.slow_samples, 'slow sample')}"
            f" {verb_of(most.slow_samples_there, 'are')} in {most.batches_there:,} of its"
            f" {counted(most.batches, 'batch')}"
        )
    return f"{events} {where}, in {_in_launches(launches)}{slow}"


def _in_launches(launches: Sequence[int]) -> str:
    """ "launches 2 and 4", or of many their number: "10 launches"."""
    if len(launches) > _MOST_LAUNCHES:
        return counted(len(launches), "launch")
    numbers = in_a_row([str(number) for number in launches], "and")
    return f"launch{'es' if len(launches) > 1 else ''} {numbers}"
