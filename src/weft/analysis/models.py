"""All models of one series together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.linear import LinearFit, fit_line
from weft.analysis.segments import FEWEST_SIZES, Piecewise, fit_piecewise

if TYPE_CHECKING:
    from weft.analysis.sweeps import Series


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """The models of one series; the piecewise one from six sizes on."""

    name: str
    line: LinearFit
    piecewise: Piecewise | None


def fit_models(series: Series) -> Models:
    """Fit what the series has sizes for. Raises WeftError as the straight line does."""
    enough = len(series.sizes_bytes) >= FEWEST_SIZES
    return Models(
        name=series.name,
        line=fit_line(series),
        piecewise=fit_piecewise(series) if enough else None,
    )
