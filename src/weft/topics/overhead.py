"""What a message costs the host: three methods side by side, and how much of it work hides. Pure.

Figure 7 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), is the time in the calls of a message (test `host_overhead`). Post, work and
wait (Lawry and others, COMB, 2002; its descendant SMB) gives overhead = t(post, work, wait) -
t(work) and availability = 1 - overhead / t(transfer alone), from the `..._overlap` tests. The delay
method (Hoefler, Lichei and Rehm, 2007) is that of `weft.analysis.fits.delays`. Differences are
taken sample by sample, for what is differenced was measured within one sample; then the median of
each launch, then over launches.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.fits.delays import delay_tests_of, reads_ns
from weft.analysis.stats.parameters import Parameter, of_one_launch, over_launches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run

Side = Literal["send", "receive", "put", "get"]
BOTH: tuple[Side, Side] = ("send", "receive")
CALLS = "host_overhead"
OVERLAPS: dict[str, Side] = {
    "send_overlap": "send",
    "receive_overlap": "receive",
    "put_overlap": "put",
    "get_overlap": "get",
}
# Work as long as the transfer alone: what can be hidden in the best case is all of it.
AS_LONG = 100


class HostOverhead(msgspec.Struct, frozen=True, kw_only=True):
    """The host's time for a message of a size, by every method that the record has.

    Both ranks time their calls; the two other methods are rank 0's.

    `post_ns` and `complete_ns` are the calls, `calls_ns` both together. `beside_work_ns` is by
    post, work and wait; `availability_percent` is what it leaves of the transfer's time. `delay_ns`
    is o_s or o_r of the delay method. None where it was not measured.
    """

    transport: str
    bytes: int
    side: Side
    variant: str = ""
    rank: int = 0
    post_ns: Parameter | None = None
    complete_ns: Parameter | None = None
    calls_ns: Parameter | None = None
    beside_work_ns: Parameter | None = None
    delay_ns: Parameter | None = None
    availability_percent: Parameter | None = None


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a transfer work of the same length hides, in per cent of the transfer's time.

    (alone + work - both) / alone: 100 if the work costs no further time, 0 if both follow each
    other, below 0 if they are in each other's way. Nothing is cut off at 0 or at 100.
    """

    transport: str
    bytes: int
    side: Side
    variant: str
    alone_ns: Parameter
    work_ns: Parameter
    both_ns: Parameter
    hidden_percent: Parameter


def over(launches: Sequence[NDArray[np.float64]]) -> Parameter:
    """The median over launches of each launch's median, of any sign, with its 95 % interval.

    One launch has none: its samples know nothing of other launches.
    """
    import numpy as np

    medians = [float(np.median(values)) for values in launches]
    if len(medians) == 1:
        return of_one_launch(medians[0])
    return over_launches(medians, positive=False)


def by_case(run: Run, tests: Sequence[str]) -> dict[str, list[Batch]]:
    """The measured batches of these tests by their case, in the order of the plan."""
    chosen: dict[str, list[Batch]] = {
        key: [] for key, case in run.cases.items() if case.test in tests
    }
    for batch in run.measured:
        if batch.case in chosen:
            chosen[batch.case].append(batch)
    return {key: batches for key, batches in chosen.items() if batches}


def by_launch(
    batches: Sequence[Batch], figure: Callable[[Batch], NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """A figure of every sample, one array a launch."""
    import numpy as np

    launches: dict[int, list[NDArray[np.float64]]] = {}
    for batch in batches:
        launches.setdefault(batch.launch, []).append(figure(batch))
    return [np.concatenate(parts) for parts in launches.values()]


def overheads_of(run: Run) -> tuple[HostOverhead, ...]:
    """A row a transport, way, size and side; empty without any."""
    found: dict[HostOverhead, dict[str, Parameter]] = {}
    for place, figures in (*_from_calls(run), *_from_work(run), *_from_delays(run)):
        found.setdefault(place, {}).update(figures)
    sides = (*BOTH, "put", "get")

    ordered = sorted(
        found,
        key=lambda r: (r.transport, r.variant, r.rank, sides.index(r.side), r.bytes),
    )
    return tuple(msgspec.structs.replace(row, **found[row]) for row in ordered)


def overlaps_of(run: Run) -> tuple[Overlap, ...]:
    """A row a transport, way, size and kind of transfer whose work was as long as itself."""
    rows = []
    for key, batches in by_case(run, tuple(OVERLAPS)).items():
        case = run.cases[key]
        if case.point != AS_LONG:
            continue
        rows.append(
            Overlap(
                transport=case.transport,
                bytes=case.bytes,
                side=OVERLAPS[case.test],
                variant=case.but_for("point").variant,
                alone_ns=over(by_launch(batches, partial(_less_read, run, part="alone"))),
                work_ns=over(by_launch(batches, partial(_less_read, run, part="work"))),
                both_ns=over(by_launch(batches, partial(_less_read, run))),
                hidden_percent=over(by_launch(batches, partial(_hidden_percent, run))),
            )
        )
    return tuple(rows)


# A row without figures, and some of its figures.
_Found = tuple[HostOverhead, dict[str, Parameter]]


def _point(case: Case) -> int:
    return case.point or 0


def part_ns(run: Run, batch: Batch, part: str = "") -> NDArray[np.float64]:
    """A part of every sample, or the sample itself, ns of one operation.

    The engine leaves out a series that nothing was put into: it is zero all along.
    """
    import numpy as np

    if part and part not in batch.parts:
        return np.zeros(len(batch.ticks) - batch.warmup)
    times: NDArray[np.float64] = run.time_ns(batch, part=part)
    return times


def _less_read(run: Run, batch: Batch, part: str = "") -> NDArray[np.float64]:
    """The same without its reads of the clock, at least 0."""
    import numpy as np

    return np.maximum(part_ns(run, batch, part) - _reads_ns(run, batch, part), 0.0)


def _reads_ns(run: Run, batch: Batch, part: str = "") -> float:
    return reads_ns(run, batch.launch, run.cases[batch.case].test, part)


def _alone_ns(run: Run, batch: Batch) -> NDArray[np.float64]:
    """The transfer alone; no clock tells less than 1 ns."""
    import numpy as np

    return np.maximum(_less_read(run, batch, "alone"), 1.0)


def _hidden_percent(run: Run, batch: Batch) -> NDArray[np.float64]:
    alone = _alone_ns(run, batch)
    hidden = alone + _less_read(run, batch, "work") - _less_read(run, batch)
    return 100 * hidden / alone


def _overhead_ns(run: Run, batch: Batch) -> NDArray[np.float64]:
    """Post, work and wait less the work, both without their reads of the clock."""
    part = "call" if "call" in batch.parts else ""
    further_ns = _reads_ns(run, batch, part) - _reads_ns(run, batch, "work")
    return part_ns(run, batch, part) - part_ns(run, batch, "work") - further_ns


def _available_percent(run: Run, batch: Batch) -> NDArray[np.float64]:
    return 100 * (1 - _overhead_ns(run, batch) / _alone_ns(run, batch))


def _from_calls(run: Run) -> Iterator[_Found]:
    for key, batches in by_case(run, (CALLS,)).items():
        case = run.cases[key]
        ranks = {"": 0}
        if any(part.startswith("rank1.") for batch in batches for part in batch.parts):
            ranks["rank1."] = 1
        for (prefix, rank), side in itertools.product(ranks.items(), BOTH):
            posts = by_launch(batches, partial(_less_read, run, part=f"{prefix}post_{side}"))
            ends = by_launch(batches, partial(_less_read, run, part=f"{prefix}complete_{side}"))
            both = [post + end for post, end in zip(posts, ends, strict=True)]
            figures = {"post_ns": over(posts), "complete_ns": over(ends), "calls_ns": over(both)}
            row = HostOverhead(
                transport=case.transport,
                bytes=case.bytes,
                side=side,
                variant=case.variant,
                rank=rank,
            )
            yield row, figures


def _from_work(run: Run) -> Iterator[_Found]:
    """From the longest work of each size and way, which must be longer than the transfer."""
    longest: dict[Case, Case] = {}
    measured = by_case(run, tuple(OVERLAPS))
    for case in (run.cases[key] for key in measured):
        rest = case.but_for("point")
        if _point(case) > max(AS_LONG, _point(longest.get(rest, rest))):
            longest[rest] = case
    for rest, case in longest.items():
        batches = measured[case.key]
        row = HostOverhead(
            transport=case.transport,
            bytes=case.bytes,
            side=OVERLAPS[case.test],
            variant=rest.variant,
        )
        yield (
            row,
            {
                "beside_work_ns": over(by_launch(batches, partial(_overhead_ns, run))),
                "availability_percent": over(by_launch(batches, partial(_available_percent, run))),
            },
        )


def _from_delays(run: Run) -> Iterator[_Found]:
    ways = dict.fromkeys((case.transport, case.variant) for case in run.cases.values())
    for transport, variant in ways:
        launches = delay_tests_of(run, transport, variant)
        if len(launches) < 2:
            continue
        for tests in zip(*launches, strict=True):
            row = partial(HostOverhead, transport=transport, bytes=tests[0].bytes, variant=variant)
            sent = over_launches([test.send_ns for test in tests], positive=False)
            yield row(side="send"), {"delay_ns": sent}
            received = [test.receive_ns for test in tests if test.receive_ns is not None]
            if len(received) == len(tests):
                figure = over_launches(received, positive=False)
                yield row(side="receive"), {"delay_ns": figure}
