"""Times against message sizes, launch by launch: what every fit starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.analysis.fits.delays import SINGLE, DelayTest, delay_tests_of
from weft.analysis.stats.intervals import middle_of_case
from weft.analysis.stats.launches import next_session_of, rests_on
from weft.analysis.stats.percentiles import medians
from weft.errors import WeftError
from weft.names import as_typed
from weft.plan.cases import LAUNCHES
from weft.record.launches import by_launch, grouped, samples_of_groups
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.command import NextSession
    from weft.record.run import Run

FEWEST_SIZES = 3
# More samples of a size than this are thinned to as many of their quantiles: signs against a line
# stay the same within a 401st, and 10^7 samples are fitted in the time of some thousand.
MOST_KEPT = 401


def more_launches_of(again: NextSession | None) -> str:
    """The command for as many launches as are usual; empty of what cannot be measured again."""
    return "" if again is None else again.command(max(LAUNCHES, again.launches))


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """The times of one launch, by size: arrays with an entry a size, sizes ascending.

    `sizes_bytes`; `counts` of samples; `means_ns`, `squares_ns2` (the sum of squared deviations
    from the mean) and `medians_ns` over all samples; `kept_ns` the samples themselves or their
    quantiles, each of which stands for `weights` samples.
    """

    sizes_bytes: NDArray[np.float64]
    counts: NDArray[np.float64]
    means_ns: NDArray[np.float64]
    squares_ns2: NDArray[np.float64]
    medians_ns: NDArray[np.float64]
    kept_ns: tuple[NDArray[np.float64], ...]
    weights: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Series:
    """The launches of one test on one transport, or of one table; `notes` tell what was omitted.

    Without `has_latency` the times are those of a message in a stream. In one such time
    `directions` times the message's bytes move: 2 where both ways count, as in sendrecv. `delays`
    are what the delay method measured on the same transport, a tuple a launch. `is_table`: it
    came without launches. `ticks_ns` is what a tick of the clock is worth in the times of each
    size, at worst; empty where no clock is known. `sessions` has the number of each launch's
    session; empty where there is one. `again` is how to measure it once more, None of a table, and
    `rests_on` what its sessions do not show.
    """

    name: str
    launches: tuple[Sweep, ...]
    has_latency: bool = True
    directions: float = 1.0
    notes: tuple[str, ...] = ()
    delays: tuple[tuple[DelayTest, ...], ...] = ()
    is_table: bool = False
    ticks_ns: tuple[float, ...] = ()
    sessions: tuple[int, ...] = ()
    again: NextSession | None = None
    rests_on: tuple[str, ...] = ()

    @property
    def more_launches(self) -> str:
        """The command for as many launches as are usual; empty of a table."""
        return more_launches_of(self.again)

    @property
    def counted(self) -> int:
        """How many launches are known to be behind it: 0 of a table, whose launches are unknown."""
        return 0 if self.is_table else len(self.launches)

    @property
    def sizes_bytes(self) -> NDArray[np.float64]:
        """The sizes of the first launch, ascending."""
        return self.launches[0].sizes_bytes

    @property
    def samples(self) -> int:
        """How many samples there are over all launches and sizes."""
        return int(sum(sweep.counts.sum() for sweep in self.launches))

    def medians_ns(self) -> NDArray[np.float64]:
        """For each size the median of the launches' medians, over sessions if there are several."""
        import numpy as np

        by_size = np.transpose([sweep.medians_ns for sweep in self.launches])
        return np.array([middle_of_case(own.tolist(), self.sessions) for own in by_size])


def sweep_of(by_size: dict[int, NDArray[np.float64]]) -> Sweep:
    """One launch from the samples of each size, ns. Raises WeftError for times that are none."""
    import numpy as np

    sizes = sorted(by_size)
    kept = []
    means, squares, weights = [], [], []
    for size in sizes:
        times = by_size[size]
        if not (times.min() > 0 and np.isfinite(times.max())):
            raise WeftError(
                f"a time of {times.min():g} ns at {size} bytes is impossible",
                "remove such lines, or measure again",
            )
        mean = float(times.mean())
        means.append(mean)
        squares.append(float(np.square(times - mean).sum()))
        few = _thinned(times)
        weights.append(len(times) / len(few))
        kept.append(few)
    return Sweep(
        sizes_bytes=np.array(sizes, dtype=np.float64),
        counts=np.array([len(by_size[size]) for size in sizes], dtype=np.float64),
        means_ns=np.array(means),
        squares_ns2=np.array(squares),
        medians_ns=medians([by_size[size] for size in sizes]),
        kept_ns=tuple(kept),
        weights=np.array(weights),
    )


def _thinned(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The samples, or MOST_KEPT of their quantiles evenly apart, the median among them."""
    import numpy as np

    if len(times) <= MOST_KEPT:
        return times
    places = (np.arange(MOST_KEPT) + 0.5) / MOST_KEPT * len(times)
    return np.asarray(np.sort(times)[places.astype(np.int64)])


def series_of_run(run: Run, test: str, transport: str) -> Series:
    """The times of a test on a transport: latency where it has one, else the time of a message.

    Warm-up is omitted, and so are cases with a wrong byte. Launches that lack sizes which others
    have (the last one, when a budget ended) are omitted too, with a note. Raises WeftError when
    nothing was measured.
    """
    bad = {b.case for b in run.lines.batches if b.status == "failed" and not b.ended_launch}
    variants = dict.fromkeys(
        case.variant
        for case in run.cases.values()
        if (case.test, case.transport) == (test, transport)
    )
    first = next(iter(variants), "")
    wanted = {
        key: case.bytes
        for key, case in run.cases.items()
        if (case.test, case.transport, case.variant) == (test, transport, first) and key not in bad
    }
    measured = by_launch(batch for batch in run.measured if batch.case in wanted)
    launches = {
        number: grouped(own, lambda batch: wanted[batch.case]) for number, own in measured.items()
    }
    if not launches:
        raise WeftError(
            f"{run.path} has no measured {test} over {transport}",
            f"run weft show {as_typed(run.path)} to see what it has",
        )
    fullest = max(launches.values(), key=len).keys()
    kept = [launch for launch, sizes in launches.items() if sizes.keys() == fullest]
    whole = [launches[launch] for launch in kept]
    pattern = run.patterns[test]
    divisor = max(pattern.latency_divisor, 1)
    sweeps = tuple(
        sweep_of(samples_of_groups(sizes, lambda batch: run.time_ns(batch) / divisor))
        for sizes in whole
    )
    return Series(
        name=f"{transport}/{test}",
        launches=sweeps,
        has_latency=pattern.latency_divisor > 0,
        directions=max(pattern.bandwidth_factor, 1) / divisor,
        delays=delay_tests_of(run, transport, first) if test == SINGLE else (),
        sessions=tuple(run.launches[launch].session for launch in kept),
        notes=_skipped(len(launches) - len(whole), len(bad), tuple(variants)),
        ticks_ns=tuple(
            run.resolution_ns(batch for sizes in whole for batch in sizes[size]) / divisor
            for size in sorted(fullest)
        ),
        again=next_session_of(run),
        rests_on=rests_on(run),
    )


def _skipped(launches: int, cases: int, variants: Sequence[str]) -> tuple[str, ...]:
    """Notes on what of a record is not in a series, with counts."""
    notes = []
    if len(variants) > 1:
        notes.append(
            f"{len(variants)} variants were measured, and the first is used:"
            f" {variants[0] or 'the default'}; the others are"
            f" {', '.join(variant or 'the default' for variant in variants[1:])}"
        )
    if launches:
        lacking = "1 launch lacks" if launches == 1 else f"{launches} launches lack"
        notes.append(f"skipped: {lacking} some of the sizes")
    if cases:
        notes.append(f"skipped: {counted(cases, 'case')} failed")
    return tuple(notes)


def series_of_times(
    name: str,
    sizes_bytes: NDArray[np.int64],
    times_ns: NDArray[np.float64],
    notes: tuple[str, ...] = (),
    directions: float = 1.0,
) -> Series:
    """A series of one launch from two columns of the same length, in any order."""
    import numpy as np

    order = np.argsort(sizes_bytes, kind="stable")
    sizes, starts = np.unique(sizes_bytes[order], return_index=True)
    parts = np.split(times_ns[order], starts[1:])
    return Series(
        name=name,
        launches=(sweep_of({int(s): part for s, part in zip(sizes, parts, strict=True)}),),
        directions=directions,
        notes=notes,
        is_table=True,
    )


def check_sizes(series: Series, least: int = FEWEST_SIZES) -> None:
    """Raises WeftError when there are too few sizes for a fit."""
    found = len(series.sizes_bytes)
    if found < least:
        sizes = "one size" if found == 1 else f"{counted(found, 'size')}"
        raise WeftError(
            f"{series.name} has {sizes}: a line needs at least {least}",
            "measure more sizes, e.g. with --sizes 0..4MiB",
        )
