"""What a median hides: two modes, a drift, launches that disagree, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.stats.theil_sen import theil_sen
from weft.quantiles import median, quantiles
from weft.record.launches import launch_median
from weft.units import format_time
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.command import NextSession

# A valley between two modes counts when the modes are this far apart, the smaller one holds this
# share of the samples, and the density between them falls to this part of the lower peak.
MODES_APART = 0.10
SMALLER_MODE = 0.10
VALLEY_DEPTH = 0.5
FEWEST_FOR_MODES = 100
TICKS_APART = 3
DRIFT = 0.02
BLOCKS = 10
FEWEST_FOR_DRIFT = 5 * BLOCKS
# Of the 45 pairs of blocks, rises less falls; chance reaches 35 with a probability of 0.00095.
KENDALL_SUM = 35
# Launches disagree when half their range is this many times what their own samples explain (by
# chance 5 launches reach 1.7 and 100 launches 3.7 half interquartile ranges) and worth a word.
UNEXPLAINED = 6.0
LAUNCHES_APART_PERCENT = 5.0


def two_modes(
    values: NDArray[np.float64], resolution: float = 0.0
) -> tuple[float, float, float] | None:
    """The lower mode, the higher mode, and the share of samples in the lower, if there are two.

    A mode is given by the median of the samples on its side of the valley between the two.

    `resolution` is what one tick of the clock is worth in the unit of the values: modes that are
    not more than TICKS_APART of it apart are the clock's steps.

    A histogram of the logarithms between the 0.5th and 99.5th percentile, smoothed by a Gaussian of
    Silverman's width for the central part (so that a long tail does not widen it); two peaks with a
    deep valley between them, and enough samples on each side.
    """
    import numpy as np

    values = values[values > 0]
    if len(values) < FEWEST_FOR_MODES:
        return None
    logs = np.log(values)
    low, first, third, high = quantiles(logs, (0.005, 0.25, 0.75, 0.995))
    if high - low < MODES_APART / 2:
        return None
    spread = min(float(np.std(logs)), (third - first) / 1.34)
    width = max(0.9 * spread * len(logs) ** -0.2, (high - low) / 128, MODES_APART / 5)
    bins = 512
    counts, edges = np.histogram(logs, bins=bins, range=(low - 3 * width, high + 3 * width))
    step = edges[1] - edges[0]
    reach = math.ceil(3 * width / step)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    density = np.convolve(counts, kernel, mode="same")
    found = _split(density, edges, logs)
    return found if found and found[1] - found[0] > TICKS_APART * resolution else None


def _split(
    density: NDArray[np.float64], edges: NDArray[np.float64], logs: NDArray[np.float64]
) -> tuple[float, float, float] | None:
    import numpy as np

    inner = density[1:-1]
    peaks = np.flatnonzero((inner > density[:-2]) & (inner >= density[2:])) + 1
    if len(peaks) < 2:
        return None
    first = int(peaks[np.argmax(density[peaks])])
    best: float | None = None
    most = 0.0
    for second in (int(p) for p in peaks if p != first):
        left, right = min(first, second), max(first, second)
        valley = left + int(np.argmin(density[left : right + 1]))
        apart = math.exp(edges[right] - edges[left]) - 1
        share = float(np.mean(logs < edges[valley]))
        smaller = min(share, 1 - share)
        deep = density[valley] <= VALLEY_DEPTH * min(density[left], density[right])
        if apart >= MODES_APART and smaller >= SMALLER_MODE and deep and smaller > most:
            most = smaller
            best = edges[valley]
    if best is None:
        return None
    below = logs < best
    lower, higher = float(np.median(logs[below])), float(np.median(logs[~below]))
    return math.exp(lower), math.exp(higher), float(np.mean(below))


def drift(values: NDArray[np.float64]) -> float | None:
    """How much the median moves from a batch's start to its end, relative; None if it does not.

    Theil-Sen slope (median of the slopes of all pairs) over the medians of 10 blocks in time order,
    and Mann and Kendall's test of these: with hundreds of cases, chance alone must not be reported.
    """
    import numpy as np

    if len(values) < FEWEST_FOR_DRIFT:
        return None
    blocks = _block_medians(values)
    earlier, later = np.triu_indices(BLOCKS, k=1)
    if abs(np.sign(blocks[later] - blocks[earlier]).sum()) < KENDALL_SUM:
        return None
    change = theil_sen(blocks) * (BLOCKS - 1) / float(np.median(blocks))
    return change if abs(change) > DRIFT else None


def _block_medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The medians of BLOCKS parts in a row, the first of them one value longer if need be."""
    import numpy as np

    size, longer = divmod(len(values), BLOCKS)
    border = longer * (size + 1)
    parts = values[:border].reshape(longer, size + 1), values[border:].reshape(-1, size)
    return np.concatenate([np.median(part, axis=1) for part in parts])


def launches_apart(launches: Sequence[NDArray[np.float64]]) -> tuple[float, float] | None:
    """The lowest and the highest launch median when they differ more than their samples explain.

    The range, not a robust spread: one launch of five that is placed badly is to be seen. What the
    samples explain is the standard error of a launch's median, 1.2533 * spread / sqrt(n), here in
    terms of half the interquartile range.
    """

    medians = [launch_median(values) for values in launches]
    low, high = min(medians), max(medians)
    half_range_percent = (high - low) / 2 / median(medians) * 100
    if half_range_percent <= LAUNCHES_APART_PERCENT:
        return None
    own_percent = [1.2533 * spread_percent(v) / len(v) ** 0.5 for v in launches]
    explained = UNEXPLAINED * median(own_percent)
    return (low, high) if half_range_percent > explained else None


def spread_percent(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Half the interquartile range over the median, per cent: a robust relative spread."""
    low, middle, high = quantiles(values, (0.25, 0.5, 0.75))
    return (high - low) / 2 / middle * 100


def not_looked_for(launches: Sequence[NDArray[np.float64]], again: NextSession) -> list[str]:
    """Which shapes most launches have too few samples to be checked for; in words.

    `again` is how to measure them again.
    """
    sentences = []
    middle = sorted(len(values) for values in launches)[len(launches) // 2]
    for what, fewest in (("two modes", FEWEST_FOR_MODES), ("a drift", FEWEST_FOR_DRIFT)):
        few = sum(len(values) < fewest for values in launches)
        if 2 * few > len(launches):
            sentences.append(
                f"{what} not checked: it takes {counted(fewest, 'sample')} per launch, and {few} of"
                f" {counted(len(launches), 'launch')} {verb_of(few, 'have', len(launches))} fewer"
                f" (about {middle}); run"
                f" {again.longer(1.5 * fewest / max(middle, 1))}"
            )
    return sentences


def modes_in_words(
    lower_ns: float, higher_ns: float, share: float, seen: str, one_by_one: str = ""
) -> str:
    """A sentence for two modes, times in ns, `share` of the samples in the lower one.

    `one_by_one` is the command that times single operations, where samples are not of one each.
    """
    single = f", and run {one_by_one} to time single operations" if one_by_one else ""
    return (
        f"two modes, at {format_time(lower_ns)} ({share:.0%}) and {format_time(higher_ns)}"
        f" ({1 - share:.0%}) in {seen}: often a changing frequency, another process on the core or"
        f" two paths in the library; see weft doctor{single}"
    )


def drift_in_words(change: float, seen: str) -> str:
    """A sentence for a drift within a batch."""
    direction = "rises" if change > 0 else "falls"
    return (
        f"drift: the time {direction} by {abs(change):.1%} within a batch in {seen}: often a"
        " frequency that settles or a buffer that grows; see weft doctor"
    )


def launches_in_words(low_ns: float, high_ns: float) -> str:
    """A sentence for launches that disagree."""
    return (
        f"launches differ: their medians range from {format_time(low_ns)} to"
        f" {format_time(high_ns)}, far more than the samples of one explain: often placement or"
        " memory layout; see weft doctor"
    )
