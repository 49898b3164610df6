"""A row of the table of verdicts, and the noise that its trials are drawn with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS_OF_LAUNCHES = {
    "skewed": "with an exponential tail",
    "modes": "of two modes",
    "outliers": "with outliers",
}
KINDS_OF_DAYS = {"tail": "with a tail", "modes": "of two modes", "outliers": "with outliers"}
# The medians of the kinds of noise.
MEDIANS = {"normal": 0.0, "skewed": math.log(2) - 1, "modes": -0.3737, "outliers": -0.1733}
MOST = "<= 5"
HALF = ">= 50"
Random = np.random.Generator


class Scene(NamedTuple):
    """A situation, whether a trial of it comes true (None: it says nothing), and the aim."""

    name: str
    once: Callable[[Random], bool | None]
    aim: str
    trials_share: float = 1.0
