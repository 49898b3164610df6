"""Noise of launches as the tables of bench/decisions.py draw it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

KINDS = ("normal", "skewed", "outliers", "modes")


class Noise(NamedTuple):
    """What moves a launch's medians, as standard deviations of their logarithms.

    `launch` is shared by the sizes of a curve, or `together` by all curves; with several values a
    curve has its own. `size` is each size's own in each launch, `session` is shared by a whole run.
    `correlation` is that of a launch with the one before it.
    """

    launch: tuple[float, ...] = (0.02,)
    size: float = 0.0
    session: float = 0.0
    kind: str = "normal"
    together: bool = False
    correlation: float = 0.0


def deviates(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Noise of mean 0 and a standard deviation of about 1.

    skewed: exponential. outliers: 2 % of the values are ten deviations slow. modes: 30 % of the
    values are in a mode that is 2 deviations slower.
    """
    if kind == "skewed":
        tail: np.ndarray = random.exponential(1.0, shape)
        return tail - 1
    normal: np.ndarray = random.standard_normal(shape)
    if kind == "outliers":
        normal = normal + 10 * (random.random(shape) < 0.02) - 0.2
    if kind == "modes":
        slow = random.random(shape) < 0.3
        normal = 0.4 * normal + 2 * (slow - 0.3)
    return normal


def tailed(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Deviates of mean 0 and standard deviation 1 with a tail to slow times (gamma, shape 1.5)."""
    return np.asarray((random.gamma(1.5, 1.0, shape) - 1.5) / math.sqrt(1.5))


def in_time(values: np.ndarray, correlation: float) -> np.ndarray:
    """Independent deviates, first axis in time, as an autoregressive series of their variance."""
    series: np.ndarray = np.array(values)
    for at in range(1, len(series)):
        fresh = math.sqrt(1 - correlation**2) * values[at]
        series[at] = correlation * series[at - 1] + fresh
    return series
