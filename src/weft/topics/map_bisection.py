"""What random matchings of one half of a map with the other get, and of which link. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.fabric.detect import detected_link
from weft.fabric.peaks import parse_link
from weft.reference.library import platforms
from weft.tables import Table
from weft.units import format_bandwidth
from weft.wording import counted, few_of, half_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.bisection import Bisection
    from weft.fabric.peaks import Link
    from weft.record.run import Run

_MOST_OF_MATCHING = 8
# As of sockets between hosts without a known card.
_NO_PEAK = '; no share of a peak, for no link is known: name it, as --link "IB 4x HDR"'


def link_of(run: Run, transport: str) -> Link | None:
    """The link of a record's hosts, or of the published platform that they were simulated on."""
    platform = run.header.plan.simulated
    if platform is None or platform.kind == "given":
        return detected_link(run, transport)
    found = next((one for one in platforms() if one.name == platform.base and one.link), None)
    return parse_link(found.link) if found else None


def bisection_in_words(place: str, found: Bisection) -> str:
    """What a link gets of matchings, and the worst of them by its pairs."""
    peak = "" if found.percent_of_peak is None else f", {_percent(found)} of {found.link}"
    unknown = _NO_PEAK if found.percent_of_peak is None else ""
    pairs = [f"{one} to {other}" for one, other in found.worst]
    named = few_of(pairs, _MOST_OF_MATCHING)
    return (
        f"{place}: effective bisection bandwidth"
        f" {half_or_none(found.effective, format_bandwidth)} a link{peak}, over"
        f" {counted(found.matchings, 'matching')}; the worst gets"
        f" {format_bandwidth(found.least)}: {named}{unknown}"
    )


def _percent(found: Bisection) -> str:
    return "-" if found.percent_of_peak is None else f"{found.percent_of_peak:.0f} %"


def bisection_table(rows: Sequence[tuple[str, Bisection]]) -> Table:
    """A row for each map, by its place."""
    return Table(
        name="map",
        caption="Effective bisection bandwidth: of a link, over random matchings of one half with"
        " the other",
        # How many matchings there were is said above; the chart has the greatest.
        head=("", "mean", "of peak", "least", "5 %", "95 %"),
        rows=tuple(
            (
                place,
                half_or_none(found.effective, format_bandwidth),
                _percent(found),
                *map(format_bandwidth, (found.least, found.shares[0], found.shares[-1])),
            )
            for place, found in rows
        ),
        notes=("Of peak: of what the links of a matching could carry together.",),
    )
