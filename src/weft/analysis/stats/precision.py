"""Whether a case is measured precisely enough. Pure."""

from __future__ import annotations

from weft.analysis.stats.intervals import median_of_launches


def settled(
    launch_medians: list[float], precision: float, launches: int, resolution: float = 0.0
) -> bool:
    """Whether the interval over the launches is inside the precision, after enough launches.

    `resolution` is what a tick of the clock is worth in the medians: no interval is narrower.
    """
    if len(launch_medians) < launches:
        return False
    # Where the clock did not move there is no time, and no interval around it.
    if min(launch_medians) <= 0:
        return False
    # One launch does not show the variation between launches: its interval has no ends.
    return median_of_launches(launch_medians, resolution).relative_half_width <= precision
