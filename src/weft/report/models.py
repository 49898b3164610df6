"""The models of a record as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.report.fits import (
    PREDICTION_HEAD,
    line_rows,
    loggp_rows,
    prediction_rows,
    segment_rows,
    whole_rows,
)
from weft.report.signatures import HEAD as SIGNATURE_HEAD
from weft.report.signatures import signature_rows
from weft.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.modelled import Modelled
    from weft.analysis.fits.models import Models


def model_tables(found: Modelled) -> list[Table]:
    """Lines, segments, parameters and errors of each series, then all signatures."""
    tables = [table for one in found.models for table in tables_of(one)]
    if found.signatures:
        tables.append(
            Table(
                name="signature",
                caption="Network signature: zero-length latency and saturation bandwidth.",
                head=SIGNATURE_HEAD,
                rows=tuple(signature_rows(found.signatures)),
            )
        )
    return tables


def tables_of(one: Models) -> list[Table]:
    """Lines, segments, parameters and errors of one series, each under its own heads."""
    tables = []
    tables.append(
        Table(
            name="line",
            caption=f"Straight lines, {one.name}"
            + (", with 95 % intervals." if one.line.launches > 1 else "."),
            head=("", "least squares, as published", "median line"),
            rows=tuple(line_rows(one.line)),
        )
    )
    if one.piecewise is not None:
        tables.append(
            Table(
                name="piecewise",
                caption=f"Piecewise model, {one.name}: one line per protocol.",
                head=("sizes", "time at 0 B", "bandwidth"),
                rows=tuple(segment_rows(one.piecewise)),
            )
        )
        rows = whole_rows(one.piecewise)
        caption = f"What the piecewise model says, {one.name}."
        tables.append(_facts("whole", caption, rows))
    if one.loggp is not None:
        caption = f"LogGP and PLogP, {one.name}."
        rows = loggp_rows(one.loggp)
        tables.append(_facts("loggp", caption, rows))
    tables.append(
        Table(
            name="errors",
            caption=f"How far each model is off the medians, {one.name}.",
            head=PREDICTION_HEAD,
            rows=tuple(prediction_rows(one)),
            left=(0, len(PREDICTION_HEAD) - 1),
        )
    )
    return tables


def _facts(name: str, caption: str, rows: Sequence[tuple[str, str]]) -> Table:
    """What is said of a model, in words beside their names."""
    return Table(name=name, caption=caption, head=("", ""), rows=tuple(rows), left=(0, 1))
