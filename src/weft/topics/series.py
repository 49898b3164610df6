"""The series of a batch, by launch: times of parts of its samples without the clock's reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.fits.delays import reads_ns
from weft.analysis.stats.parameters import of_one_launch, over_launches
from weft.record.launches import launch_median, samples_by_launch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate
    from weft.record.model import Batch
    from weft.record.run import Run

# Every sample of work beside a transfer has these parts: the transfer alone and the work alone.
ALONE, WORK = "alone", "work"


def over_launch_medians(launches: Sequence[NDArray[np.float64]]) -> Estimate:
    """The median over launches of each launch's median, of any sign, with its 95 % interval.

    One launch has none: its samples do not show other launches.
    """
    medians = [launch_median(values) for values in launches]
    if len(medians) == 1:
        return of_one_launch(medians[0])
    return over_launches(medians, positive=False)


def by_case(run: Run, tests: Collection[str]) -> dict[str, list[Batch]]:
    """The measured batches of these tests by their case, in the order of the plan."""
    measured = run.measured_by_case
    return {key: own for key, own in measured.items() if run.cases[key].test in tests}


def median_over(
    batches: Sequence[Batch], figure: Callable[[Batch], NDArray[np.float64]]
) -> Estimate:
    """A figure of every sample: the median over launches of each launch's median."""
    return over_launch_medians(list(samples_by_launch(batches, figure).values()))


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
