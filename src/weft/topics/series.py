"""The series of a batch, by launch: times of parts of its samples without the clock's reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.fits.delays import reads_ns
from weft.analysis.stats.intervals import median_of_case
from weft.analysis.stats.parameters import over_sessions_of
from weft.record.launches import launch_medians, samples_by_launch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate
    from weft.record.model import Batch
    from weft.record.run import Run

# Every sample of work beside a transfer has these parts: the transfer alone and the work alone.
ALONE, WORK = "alone", "work"


def of_case(run: Run, launches: Mapping[int, float]) -> Estimate:
    """The median of a case from a value of any sign for each launch, with its 95 % interval."""
    return over_sessions_of(list(launches.values()), run.sessions_of(launches), positive=False)


def positive_of_case(run: Run, launches: Mapping[int, float], resolution: float = 0.0) -> Estimate:
    """The same of times and rates; `resolution` is what a tick of the clock is worth in them."""
    return median_of_case(list(launches.values()), run.sessions_of(launches), resolution)


def by_case(run: Run, tests: Collection[str]) -> dict[str, list[Batch]]:
    """The measured batches of these tests by their case, in the order of the plan."""
    measured = run.measured_by_case
    return {key: own for key, own in measured.items() if run.cases[key].test in tests}


def median_over(
    run: Run, batches: Sequence[Batch], figure: Callable[[Batch], NDArray[np.float64]]
) -> Estimate:
    """A figure of every sample, of any sign: the median of a case from its launches' medians."""
    return of_case(run, launch_medians(samples_by_launch(batches, figure)))


def part_ns(run: Run, batch: Batch, part: str = "") -> NDArray[np.float64]:
    """A part of every sample, or the sample itself, ns of one operation.

    The engine leaves out a series that nothing was put into: it is zero all along.
    """
    import numpy as np

    if part and part not in batch.parts:
        return np.zeros(len(batch.ticks) - batch.warmup)
    times: NDArray[np.float64] = run.time_ns(batch, part=part)
    return times


def whole_ns(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The sample itself as what is divided by: no clock tells less than a tick."""
    import numpy as np

    return np.maximum(part_ns(run, batch), run.resolution_ns([batch]))


def less_read(run: Run, batch: Batch, part: str = "") -> NDArray[np.float64]:
    """The same without its reads of the clock, at least 0."""
    import numpy as np

    return np.maximum(part_ns(run, batch, part) - reads_of(run, batch, part), 0.0)


def reads_of(run: Run, batch: Batch, part: str = "") -> float:
    """What the reads of the clock in an operation of a batch cost, or in one of its series, ns."""
    return reads_ns(run, batch.launch, run.cases[batch.case].test, part)


def alone_ns(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The transfer alone; no clock tells less than 1 ns."""
    import numpy as np

    return np.maximum(less_read(run, batch, "alone"), 1.0)
