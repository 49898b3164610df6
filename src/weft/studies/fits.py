"""Models of latency and bandwidth of what was named, their picture, and network signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weft.analysis.fits.models import Models, fit_models
from weft.analysis.fits.signature import signature_of
from weft.errors import WeftError
from weft.names import as_typed
from weft.report import fits
from weft.report.models import tables_of
from weft.sources.series import pairs_of_each
from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.signature import Signature
    from weft.analysis.fits.sweeps import Series
    from weft.charts import Chart
    from weft.record.run import Run
    from weft.tables import Table

Fitted = tuple["Series", Models]


class FitsFound(NamedTuple):
    """Each series with its models, and a line for each that has none."""

    fits: list[Fitted]
    refused: list[str]


def fits_of(
    sources: Sequence[str | Run],
    test: str = "",
    transport: str = "",
    columns: str = "",
    *,
    is_drawn: bool = False,
) -> FitsFound:
    """Each series of the sources with its models.

    Raises WeftError where no series has one, and for a picture of several.
    """
    every = pairs_of_each(sources, test, transport, columns)
    if is_drawn:
        only_one([series for _, (series, _) in every], "a picture")
    found: list[Fitted] = []
    refused: list[WeftError] = []
    for _, (series, stream) in counted_off(every, "fitting models"):
        try:
            found.append((series, fit_models(series, stream)))
        except WeftError as error:
            refused.append(error)
    if refused and not found:
        raise refused[0]
    return FitsFound(found, [f"no model: {error.what}" for error in refused])


def signatures_of(
    sources: Sequence[str], test: str = "", transport: str = "", columns: str = ""
) -> list[Signature]:
    """The network signature of each series of the sources. Raises WeftError: one has no latency."""
    every = [
        (source, series) for source, (series, _) in pairs_of_each(sources, test, transport, columns)
    ]
    for source, series in every:
        if not series.has_latency:
            raise WeftError(
                f"{series.name} has no latency, which a signature is of",
                f"run weft show {as_typed(source)} to see which tests have one, and --test with it",
            )
    return [signature_of(series) for _, series in every]


def only_one(series: Sequence[Series], what: str) -> None:
    """Raises WeftError where there are several: a fit is drawn of one."""
    if len(series) > 1:
        raise WeftError(
            f"{what} shows one series, and there are {len(series)}",
            "choose one with --test and --transport",
        )


class FitPicture(NamedTuple):
    """A fit as a chart, the tables under it, of which the first has the notes, and a sentence."""

    chart: Chart
    tables: list[Table]
    answer: str


def picture_of(fitted: Fitted) -> FitPicture:
    """What a picture of a fit shows."""
    series, models = fitted
    first, *others = tables_of(models)
    notes = models.line.notes
    if models.piecewise is not None:
        notes += models.piecewise.notes
    named = msgspec.structs.replace(first, caption=f"weft fit: {series.name}", notes=notes)
    chart = fits.line_chart(series, models.line, models.piecewise)
    return FitPicture(chart, [named, *others], fits.in_a_sentence(models))
