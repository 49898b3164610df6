"""All latencies of a record modelled for its report; what cannot be says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.models import Models, fit_models
from weft.analysis.fits.signature import Signature, signature_of
from weft.errors import WeftError
from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Collection

    from weft.analysis.fits.sweeps import Series


class Modelled(msgspec.Struct, frozen=True, kw_only=True):
    """Models and signatures of the series that carry them; a line for each that does not."""

    models: tuple[Models, ...] = ()
    signatures: tuple[Signature, ...] = ()
    refused: tuple[str, ...] = ()


def modelled(pairs: Collection[tuple[Series, Series | None]]) -> Modelled:
    """Fit every latency with its stream; a refusal is a line and no error."""
    models = []
    signatures = []
    refused: dict[str, None] = {}
    for series, stream in counted_off(pairs, "fitting models"):
        if not series.has_latency:
            continue
        try:
            models.append(fit_models(series, stream))
            signatures.append(signature_of(series))
        except WeftError as error:
            refused[f"no model: {error.what}"] = None
    return Modelled(models=tuple(models), signatures=tuple(signatures), refused=tuple(refused))
