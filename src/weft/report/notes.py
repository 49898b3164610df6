"""What to know of a record beside its figures: reasons, flags, and how the run ended."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.stats.launches import next_session_of
from weft.plan.command import resume
from weft.wording import counted, counted_cases, status_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
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
    has = "has all its" if wide == 1 else "have all their"
    words = [f"{wide} {has} launches and a wider interval"] if wide else []
    words += [f"{lost} could not be measured"] if lost else []
    return ", ".join(words)


def ending_in_words(run: Run, summaries: Sequence[CaseSummary]) -> str:
    """How the run ended and what its precision is, one sentence."""
    plan = run.header.plan
    good = sum(1 for s in summaries if s.settled)
    asked = f"±{100 * plan.precision:g} %"
    reached = (
        f"{good} of {counted(len(summaries), 'case')}"
        f" {'is' if good == 1 else 'are'} within {asked} over {counted(plan.launches, 'launch')}"
    )
    footer = run.footer
    if not any(s.status in ("ok", "not_tried") for s in summaries):
        return "No case could be measured: the reasons stand above."
    if plan.simulated and footer and footer.outcome == "precise":
        return "Simulated: repeats are identical, so one launch of each case says all; no interval."
    if footer is None:
        return (
            f"The record is incomplete: the run was killed; {reached}. Go on with:"
            f" {resume(run.path)}"
        )
    if footer.outcome == "precise" and run.missing:
        return (
            f"launches failed in {len(run.missing)} of {counted(len(summaries), 'case')}, the"
            f" others are done: {reached}. Try them again with: {resume(run.path)}"
        )
    if footer.outcome == "precise" and plan.samples:
        return f"Every case has its {counted(plan.samples, 'sample')} in each launch: {reached}."
    if footer.outcome == "precise" and good == len(summaries):
        return f"Every case is precise: {reached}."
    if footer.outcome == "precise":
        return f"The run is done: {reached}; {_others_in_words(summaries)}."
    if footer.outcome == "interrupted":
        return f"The run was interrupted: {reached}. Go on with: {resume(run.path)}"
    budget_s = footer.budget_s or plan.budget_s
    if run.missing:
        return (
            f"The budget of {budget_s:g} s ended with launches missing in"
            f" {counted(len(run.missing), 'case')}: {reached}. Go on with: {resume(run.path)}"
        )
    return (
        f"The budget of {budget_s:g} s ended first: {reached}; the others show the interval"
        f" they reached. More precision{_more_precision(run, summaries)}"
    )


def _more_precision(run: Run, summaries: Sequence[CaseSummary]) -> str:
    """The command for it, with the budget that brings half of the cases to the precision.

    Half-widths fall with the square root of the number of launches.
    """
    asked = run.header.plan.precision
    missing = sorted(
        s.launches * ((s.relative_half_width / asked) ** 2 - 1)
        for s in summaries
        if s.relative_half_width is not None and not s.settled
    )
    if not missing:
        return f": {resume(run.path)}"
    more = max(1, math.ceil(missing[(len(missing) - 1) // 2]))
    budget_s = next_session_of(run).seconds(more)
    half = " of half of them" if len(missing) > 1 else ""
    return f"{half}: {resume(run.path, budget_s)}"
