"""Times of a known line with the noise that networks show: skewed, bimodal, drifting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where the distribution function of the gamma distribution of shape 2 is one half.
MEDIAN_OF_GAMMA_2 = 1.6783469900166605
# The normal distribution has two thirds of its values below this.
NORMAL_TWO_THIRDS = 0.4307272992954576
KINDS = ("skewed", "bimodal", "drifting")


def relative_noise(random: np.random.Generator, kind: str, sizes: int, samples: int) -> np.ndarray:
    """Relative deviations, an array of sizes by samples; their true median is 0.

    skewed: a sharp lower edge and a long tail, each sample by itself. bimodal: a quarter of the
    samples take a way that is 8 % slower. drifting: each size is measured at a random moment of a
    day on which the machine slows down by 4 %, so that its samples are slow or fast together.
    """
    tail = 0.02 * (random.gamma(2.0, 1.0, (sizes, samples)) - MEDIAN_OF_GAMMA_2)
    if kind == "skewed":
        return tail
    if kind == "bimodal":
        slow = random.random((sizes, samples)) < 1 / 4
        jitter = random.normal(0, 0.01, (sizes, samples))
        # The median of the mixture: below it lie two thirds of the fast three quarters.
        return jitter + 0.08 * slow - 0.01 * NORMAL_TWO_THIRDS
    if kind == "drifting":
        moment = random.random((sizes, 1)) + 0.01 * np.linspace(-0.5, 0.5, samples)
        return 0.04 * (moment - 0.5) + 0.01 * random.laplace(0, 1.0, (sizes, samples))
    raise ValueError(kind)


def times_of_line(
    random: np.random.Generator,
    kind: str,
    sizes: Sequence[int],
    samples: int,
    line: tuple[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    """Columns of sizes and times about intercept + slope * size, (intercept, slope) in ns."""
    level = line[0] + line[1] * np.asarray(sizes, dtype=np.float64)
    times = level[:, None] * (1 + relative_noise(random, kind, len(sizes), samples))
    return np.repeat(np.asarray(sizes), samples), times.ravel()
