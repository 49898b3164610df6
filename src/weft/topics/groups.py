"""Cases that differ in one axis only, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from weft.analysis.stats.ratios import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.estimate import Estimate
    from weft.plan.case import Case, CaseAxis
    from weft.record.run import Run

Points = list[tuple["Case", "CaseSummary"]]


class OfCase(Protocol):
    """A row that says which case it is of."""

    @property
    def case(self) -> str:
        """The case's key."""
        ...


Row = TypeVar("Row", bound=OfCase)


def cases_alike(
    summaries: Sequence[CaseSummary], cases: Mapping[str, Case], axis: CaseAxis
) -> list[Points]:
    """Groups of several cases that are alike but for an axis; unsupported ones are in none.

    A group of which a case failed or was not reached says nothing: it is omitted.
    """
    groups: dict[Case, Points] = {}
    for summary in summaries:
        case = cases[summary.case]
        if summary.status != "unsupported":
            groups.setdefault(case.but_for(axis), []).append((case, summary))
    return [
        points
        for points in groups.values()
        if len(points) > 1 and all(summary.status == "ok" for _, summary in points)
    ]


def by_variant(run: Run, rows: Iterable[Row]) -> tuple[tuple[Row, ...], ...]:
    """The rows in groups whose cases differ in the point of their test only."""
    groups: dict[Case, list[Row]] = {}
    for row in rows:
        groups.setdefault(run.cases[row.case].but_for("point"), []).append(row)
    return tuple(map(tuple, groups.values()))


def by_key(field: str, rows: Iterable[OfCase]) -> dict[str, dict[str, Any]]:
    """Rows that say their `case`, as a field of that case's JSON."""
    return {row.case: {field: msgspec.to_builtins(row)} for row in rows}


def side(estimate: Estimate, launches: int) -> Figure:
    """An estimate over so many launches as one side of a ratio."""
    return Figure(
        estimate=estimate, kind="launches" if launches > 1 else "one launch", launches=launches
    )
