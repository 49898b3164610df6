"""All models of one series together, and how far each is off the times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.linear import LinearFit, fit_line
from weft.analysis.fits.loggp import LogGP, from_delays, from_series
from weft.analysis.fits.segments import FEWEST_SIZES, Piecewise, fit_piecewise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.analysis.fits.sweeps import Series

FITTED = "fitted to these times"
FROM_STREAM = "predicted from the bandwidth test"
FROM_DELAYS = "predicted from the delay method"
# A line through the gaps needs three sizes.
FEWEST_DELAYS = 3


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """The error of a model against the medians of the sizes, per cent of them.

    `basis` says whether the model was fitted to these times, or predicts them from others.
    """

    model: str
    basis: str
    sizes: int
    median_error_percent: float
    largest_error_percent: float
    largest_at_bytes: int


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """The models of one series: the piecewise one from six sizes on, LogGP beside a stream."""

    name: str
    line: LinearFit
    piecewise: Piecewise | None
    loggp: LogGP | None
    predictions: tuple[Prediction, ...]


def fit_models(series: Series, stream: Series | None = None) -> Models:
    """Fit what the series has sizes for, and LogGP from the delay method or else from a stream.

    Raises WeftError as the straight line does.
    """
    line = fit_line(series)
    enough = len(series.sizes_bytes) >= FEWEST_SIZES
    piecewise = fit_piecewise(series) if enough else None
    paired = stream is not None and len(stream.launches) > 1 and len(series.launches) > 1
    loggp = None
    basis = FROM_STREAM
    if len(series.delays) > 1 and len(series.delays[0]) >= FEWEST_DELAYS:
        loggp, basis = from_delays(series.name, series.delays, series.again), FROM_DELAYS
    elif paired and stream is not None:
        loggp = from_series(series, stream)
    models: dict[str, tuple[str, Callable[[int], float | None]]] = {
        "Hockney, least squares": (FITTED, line.least_squares.time_ns),
        "Hockney, median line": (FITTED, line.median_line.time_ns),
    }
    if piecewise is not None:
        models["piecewise"] = (FITTED, piecewise.time_ns)
    if loggp is not None:
        models["LogGP"] = (basis, loggp.time_ns)
        models["PLogP"] = (basis, loggp.plogp_time_ns)
    return Models(
        name=series.name,
        line=line,
        piecewise=piecewise,
        loggp=loggp,
        predictions=_predictions(series, models),
    )


def _predictions(
    series: Series, models: Mapping[str, tuple[str, Callable[[int], float | None]]]
) -> tuple[Prediction, ...]:
    measured = [
        (int(size), float(time))
        for size, time in zip(series.sizes_bytes, series.medians_ns(), strict=True)
    ]
    found = []
    for name, (basis, model) in models.items():
        errors = [
            (100 * abs(expected / time - 1), size)
            for size, time in measured
            if (expected := model(size)) is not None
        ]
        if errors:
            ordered = sorted(errors)
            found.append(
                Prediction(
                    model=name,
                    basis=basis,
                    sizes=len(errors),
                    median_error_percent=ordered[len(ordered) // 2][0],
                    largest_error_percent=ordered[-1][0],
                    largest_at_bytes=ordered[-1][1],
                )
            )
    return tuple(found)
