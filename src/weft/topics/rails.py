"""Rails: what several at once give over one, `tcp:stripe` or `tcp:turn` beside `tcp`.

After Liu, Vishnu and Panda, "Building Multirail InfiniBand Clusters: MPI-Level Design and
Performance Evaluation" (SC2004), which lays striped and round-robin messages over two rails beside
one. The ratio is of speeds, over 1 where the rails are faster; its interval is that of
`weft compare`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.needed import FEWEST, Needed, apart, at_first
from weft.analysis.stats.ratios import (
    SAME,
    Figure,
    Ratio,
    Verdict,
    ratio,
    ratio_in_words,
    verdict,
)
from weft.topics.base import Topic
from weft.topics.groups import side
from weft.topics.rows import SizeRow
from weft.units import format_bytes
from weft.wording import NO_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run
    from weft.topics.base import Results

MODES = ("stripe", "turn")


class RailRatio(SizeRow, frozen=True, kw_only=True):
    """The speed over several rails in times that over one, for messages of one size.

    `needed` is what would tell where there is no verdict.
    """

    test: str
    ratio: Ratio
    verdict: Verdict
    needed: Needed | None


class Rails(Topic[tuple[RailRatio, ...]]):
    """What several rails give over one."""

    name = "rails"
    title = "Rails"

    def rows(self, results: Results) -> tuple[RailRatio, ...]:
        """One row per case over several rails whose like over one was measured."""
        return tuple(rail_ratios(results.run, results.summaries))

    def findings(self, rows: tuple[RailRatio, ...]) -> list[str]:
        """One sentence per test, variant and mode."""
        return rail_sentences(rows)

    def needed(self, rows: tuple[RailRatio, ...]) -> list[Needed]:
        """Of each size without a verdict."""
        return [row.needed for row in rows if row.needed]


def rail_ratios(run: Run, summaries: Sequence[CaseSummary]) -> list[RailRatio]:
    """For each case over several rails whose like over one was measured too, in the plan's order.

    It is of latencies where the test has them, else of bandwidths.
    """
    good = {run.cases[s.case]: s for s in summaries if s.status == "ok"}
    found = []
    for case, several in good.items():
        family, _, mode = case.transport.partition(":")
        if mode not in MODES:
            continue
        one = good.get(msgspec.structs.replace(case, transport=family))
        if one is None:
            continue
        pair = (_figure(one), _figure(several))
        of_speeds = ratio(*pair, "bandwidth" if several.latency_ns is None else "latency")
        answer = verdict(of_speeds)
        found.append(
            RailRatio(
                **RailRatio.of(case),
                ratio=of_speeds,
                verdict=answer,
                needed=_needed(pair, of_speeds) if answer == "cannot tell" else None,
            )
        )
    return found


def _needed(pair: tuple[Figure, Figure], found: Ratio) -> Needed:
    """What tells them apart that differ as much as was seen, or as the margin."""
    one, other = (figure.estimate for figure in pair)
    bounded = one.is_bounded and other.is_bounded
    if not bounded or min(one.launches, other.launches) < FEWEST:
        return at_first("launch")
    return apart(one, other, max(abs(math.log(found.speed)), math.log1p(SAME)))


def _figure(summary: CaseSummary) -> Figure:
    estimate = summary.latency_ns or summary.bandwidth_bytes_per_s
    if estimate is None:  # a case that is ok has one of them
        raise AssertionError(summary.case)
    return side(estimate, summary.launches)


def rail_sentences(ratios: Sequence[RailRatio]) -> list[str]:
    """A sentence for each test, variant and mode of sharing out: the ratio at every size."""
    groups: dict[str, list[RailRatio]] = {}
    for found in ratios:
        place = f"{found.transport}, {found.test} {found.variant}".rstrip()
        groups.setdefault(place, []).append(found)
    return [
        f"rails: {place}, in times one rail: " + "; ".join(_at_size(found) for found in group)
        for place, group in groups.items()
    ]


def _at_size(found: RailRatio) -> str:
    of = found.ratio
    answer = found.verdict if of.has_interval else NO_INTERVAL
    return f"{ratio_in_words(of)} at {format_bytes(found.bytes)} ({answer})"
