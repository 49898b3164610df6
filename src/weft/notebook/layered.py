"""`weft.layers`: what each layer of a stack adds to the layer below, as a table."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weft.notebook.plots import nth_plot
from weft.notebook.tables import table_of_rows
from weft.notebook.typed import one_of
from weft.studies.layers import layers_shown

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure as Canvas

    from weft.notebook.typed import Source
    from weft.studies.layers import LayersShown


def layers(record: Source, *, order: str = "") -> Layers:
    """Subtract each layer from the layer above it, by size, as `weft layers`.

    `order` has transports over one medium, comma-separated, lowest first. Raises WeftError.
    """
    return Layers(layers_shown(one_of(record), order))


class Layers:
    """What `weft layers` found."""

    def __init__(self, found: LayersShown) -> None:
        self._found = found

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per test, pair of layers and size: below_ns, above_ns, added_ns, each with _low and
        _high, and the verdict. A transport that shares no medium has the verdict "apart".
        """
        return table_of_rows(self._found.plain.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """In words: the cost of each layer, transports without a layer, and advice."""
        return self._found.plain.notes

    def plot(self, number: int = 0, *, layout: str = "ieee", wide: bool = False) -> Canvas:
        """What the layers add against message size, as a matplotlib figure.

        Raises WeftError beyond the last.
        """
        charts = self._found.charts
        return nth_plot(
            charts, number, "these layers, they have", "see .notes for why", layout, wide=wide
        )

    def __repr__(self) -> str:
        """The notes, a line each."""
        return "\n".join(self.notes)
