"""What a topic is: one question that a user asks of a record, from its results to what is shown.

A topic makes typed rows of a record's results once, and of these rows its tables, charts, findings
and JSON. Whatever prints, draws or writes iterates over the list in `weft.topics` and knows no
topic by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from weft.analysis.stats.launches import what_tells_half
from weft.wording import counted, said_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weft.analysis.diagnosis.measured import FabricOf
    from weft.analysis.stats.needed import Needed
    from weft.analysis.summary import CaseSummary
    from weft.charts import Chart
    from weft.fabric.peaks import Link
    from weft.large import LargeFigure
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.tables import Table

Rows = TypeVar("Rows")
Value = TypeVar("Value")


class Results:
    """A record, the summaries of the cases that are shown, and what topics made of them.

    `link` is what a user says that the traffic went over, and `name` what tells the record from
    others beside it: its file's, unless something else does. `fabric_of` has the topology of a map,
    where it is known. Rows are computed when an output first asks for them, and once only.
    """

    def __init__(
        self,
        run: Run,
        summaries: Sequence[CaseSummary],
        topics: Sequence[Topic[Any]],
        link: Link | None = None,
        name: str = "",
        fabric_of: FabricOf | None = None,
    ) -> None:
        self.run = run
        self.name = name or run.path.name
        self.summaries = tuple(summaries)
        self.link = link
        self.fabric_of = fabric_of
        self._topics = tuple(topics)
        self._computed: dict[object, Any] = {}

    def of(self, topic: Topic[Rows]) -> Rows:
        """The rows of a topic."""
        return self.once(topic.name, topic.rows)

    def findings(self, topic: Topic[Any]) -> list[str]:
        """What a topic says, and what would tell what it leaves open: launches, and the command.

        What holds in several places is said once. Launches of a simulation are all alike: more of
        them tell nothing.
        """
        rows = self.of(topic)
        said = said_once(topic.findings(rows))
        if self.run.header.plan.simulated is None:
            more = what_tells_half(topic.needed(rows), self.run)
            said += [f"{topic.name.replace('_', ' ')}: {more}"] if more else []
        return said

    def labelled(self, tables: Sequence[Table]) -> list[Table]:
        """Tables whose heads say where the run was simulated."""
        platform = self.run.header.plan.simulated
        if platform is None:
            return list(tables)
        return [
            msgspec.structs.replace(
                one, caption=f"{platform.label}: {one.caption}".removesuffix(": ")
            )
            for one in tables
        ]

    def once(self, key: object, compute: Callable[[Results], Value]) -> Value:
        """What several topics share: computed for whoever asks first under this key."""
        if key not in self._computed:
            self._computed[key] = compute(self)
        value: Value = self._computed[key]
        return value

    def with_curves(self) -> tuple[CaseSummary, ...]:
        """The summaries whose figures are curves over sizes: no topic draws their test itself."""
        return tuple(one for one in self.summaries if not self._is_owned(one.test))

    def with_tables(self) -> tuple[CaseSummary, ...]:
        """The summaries in tables of sizes: all, but where a topic lays out the whole record.

        Figures of applications do not vary with the size: of them only what has none.
        """
        is_laid_out = any(topic.lays_out(self.run) for topic in self._topics)
        shown = self.with_curves() if is_laid_out else self.summaries
        return tuple(
            one
            for one in shown
            if one.status != "ok" or self.run.patterns[one.test].figure != "iteration"
        )

    def draws(self, topic: Topic[Any]) -> bool:
        """Whether a topic's charts are drawn: no other one has them in its own layout."""
        return not any(
            topic.name in other.replaces for other in self._topics if other.lays_out(self.run)
        )

    def _is_owned(self, test: str) -> bool:
        pattern = self.run.patterns[test]
        return any(topic.owns(self.run, pattern) for topic in self._topics)


class Topic(Generic[Rows]):
    """One question of a user; a topic of its own gives `name`, `title`, `rows` and what it shows.

    `name` is what `--table` takes, `title` the heading on the page. Topics of one `group` have a
    command of their own, and `replaces` names topics whose charts are among this one's where it
    lays out the record. `is_usual`: what an export for papers writes unless asked otherwise.
    `is_on_cards`: its headline has the figures that stand on the cards of a page.
    """

    name: str
    title: str
    group: str = ""
    replaces: tuple[str, ...] = ()
    is_usual: bool = False
    is_on_cards: bool = False

    def rows(self, results: Results) -> Rows:
        """What the record's results say to the question; empty where they say nothing."""
        raise NotImplementedError

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Whether a test is this topic's: it has no curve over sizes."""
        del run, pattern
        return False

    def lays_out(self, run: Run) -> bool:
        """Whether the record is laid out by this topic: tests that have an owner leave the tables
        of sizes.
        """
        del run
        return False

    def tables(self, rows: Rows) -> list[Table]:
        """All there is to say in tables, as wide as a terminal."""
        del rows
        return []

    def wide(self, rows: Rows) -> list[Table]:
        """The same for a page, which has room for columns."""
        return self.tables(rows)

    def for_paper(self, rows: Rows) -> list[Table]:
        """The same for LaTeX and Markdown."""
        return self.wide(rows)

    def brief(self, rows: Rows, room: int) -> list[Table]:
        """The same in at most about `room` rows, for one screen."""
        return [cut(table, room) for table in self.tables(rows)]

    def charts(self, rows: Rows) -> list[Chart]:
        """The charts of one record."""
        del rows
        return []

    def overlaid(self, records: Sequence[tuple[str, Rows]]) -> list[Chart]:
        """The charts of several records by their names; as a rule each has its own."""
        if len(records) == 1:
            return self.charts(records[0][1])
        return [
            msgspec.structs.replace(
                chart, name=f"{chart.name}-{at}", title=f"{chart.title} ({name})"
            )
            for at, (name, rows) in enumerate(records)
            for chart in self.charts(rows)
        ]

    def headline(self, rows: Rows) -> str:
        """What belongs into the first sentence of a page; as a rule nothing."""
        del rows
        return ""

    def large(self, rows: Rows) -> list[LargeFigure]:
        """What a reader asks first, for the cards of the record's page; as a rule nothing."""
        del rows
        return []

    def alarm(self, rows: Rows) -> str:
        """What is wrong with what was measured, however precise the figures; as a rule nothing."""
        del rows
        return ""

    def findings(self, rows: Rows) -> list[str]:
        """What the rows say, in sentences."""
        del rows
        return []

    def needed(self, rows: Rows) -> list[Needed]:
        """What each difference without a verdict takes, of topics whose sentences do not say it."""
        del rows
        return []

    def plain(self, rows: Rows) -> list[dict[str, Any]]:
        """The rows as JSON for `--table NAME --json`; null where nothing was measured."""
        # Rows that are no sequence have a method of their own.
        return as_plain(rows)  # type: ignore[arg-type]

    def of_cases(self, rows: Rows) -> dict[str, dict[str, Any]]:
        """By a case's key, fields that its row of `weft show --json` has beside the summary's."""
        del rows
        return {}


def as_plain(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Typed rows as plain data."""
    return [msgspec.to_builtins(row) for row in rows]


def cut(table: Table, room: int) -> Table:
    """The first rows of a table, without its notes; the last note says how many there are more."""
    more = len(table.rows) - room
    notes = (counted(more, "more row"),) if more > 0 else ()
    return msgspec.structs.replace(table, rows=table.rows[:room], notes=notes)
