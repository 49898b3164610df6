"""`weft.fit`: models of latency and bandwidth, as tables."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from weft.estimate import Estimate
from weft.notebook.plots import plot_of
from weft.notebook.tables import table_of_rows
from weft.notebook.typed import each_of
from weft.sources.records import each_source
from weft.studies.fits import fits_of, picture_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from matplotlib.figure import Figure as Canvas

    from weft.analysis.fits.models import Models
    from weft.notebook.typed import Sources
    from weft.studies.fits import Fitted


def fit(source: Sources, *, test: str = "", transport: str = "", columns: str = "") -> list[Fit]:
    """The models of each series of a record, a CSV or a platform, or of several of them, as
    `weft fit` makes them.

    `test` and `transport` have names with commas between; without a test it is ping_pong. `columns`
    are "SIZE,TIME" of a CSV. A series that has no model is a warning; where none has one it raises
    WeftError.
    """
    found, refused = fits_of(each_source(each_of(source)), test, transport, columns)
    for line in refused:
        warnings.warn(line, stacklevel=2)
    return [Fit(one) for one in found]


class Fit:
    """The models of one series: the lines, and where there are sizes enough the others."""

    def __init__(self, fitted: Fitted) -> None:
        self._fitted = fitted

    @property
    def models(self) -> Models:
        """All of it, typed: `models.line.median_line.time_ns(4096)` is what that line expects."""
        return self._fitted[1]

    @property
    def name(self) -> str:
        """The series: test and transport, or the file."""
        return self.models.name

    @cached_property
    def parameters(self) -> pl.DataFrame:
        """A row per parameter: model, first_bytes and last_bytes (null: all sizes), parameter,
        value, low and high; times in ns, rates in bytes/s.

        A switch has two rows: `at_bytes`, between whose ends the times do not tell, and `step`, by
        how many times the time rises there. Of LogGP, `send_ns` is o_s and `receive_ns` is o_r.
        """
        return table_of_rows(_rows(self.models))

    @cached_property
    def errors(self) -> pl.DataFrame:
        """A row per model: its median and largest error against the measured medians, %."""
        return table_of_rows(msgspec.to_builtins(self.models.predictions))

    def plot(self, *, layout: str = "ieee", wide: bool = False) -> Canvas:
        """The times and the lines through them, as a matplotlib figure."""
        return plot_of(picture_of(self._fitted).chart, layout, wide=wide)

    def __repr__(self) -> str:
        """The series and the models that it has."""
        return f"{self.name}: {', '.join(one.model for one in self.models.predictions)}"


def _rows(models: Models) -> Iterator[dict[str, Any]]:
    line = models.line
    yield from _known("Hockney, least squares", line.least_squares)
    yield from _known("Hockney, median line", line.median_line)
    if models.piecewise is not None:
        yield from _known("piecewise", models.piecewise)
        for segment in models.piecewise.segments:
            yield from _known("piecewise", segment, segment.first_bytes, segment.last_bytes)
        for switch in models.piecewise.switches:
            at = switch.at_bytes
            ends = (switch.above_bytes, switch.up_to_bytes)
            yield _row("piecewise", (at, at), "at_bytes", at, *ends)
            yield from _known("piecewise", switch, at, at)
    if models.loggp is not None:
        yield from _known("LogGP", models.loggp)
        for overhead in models.loggp.overheads:
            yield from _known("LogGP", overhead, overhead.bytes, overhead.bytes)
        for gap in models.loggp.gaps:
            yield from _known("PLogP", gap, gap.bytes, gap.bytes)


def _known(
    model: str, part: Any, first: int | None = None, last: int | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each parameter of a part of a model that has an estimate."""
    for parameter in part.__struct_fields__:
        known = getattr(part, parameter)
        if isinstance(known, Estimate):
            yield _row(model, (first, last), parameter, known.value, known.low, known.high)


def _row(
    model: str,
    sizes: tuple[int | None, int | None],
    parameter: str,
    value: float,
    low: float,
    high: float,
) -> dict[str, Any]:
    return {
        "model": model,
        "first_bytes": sizes[0],
        "last_bytes": sizes[1],
        "parameter": parameter,
        "value": value,
        "low": low,
        "high": high,
    }
