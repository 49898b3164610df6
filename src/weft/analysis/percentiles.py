"""Percentiles of samples, as far as their number carries them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PERCENTILES = (1.0, 5.0, 25.0, 75.0, 90.0, 95.0, 99.0, 99.9)
SAMPLES_BEYOND = 10


def percentiles(values: NDArray[np.float64]) -> dict[str, float]:
    """The percentiles of PERCENTILES that have at least 10 samples beyond them, by name ("99.9").

    Fewer samples beyond would make the figure the luck of a few; such a one is left out.
    """
    import numpy as np  # noqa: PLC0415 - not needed to start the program

    usable = [
        p for p in PERCENTILES if len(values) * min(p, 100.0 - p) / 100.0 >= SAMPLES_BEYOND - 1e-9
    ]
    return (
        {f"{p:g}": float(v) for p, v in zip(usable, np.percentile(values, usable), strict=True)}
        if usable
        else {}
    )
