"""`weft.trend`: a machine's records in the order of time, as tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from weft.notebook.plots import nth_plot
from weft.notebook.tables import table_of_rows
from weft.notebook.typed import each_of
from weft.report.history import history_in_words
from weft.report.history_charts import history_charts
from weft.sources.records import each_source
from weft.studies.trend import over_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl
    from matplotlib.figure import Figure as Canvas

    from weft.analysis.compare.history import History
    from weft.notebook.typed import Sources
    from weft.studies.trend import MachineHistory


def trend(records: Sources, *, against: str | Path | None = None) -> Trend:
    """Put records in the order of time and look for steps and drifts, as `weft trend`.

    Each record is a session. `against` is a file of limits. Raises WeftError.
    """
    return Trend(over_time(each_source(each_of(records)), against))


class Trend:
    """What `weft trend` found. `found` has all of it, typed."""

    def __init__(self, made: MachineHistory) -> None:
        self._made = made

    @property
    def found(self) -> History:
        """All of it, typed."""
        return self._made.history

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per case and session: machine, case, record, time, and figure with its ends.

        Figures are latencies in ns or bandwidths in bytes/s, as `quantity` says.
        """
        return table_of_rows(_figures(self.found))

    @cached_property
    def speeds(self) -> pl.DataFrame:
        """A row per curve and session: all sizes together, relative to the median session."""
        return table_of_rows(
            {"curve": one.name, **_session(self.found, one.machine, at), "speed": speed}
            for one in self.found.courses
            for at, speed in zip(one.sessions, one.speeds, strict=True)
        )

    @cached_property
    def steps(self) -> pl.DataFrame:
        """A row per step: its curve, its first session, the speed after it, and the p-value.

        `is_against_others` marks a step relative to the other curves of the same sessions.
        """
        return table_of_rows(
            {
                "curve": one.name,
                **_session(self.found, one.machine, step.session),
                "speed": msgspec.to_builtins(step.speed),
                "chance": step.chance,
                "is_against_others": is_against,
            }
            for one in (*self.found.courses, *self.found.together)
            for is_against, own in ((False, one.steps), (True, one.against_others))
            for step in own
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Records that cannot be read, and how many sessions would show a step."""
        return (*self._made.notes, *self.found.advice)

    def plot(self, number: int = 0, *, layout: str = "ieee", wide: bool = False) -> Canvas:
        """The speeds of all curves over time, as a matplotlib figure.

        Raises WeftError beyond the last.
        """
        charts = history_charts(self.found).speeds
        return nth_plot(
            charts, number, "this trend, it has", "give two records or more", layout, wide=wide
        )

    def __repr__(self) -> str:
        """What each curve does over time."""
        return "\n".join(history_in_words(self.found))


def _session(found: History, machine: str, at: int) -> dict[str, Any]:
    session = found.sessions[at]
    return {"machine": machine, "record": session.record, "measured_utc": session.measured_utc}


def _figures(found: History) -> Iterator[dict[str, Any]]:
    for series in found.series:
        for point in series.points:
            yield {
                "case": series.case,
                "test": series.test,
                "transport": series.transport,
                "bytes": series.bytes,
                "variant": series.variant,
                **_session(found, series.machine, point.session),
                "quantity": series.quantity,
                "figure": msgspec.to_builtins(point.estimate),
                "status": point.status,
            }
