"""Large figures of curves: a card for each transport with its options, in its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.colours import places_of
from weft.report.html import Card
from weft.wording import over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.large import LargeFigure


def cards_of_curves(figures: Iterable[LargeFigure], transports: Sequence[str]) -> tuple[Card, ...]:
    """The cards of these figures, of a page that has all of `transports`, each once."""
    places = places_of(transports)
    cards: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for one in figures:
        own = cards.setdefault((one.transport, one.variant), [])
        own.append((one.what, one.value, one.interval))
    return tuple(
        Card(title=over(transport, variant), group=places[transport], figures=tuple(own))
        for (transport, variant), own in cards.items()
    )
