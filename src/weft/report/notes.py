"""What to know of a record beside its figures: reasons, flags, and how the run ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.launches import launches_of, next_session_of, what_would_tell
from weft.analysis.stats.needed import at_first, half_of, to_settle
from weft.wording import counted, counted_cases, status_in_words, verb_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Imported
    from weft.record.run import Run

INCOMPLETE = "this record is incomplete: the run was killed"


def troubles_in_words(summaries: Sequence[CaseSummary]) -> list[str]:
    """The reasons of cases that are not ok, each once with how many cases it holds for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for summary in summaries:
        if summary.status != "ok":
            reasons.setdefault((summary.status, summary.reason), []).append(summary.case)
    return [
        f"{status_in_words(status)}: {counted_cases(cases)}: {reason}"
        for (status, reason), cases in reasons.items()
    ]


def grouped_flags(summaries: Sequence[CaseSummary]) -> dict[str, list[tuple[str, str]]]:
    """What to know of cases, by the kind of flag (its words up to the first figure or colon)."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for summary in summaries:
        for flag in summary.flags:
            kind = flag.split(",")[0].split(":")[0].split(" by ")[0]
            kinds.setdefault(kind.rstrip(" 0123456789%±"), []).append((summary.case, flag))
    return kinds


def state_of(run: Run, summaries: Sequence[CaseSummary]) -> str:
    """What a record is in a word or two: "settled", "not settled", "interrupted"."""
    footer = run.footer
    if run.header.imported:
        return "imported"
    if not any(one.status in ("ok", "not_tried") for one in summaries):
        return "nothing measured"
    if footer is None:
        return "incomplete"
    if footer.outcome == "interrupted":
        return "interrupted"
    if run.header.plan.simulated:
        return "simulated"
    return "settled" if all(one.settled for one in summaries) else "not settled"


def flags_in_words(summaries: Sequence[CaseSummary]) -> list[str]:
    """A line a kind of flag: how many cases have it, and the first of them in full."""
    lines = []
    for cases in grouped_flags(summaries).values():
        case, flag = cases[0]
        where = (
            case
            if len(cases) == 1
            else f"{len(cases)} of {counted(len(summaries), 'case')}, first {case}"
        )
        lines.append(f"note: {where}: {flag}")
    return lines


def _others_in_words(summaries: Sequence[CaseSummary]) -> str:
    """How many cases did not reach the precision although the run is done, by the reason.

    Of a test whose tail is its figure no precision of the median is asked for.
    """
    wide = sum(s.status == "ok" and not s.settled for s in summaries)
    lost = sum(s.status != "ok" for s in summaries)
    has = f"{verb_of(wide, 'have')} all {'its' if wide == 1 else 'their'}"
    words = [f"{wide} {has} launches and a wider interval"] if wide else []
    words += [f"{lost} could not be measured"] if lost else []
    return ", ".join(words)


def how_to_go_on(run: Run) -> str:
    """The command that makes what a record lacks."""
    return next_session_of(run).finished


def ending_in_words(run: Run, summaries: Sequence[CaseSummary]) -> str:
    """How the run ended and what its precision is, one sentence."""
    if run.header.imported:
        return _imported_in_words(run.header.imported, summaries)
    return _measured_in_words(run, summaries)


def _measured_in_words(run: Run, summaries: Sequence[CaseSummary]) -> str:
    plan = run.header.plan
    good = sum(1 for s in summaries if s.settled)
    asked = f"±{100 * plan.precision:g} %"
    reached = (
        f"{good} of {counted(len(summaries), 'case')}"
        f" {verb_of(good, 'are', len(summaries))} within {asked}"
        f" over {_rests_on(run)}"
    )
    footer, go_on = run.footer, how_to_go_on(run)
    # What was not tried could still be, unless the run ended by itself.
    ended = footer is not None and footer.outcome == "precise"
    if all(s.status != "ok" and (ended or s.status != "not_tried") for s in summaries):
        return "No case could be measured: the reasons stand above."
    if plan.simulated and footer and footer.outcome == "precise":
        return "Simulated: repeats are identical, so one launch of each case says all; no interval."
    if footer is None:
        return f"The record is incomplete: the run was killed; {reached}. Continue with: {go_on}"
    if footer.outcome == "precise" and run.missing:
        return (
            f"launches failed in {len(run.missing)} of {counted(len(summaries), 'case')}, the"
            f" others are done: {reached}. Try them again with: {go_on}"
        )
    if footer.outcome == "precise" and plan.samples:
        return f"Every case has its {counted(plan.samples, 'sample')} in each launch: {reached}."
    if footer.outcome == "precise" and good == len(summaries):
        return f"Every case is precise: {reached}."
    if footer.outcome == "precise":
        return f"The run is done: {reached}; {_others_in_words(summaries)}."
    if footer.outcome == "interrupted":
        return f"The run was interrupted: {reached}. Continue with: {go_on}"
    budget_s = footer.budget_s or plan.budget_s
    if run.missing:
        return (
            f"The budget of {budget_s:g} s ended with launches missing in"
            f" {counted(len(run.missing), 'case')}: {reached}. Continue with: {go_on}"
        )
    return (
        f"The budget of {budget_s:g} s ended first: {reached}; the others show the interval"
        f" they reached. {_more_precision(run, summaries, asked)}."
    )


def _rests_on(run: Run) -> str:
    """What a precision is over: launches of one session, which show no other day, or sessions."""
    sessions = len(launches_of([run]))
    launches = counted(run.header.plan.launches, "launch")
    if sessions > 1:
        return counted(sessions, "session")
    return launches if run.header.plan.simulated else f"{launches} of one session"


def _imported_in_words(imported: Imported, summaries: Sequence[CaseSummary]) -> str:
    """What printed the figures, and how that ended."""
    by = f", started by {imported.command}" if imported.command else ""
    is_one = len(summaries) == 1
    ended = f" It did not end well: {imported.failed}." if imported.failed else ""
    return (
        f"Imported: {counted(len(summaries), 'case')} as {imported.program} states"
        f" {'it' if is_one else 'them'}{by}; weft measured"
        f" {'nothing of it' if is_one else 'none of them'}.{ended}"
    )


def _more_precision(run: Run, summaries: Sequence[CaseSummary], asked: str) -> str:
    """What brings half of the other cases to the precision: a record of so many launches.

    To go on with this one would make it one of several sessions, which know less.
    """
    again = next_session_of(run)
    missing = [
        to_settle(figure, run.header.plan.precision)
        for s in summaries
        if not s.settled and (figure := s.latency_ns or s.bandwidth_bytes_per_s)
        if figure.is_bounded
    ]
    if not missing:
        words = what_would_tell(at_first("launch"), "know how launches scatter", [again])
    else:
        middle, which = half_of(missing)
        others = counted(len(missing), "other case")
        words = what_would_tell(
            middle, f"bring {which} {others} within {asked}", [again], in_place=True
        )
    return words[0].upper() + words[1:]
