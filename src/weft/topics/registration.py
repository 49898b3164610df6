"""Registration: what it costs to register memory, ahead or with each message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.layers import Step, step_between
from weft.analysis.stats.needed import FEWEST, Needed
from weft.estimate import Estimate
from weft.record.launches import launch_medians, samples_by_launch
from weft.tables import Table
from weft.topics.base import Topic, as_plain
from weft.topics.rows import SizeRow
from weft.topics.series import positive_of_case
from weft.units import format_bytes, format_time
from weft.wording import NO_INTERVAL, at, with_ends, with_half

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run
    from weft.topics.base import Results

TEST = "registration"
PART = "deregister"
# Each message registered before it is sent, and the same test with memory registered ahead.
REGISTER_EACH = {"register_ping_pong": "ping_pong", "register_stream": "stream"}


class RegistrationRows(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of registration: sizes of memory, and sentences about messages."""

    sizes: tuple[Registration, ...]
    each: tuple[RegisteringEach, ...]


class RegisteringEach(SizeRow, frozen=True, kw_only=True):
    """What registering each message adds to its time, ns; `needed` where that is open."""

    test: str
    step: Step
    needed: Needed | None


class Registration(SizeRow, frozen=True, kw_only=True):
    """Registering memory of a size whose pages are there, and deregistering it; times in ns."""

    launches: int
    register_ns: Estimate
    deregister_ns: Estimate


class RegisteringMemory(Topic[RegistrationRows]):
    """What it costs to register memory."""

    name = "registration"
    title = "Registration of memory"
    group = "memory"

    def rows(self, results: Results) -> RegistrationRows:
        """By size, and beside each message."""
        return RegistrationRows(
            sizes=registrations_of(results.run, results.summaries),
            each=cost_of_registering_each(results.run, results.summaries),
        )

    def tables(self, rows: RegistrationRows) -> list[Table]:
        """One row per transport, variant and size."""
        return [_table(rows.sizes)] if rows.sizes else []

    def findings(self, rows: RegistrationRows) -> list[str]:
        """What registering each message adds."""
        return [_in_words(row) for row in rows.each]

    def needed(self, rows: RegistrationRows) -> list[Needed]:
        """Of each test where it makes no significant difference."""
        return [row.needed for row in rows.each if row.needed]

    def plain(self, rows: RegistrationRows) -> list[dict[str, Any]]:
        """One row per transport, variant and size; then what each message takes."""
        return as_plain((*rows.sizes, *rows.each))


def registrations_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[Registration, ...]:
    """One row per transport, variant and size of the test `registration`, sizes ascending."""
    rows = []
    for summary in summaries:
        if summary.test != TEST or summary.latency_ns is None or summary.status != "ok":
            continue
        own = [b for b in run.measured_by_case.get(summary.case, ()) if PART in b.parts]
        times = samples_by_launch(own, lambda batch: run.time_ns(batch, PART))
        medians = launch_medians(times)
        if not medians or min(medians.values()) <= 0:
            continue
        rows.append(
            Registration(
                **Registration.of(run.cases[summary.case]),
                launches=summary.launches,
                register_ns=summary.latency_ns,
                deregister_ns=positive_of_case(run, medians, run.resolution_ns(own)),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.transport, row.variant, row.bytes)))


def cost_of_registering_each(
    run: Run, summaries: Sequence[CaseSummary]
) -> tuple[RegisteringEach, ...]:
    """What registering each message adds to its time, one row per case."""
    good = {run.cases[s.case]: s for s in summaries if s.status == "ok"}
    said = []
    for case, summary in good.items():
        ahead = msgspec.structs.replace(case, test=REGISTER_EACH.get(case.test, ""))
        other = good.get(ahead)
        if other is None:
            continue
        before, after = time_of(other), time_of(summary)
        if before is not None and after is not None:
            step = step_between(summary.bytes, before, after)
            # One launch does not show the variation between launches.
            if min(summary.launches, other.launches) < FEWEST:
                step = msgspec.structs.replace(step, verdict="cannot tell")
            said.append(
                RegisteringEach(
                    **RegisteringEach.of(ahead),
                    step=step,
                    needed=step.needed(run.header.plan.precision),
                )
            )
    return tuple(said)


def time_of(summary: CaseSummary) -> Estimate | None:
    """The latency in ns, or for a stream the time of one message: its bytes over the bandwidth."""
    rate = summary.bandwidth_bytes_per_s
    if summary.latency_ns is not None or rate is None:
        return summary.latency_ns
    return rate.mapped(lambda bytes_per_s: summary.bytes * 1e9 / bytes_per_s)


def _in_words(row: RegisteringEach) -> str:
    step = row.step
    place = at(row.over, row.test, row.bytes)
    if not step.has_interval:
        return f"registration: {place}: what registering each message adds has {NO_INTERVAL}"
    if step.verdict == "cannot tell":
        return f"registration: {place}: registering each message makes no significant difference"
    change = f"{step.verdict} {added_in_words(step)}"
    return f"registration: {place}: registering each message {change} per message"


def added_in_words(step: Step) -> str:
    """How much is added, or saved, with its interval: "1.50 µs [1.20, 1.80]"."""
    return with_ends(step.added_ns.mapped(abs), format_time)


def _table(rows: Sequence[Registration]) -> Table:
    return Table(
        name="registration",
        caption="Registration of memory whose pages are there.",
        head=("transport", "size", "register", "deregister"),
        rows=tuple(
            (
                row.over,
                format_bytes(row.bytes),
                with_half(row.register_ns, format_time),
                with_half(row.deregister_ns, format_time),
            )
            for row in rows
        ),
    )
