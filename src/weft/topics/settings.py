"""Settings beside each other: what each value of `weft run --vary` changes, against the first one.

The launches of a round ran one after the other, so a ratio is of the launches of one round, and its
interval over the rounds (Student's of one sample of logarithms): what moves all launches of a round
alike is not in it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.needed import Needed, at_first, to_tell
from weft.analysis.stats.ratios import (
    ONE_SIDED,
    SAME,
    Ratio,
    Verdict,
    one_launch,
    ratio_in_words,
    ratios_of,
    verdict,
)
from weft.analysis.stats.rounds import differences, session_of_rounds, times_by_round
from weft.analysis.stats.slowdown import difference_of_pairs
from weft.charts import (
    Chart,
    ChartAxis,
    ChartPoint,
    Mark,
    axis_over_sizes,
    axis_place,
    chart_of,
    track_of,
)
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import SizeRow
from weft.units import format_bytes
from weft.wording import NO_INTERVAL, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.plan.case import Case
    from weft.plan.variations import Variation
    from weft.topics.base import Results

_IN_WORDS: dict[Verdict, str] = {"better": "faster", "worse": "slower"}


class SettingRow(SizeRow, frozen=True, kw_only=True):
    """The speed with a setting over that with the first one, of the same case and rounds.

    `transport` is the one that both are of; `rounds` have a launch of both. `needed` is what would
    tell where there is no verdict.
    """

    test: str
    setting: str
    reference: str
    speed: Ratio
    verdict: Verdict
    rounds: int
    needed: Needed | None

    @property
    def where(self) -> str:
        """The test and what it was measured over."""
        return f"{self.test}, {self.over}"

    @property
    def in_words(self) -> str:
        """The verdict: faster or slower; of one launch there is none."""
        if not self.speed.has_interval:
            return NO_INTERVAL
        return _IN_WORDS.get(self.verdict, self.verdict)


class SettingsBeside(Topic[tuple[SettingRow, ...]]):
    """What each value of a varied setting changes."""

    name = "settings"
    title = "Settings beside each other"

    def rows(self, results: Results) -> tuple[SettingRow, ...]:
        """One row per setting but the first, test, variant and size that both were measured at."""
        plan = results.run.header.plan
        if not plan.variations:
            return ()
        times = times_by_round(results.run)
        sessions = session_of_rounds(results.run)
        shown = {one.case for one in results.summaries}
        first: dict[Case, Case] = {}
        series: dict[Case, list[tuple[Case, Case]]] = {}
        for case in plan.cases:
            varied = plan.variations.get(case.transport)
            if varied is None or case.key not in shown or case.key not in times:
                continue
            reference = first.setdefault(msgspec.structs.replace(case, transport=varied.of), case)
            if plan.variations[reference.transport].words != varied.words:
                series.setdefault(case.but_for("bytes"), []).append((reference, case))
        return tuple(
            row for own in series.values() for row in _rows(plan.variations, own, times, sessions)
        )

    def tables(self, rows: tuple[SettingRow, ...]) -> list[Table]:
        """One row per setting, test, variant and size."""
        if not rows:
            return []
        firsts = ", ".join(dict.fromkeys(f"{row.transport} {row.reference}" for row in rows))
        return [
            Table(
                name=self.name,
                caption=f"{self.title}: speed over that of {firsts}; over 1 is faster",
                head=("setting", "measured", "size", "speed", "verdict"),
                rows=tuple(
                    (
                        row.setting,
                        row.where,
                        format_bytes(row.bytes),
                        ratio_in_words(row.speed),
                        row.in_words,
                    )
                    for row in rows
                ),
            )
        ]

    def charts(self, rows: tuple[SettingRow, ...]) -> list[Chart]:
        """The ratios against the size, a curve a setting, test and variant."""
        if not rows:
            return []
        names = dict.fromkeys(_curve(row) for row in rows)
        tracks = [
            track_of(
                name,
                (
                    ChartPoint(
                        axis_place(row.bytes), row.speed.speed, row.speed.low, row.speed.high,
                        f"{format_bytes(row.bytes)}: {ratio_in_words(row.speed)}",
                    )
                    for row in rows
                    if _curve(row) == name
                ),
                group,
            )
            for group, name in enumerate(names)
        ]  # fmt: skip
        sizes = axis_over_sizes([row.bytes for row in rows])
        speeds = ChartAxis("speed over the first setting", is_log=False)
        firsts = dict.fromkeys(row.reference for row in rows)
        # Over one line are all points, whatever they are compared with.
        words = next(iter(firsts)) if len(firsts) == 1 else "the first setting"
        line = Mark(axis="y", at=1.0, text=words, group=len(tracks))
        return [chart_of(self.name, self.title, sizes, speeds, tracks, marks=(line,))]

    def findings(self, rows: tuple[SettingRow, ...]) -> list[str]:
        """A sentence for each setting and test."""
        series: dict[tuple[str, str], list[SettingRow]] = {}
        for row in rows:
            series.setdefault((row.setting, row.where), []).append(row)
        return [_sentence(own) for own in series.values()]

    def needed(self, rows: tuple[SettingRow, ...]) -> list[Needed]:
        """Of each size without a verdict."""
        return [row.needed for row in rows if row.needed]


def _rows(
    variations: Mapping[str, Variation],
    pairs: Sequence[tuple[Case, Case]],
    times: Mapping[str, Mapping[int, float]],
    sessions: Mapping[int, int],
) -> Iterator[SettingRow]:
    """Of cases with the first setting, and with another one, at all sizes."""
    speeds = speeds_beside([(times[one.key], times[two.key]) for one, two in pairs], sessions)
    for (first, other), (speed, rounds, needed) in zip(pairs, speeds, strict=True):
        of, answer = variations[other.transport], verdict(speed)
        yield SettingRow(
            **SettingRow.of(other, transport=of.of),
            setting=of.words,
            reference=variations[first.transport].words,
            speed=speed,
            verdict=answer,
            rounds=rounds,
            needed=needed if answer == "cannot tell" else None,
        )


def speeds_beside(
    pairs: Sequence[tuple[Mapping[int, float], Mapping[int, float]]], sessions: Mapping[int, int]
) -> list[tuple[Ratio, int, Needed]]:
    """The speed of each other over its first, in how many rounds both were measured, and what tells
    them apart if this does not: by the margin, or by as much as it may be.

    The intervals hold for all pairs together.
    """
    each = [differences(_logs(first), _logs(other), sessions) for first, other in pairs]
    judged = {
        at: msgspec.structs.replace(apart, unit=unit)
        for at, (found, unit) in enumerate(each)
        if (apart := difference_of_pairs(found))
    }
    speeds = dict(zip(judged, ratios_of([*judged.values()]), strict=True))
    answers = []
    for at, ((found, _), (first, other)) in enumerate(zip(each, pairs, strict=True)):
        rounds = len(first.keys() & other.keys())
        if at not in judged:
            unknown = one_launch(-found[0] if found else math.nan)
            answers.append((unknown, rounds, at_first("launch")))
            continue
        away = math.log1p(SAME)
        if abs(judged[at].log) > away:
            away = math.hypot(judged[at].log, judged[at].error)
        units = (len(found), len(found))
        needed = to_tell(judged[at], units, away, ONE_SIDED / len(judged))
        answers.append((speeds[at], rounds, needed))
    return answers


def _logs(times: Mapping[int, float]) -> dict[int, float]:
    return {number: math.log(time) for number, time in times.items() if time > 0}


def _curve(row: SettingRow) -> str:
    return f"{row.setting}, {row.where}"


def _sentence(rows: Sequence[SettingRow]) -> str:
    """How often a setting is faster and slower than the first one, and where it is most so."""
    first = rows[0]
    head = f"settings: {first.where}: {first.setting} beside {first.reference}: "
    decided = [row for row in rows if row.verdict in ("better", "worse")]
    if not decided:
        same = sum(row.verdict == "same" for row in rows)
        if same:
            return f"{head}the same at {same} of {counted(len(rows), 'size')}"
        if not any(row.speed.has_interval for row in rows):
            return f"{head}{NO_INTERVAL} at {counted(len(rows), 'size')}"
        return f"{head}no difference is shown at {counted(len(rows), 'size')}"
    most = max(decided, key=lambda row: abs(math.log(row.speed.speed)))
    counts = [
        f"{word} at {number} of {counted(len(rows), 'size')}"
        for verdict, word in _IN_WORDS.items()
        if (number := sum(row.verdict == verdict for row in rows))
    ]
    return (
        f"{head}{' and '.join(counts)}, most at {format_bytes(most.bytes)}:"
        f" {ratio_in_words(most.speed)}"
    )
