"""Models of latency and bandwidth of what was named, their picture, and network signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.fits.models import Models, fit_models
from weft.analysis.fits.signature import signature_of
from weft.errors import WeftError
from weft.report import fits
from weft.sources.series import series_of
from weft.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.signature import Signature
    from weft.analysis.fits.sweeps import Series
    from weft.charts import Chart

Fitted = tuple["Series", Models]


def fits_of(
    source: str, test: str = "", transport: str = "", columns: str = "", *, is_drawn: bool = False
) -> list[Fitted]:
    """Each series of a source with its models. Raises WeftError, also for a picture of several."""
    every = series_of(source, test, transport, columns)
    if is_drawn:
        only_one([series for series, _ in every], "a picture")
    return [(series, fit_models(series, stream)) for series, stream in every]


def signatures_of(
    sources: Sequence[str], test: str = "", transport: str = "", columns: str = ""
) -> list[Signature]:
    """The network signature of each series of the sources. Raises WeftError: one has no latency."""
    every = [one for source in sources for one, _ in series_of(source, test, transport, columns)]
    for series in every:
        if not series.has_latency:
            raise WeftError(f"{series.name} has no latency", "type --test ping_pong")
    return [signature_of(series) for series in every]


def only_one(series: Sequence[Series], what: str) -> None:
    """Raises WeftError where there are several: a fit is drawn of one."""
    if len(series) > 1:
        raise WeftError(
            f"{what} shows one series, and there are {len(series)}",
            "choose one with --test and --transport",
        )


def picture_of(fitted: Fitted) -> tuple[Chart, Table]:
    """The chart of a fit, and the table that stands under it."""
    series, models = fitted
    rows: list[tuple[str, ...]] = list(fits.line_rows(models.line))
    notes = models.line.notes
    if models.piecewise is not None:
        rows += fits.segment_rows(models.piecewise)
        notes += tuple(f"{name}: {words}" for name, words in fits.whole_rows(models.piecewise))
        notes += models.piecewise.notes
    table = Table(
        name="fit",
        caption=f"weft fit: {series.name}",
        head=("", "least squares, as published", "median line"),
        rows=tuple(rows),
        notes=notes,
    )
    return fits.line_chart(series, models.line, models.piecewise), table
