"""How often the intervals of the fits hold the truth: `python -m bench.coverage_of_fits`.

Made times about a known line: skewed noise within a launch, an effect of 1 % of each launch, and
sizes that lie off the line by so many per cent in all launches alike. Nothing is measured here.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from weft.analysis.fits.linear import fit_line
from weft.analysis.fits.segments import fit_piecewise
from weft.analysis.fits.sweeps import Series, series_of_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.estimate import Estimate

MIB = 2**20
# Powers of two to 4 MiB about 1.5 us and 4 GB/s; the published sweep's grid about its line.
SWEEPS = {
    "powers of two": ([0, *(2**e for e in range(23))], (1500.0, 0.25)),
    "16 MiB grid": ([16 * MIB * step for step in range(1, 33)], (2.31e6, 1e9 / 5_939_141_600)),
}
SAMPLES = 10
TAIL = 0.02
# Where the gamma distribution of shape 2 has half of its values below, and its mean.
MEDIAN_OF_GAMMA_2, MEAN_OF_GAMMA_2 = 1.6783469900166605, 2.0
LAUNCH_EFFECT = 0.01
QUANTITIES = (
    "least squares: latency",
    "least squares: bandwidth",
    "median line: latency",
    "median line: bandwidth",
    "piecewise: latency",
    "piecewise: bandwidth",
    "piecewise: n1/2",
)


def holds(parameter: Estimate | None, truth: float) -> float:
    """1 or 0; no number where there is no such figure."""
    if parameter is None:
        return float("nan")
    return float(parameter.low <= truth <= parameter.high)


def made(random: np.random.Generator, sweep: str, launches: int, misfit: float) -> Series:
    """A series about the sweep's line whose sizes lie off it by `misfit` (a standard deviation)."""
    sizes, (latency_ns, slope) = SWEEPS[sweep]
    level = (latency_ns + slope * np.array(sizes)) * np.exp(random.normal(0, misfit, len(sizes)))
    rows = []
    for _ in range(launches):
        tail = random.gamma(2.0, 1.0, (len(sizes), SAMPLES)) - MEDIAN_OF_GAMMA_2
        times = level[:, None] * np.exp(random.normal(0, LAUNCH_EFFECT)) * (1 + TAIL * tail)
        rows.append(series_of_times("made", np.repeat(sizes, SAMPLES), times.ravel()).launches[0])
    return Series(name="made", launches=tuple(rows))


def hits(series: Series, sweep: str) -> list[float]:
    """Whether each quantity's interval holds its truth, in the order of QUANTITIES."""
    sizes, (latency_ns, slope) = SWEEPS[sweep]
    means = 1 + TAIL * (MEAN_OF_GAMMA_2 - MEDIAN_OF_GAMMA_2)
    lines = fit_line(series)
    model = fit_piecewise(series)
    squares, robust = lines.least_squares, lines.median_line
    return [
        holds(squares.latency_ns, latency_ns * means),
        holds(squares.slope_ns_per_byte, slope * means),
        holds(robust.latency_ns, latency_ns),
        holds(robust.slope_ns_per_byte, slope),
        holds(model.latency_ns, latency_ns + slope * sizes[0]),
        holds(model.segments[-1].slope_ns_per_byte, slope),
        holds(model.half_bandwidth_bytes, latency_ns / slope),
    ]


def coverage(sweep: str, launches: int, misfit: float, trials: int) -> Sequence[float]:
    """The share of the trials in which each interval held the truth."""
    random = np.random.default_rng(launches)
    rows = [hits(made(random, sweep, launches, misfit), sweep) for _ in range(trials)]
    seen = np.array(rows)
    counts = np.maximum(np.sum(~np.isnan(seen), axis=0), 1)
    found = np.nansum(seen, axis=0) / counts
    return [float(share) for share in np.where(np.isnan(seen).all(axis=0), np.nan, found)]


def main() -> None:
    """Print a table a sweep."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage_of_fits")
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    cases = [(launches, misfit) for launches in (2, 5, 10) for misfit in (0.0, 0.02, 0.03)]
    for sweep in SWEEPS:
        heads = [f"{launches} launches, {misfit:.0%} off" for launches, misfit in cases]
        print(f"| {sweep}, {trials} trials | {' | '.join(heads)} |")
        found = [coverage(sweep, launches, misfit, trials) for launches, misfit in cases]
        for name, shares in zip(QUANTITIES, zip(*found, strict=True), strict=True):
            cells = ["-" if np.isnan(share) else f"{share:.1%}" for share in shares]
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
