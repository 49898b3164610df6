"""Pages: what huge pages change, and which pages memory had by the kernel's own list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.layers import step_between
from weft.plan.cases import TESTS
from weft.plan.command import weft_run
from weft.topics.base import Topic
from weft.topics.groups import cases_alike
from weft.topics.registration import added_in_words, time_of
from weft.topics.rows import FindingRow
from weft.units import format_bytes
from weft.wording import NO_INTERVAL, at, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.stats.needed import Needed
    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.run import Run
    from weft.topics.base import Results

# From here on messages fill pages of a library that copies them; the usual sizes end with it.
LONG_BYTES = 1 << 20


class Pages(Topic[tuple[FindingRow, ...]]):
    """What the size of memory's pages changes."""

    name = "pages"
    title = "Pages"

    def rows(self, results: Results) -> tuple[FindingRow, ...]:
        """From cases in small and in huge pages, and from those that chose none."""
        run = results.run
        chosen = [s for s in results.summaries if run.cases[s.case].pages]
        precision = run.header.plan.precision
        alike = cases_alike(chosen, run.cases, "pages")
        gains = (gain_of_pages(points, precision) for points in alike)
        said = (*huge_pages_in_words(run), *small_pages_in_words(run))
        return (
            *(gain for gain in gains if gain),
            *(FindingRow(sentence=one) for one in said),
        )

    def findings(self, rows: tuple[FindingRow, ...]) -> list[str]:
        """What huge pages save, and whether cases had them unasked."""
        return [row.sentence for row in rows]

    def needed(self, rows: tuple[FindingRow, ...]) -> list[Needed]:
        """Of each case where huge pages make no significant difference."""
        return [row.needed for row in rows if row.needed]


def huge_pages_in_words(run: Run) -> tuple[str, ...]:
    """One sentence where cases that chose no pages had huge ones; nothing where none had.

    A case counts with the share of its batches' memory (rank 0's). Records of before the engine
    said what unasked memory got say nothing of it: their `memory_bytes` is 0.
    """
    memory: dict[str, int] = {}
    huge: dict[str, int] = {}
    for batch in run.measured:
        if run.cases[batch.case].pages:
            continue
        memory[batch.case] = memory.get(batch.case, 0) + batch.memory_bytes
        huge[batch.case] = huge.get(batch.case, 0) + batch.huge_bytes
    having = sorted((name for name in huge if huge[name] > 0), key=lambda n: run.cases[n].bytes)
    if not having:
        return ()
    wholly = sum(huge[name] >= memory[name] for name in having)
    smallest = format_bytes(run.cases[having[0]].bytes)
    said = (
        f"pages: unasked, the kernel gave huge pages to {len(having)} of"
        f" {counted(len(huge), 'case')} (to all of the memory of {wholly}), from {smallest} on;"
        " --pages small,huge measures what they change"
    )
    return (said,)


def small_pages_in_words(run: Run) -> tuple[str, ...]:
    """One sentence where long messages of the usual tests lay in small pages only and no case asks
    what huge ones would give: what to type. Simulations have no pages, and records of before the
    engine said what memory got say nothing of them.
    """
    if run.header.plan.simulated is not None or any(case.pages for case in run.cases.values()):
        return ()
    measured = [batch for batch in run.measured if batch.memory_bytes > 0]
    if any(batch.huge_bytes > 0 for batch in measured):
        return ()
    cases = [run.cases[name] for name in dict.fromkeys(batch.case for batch in measured)]
    long = [case for case in cases if case.test in TESTS and case.bytes >= LONG_BYTES]
    if not long:
        return ()
    tests = dict.fromkeys(case.test for case in long)
    transports = ",".join(dict.fromkeys(case.transport for case in long))
    largest = max(case.bytes for case in long)
    words = ("--transport", transports, "--sizes", largest, "--pages", "small,huge")
    said = (
        "pages: no message lay in huge pages; to see what they would give, run"
        f" {weft_run(*tests, *words)}"
    )
    return (said,)


def gain_of_pages(
    points: Sequence[tuple[Case, CaseSummary]], precision: float
) -> FindingRow | None:
    """What a message takes less, or longer, in memory of huge pages than of small ones.

    Where that is open, with what tells a difference as large as it may be, or as the precision.
    """
    times = {case.pages: time_of(summary) for case, summary in points}
    small, huge = times.get("small"), times.get("huge")
    if small is None or huge is None:
        return None
    case = points[0][0]
    place = at(case.transport, case.test, case.bytes, case.but_for("pages").variant)
    step = step_between(case.bytes, small, huge)
    if step.verdict == "cannot tell":
        of_pages = "difference between huge and small pages"
        known, unknown = f"no significant {of_pages}", f"the {of_pages} has {NO_INTERVAL}"
        words = f"pages: {place}: {known if step.has_interval else unknown}"
        return FindingRow(sentence=words, needed=step.needed(precision))
    took = "less" if step.verdict == "saves" else "longer"
    rate = f": {small.value / huge.value:.2f} times the bandwidth" if case.bytes > 0 else ""
    words = f"pages: {place}: {added_in_words(step)} {took} with huge pages{rate}"
    return FindingRow(sentence=words)
