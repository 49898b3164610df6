"""The one chart that a figure of a paper shows, and what stands beside the chart of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.fits.models import fit_models
from weft.errors import WeftError
from weft.names import as_typed, choose
from weft.report.fits import line_chart
from weft.report.signatures import signature_chart
from weft.sources.records import each_record, records_named
from weft.sources.series import pairs_of_each
from weft.studies.fits import only_one, signatures_of
from weft.studies.maps import check_are_maps
from weft.topics import charts_of, results_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.measured import FabricOf
    from weft.charts import Chart

OF_MODELS = FIT, SIGNATURE = ("fit", "signature")


def chart_called(
    sources: Sequence[str],
    show: str,
    test: str = "",
    transport: str = "",
    columns: str = "",
    fabric_of: FabricOf | None = None,
) -> Chart:
    """The chart of this name: a fit, the signatures, a test's curves over sizes or a topic's own.

    Without a name it is the first of the records' charts. `fabric_of` gives the topology of maps
    where it is known. Raises WeftError.
    """
    if show in OF_MODELS:
        return _of_models(each_record(sources), show, test, transport, columns)
    runs = records_named(sources)
    check_are_maps(runs, fabric_of)
    found = charts_of([results_among(run, test, transport, fabric_of=fabric_of) for run in runs])
    charts = {chart.name: chart for chart in found}
    if not charts:
        raise WeftError(
            f"{sources[0]} has no measured case",
            f"run weft show {as_typed(sources[0])} to see why",
        )
    if show in charts:
        return charts[show]
    names = choose("chart", [show] if show else [], tuple(charts)) or tuple(charts)
    return charts[names[0]]


def _of_models(sources: Sequence[str], show: str, test: str, transport: str, columns: str) -> Chart:
    """The fit of one series, or the signatures of all."""
    if show == SIGNATURE:
        return signature_chart(signatures_of(sources, test, transport, columns))
    pairs = pairs_of_each(sources, test, transport, columns)
    only_one([series for _, (series, _) in pairs], "a figure of a fit")
    [(_, (series, stream))] = pairs
    found = fit_models(series, stream)
    return line_chart(series, found.line, found.piecewise)
