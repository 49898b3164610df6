"""Host overhead: what a message costs the host, by three methods side by side.

Figure 7 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), is the time in the calls of a message (test `host_overhead`). Post, work and
wait (Lawry and others, COMB, 2002; its descendant SMB) gives overhead = t(post, work, wait) -
t(work) and availability = 1 - overhead / t(transfer alone), from the `..._overlap` tests. The delay
method (Hoefler, Lichei and Rehm, 2007) is of `analysis.fits.delays`. Differences are taken
sample by sample, for what is differenced was measured within one sample; then the median of each
launch, then of the case.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.delays import delay_tests_of
from weft.analysis.stats.parameters import over_sessions_of
from weft.estimate import Estimate
from weft.record.ranks import name_of, rank_and_part
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.overlap import AS_LONG, OVERLAPS, Operation
from weft.topics.rows import SizeRow
from weft.topics.series import (
    alone_ns,
    by_case,
    less_read,
    median_over,
    part_ns,
    reads_of,
)
from weft.units import format_bytes, format_time
from weft.wording import half_in_its_unit, share_or_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

BOTH: tuple[Operation, Operation] = ("send", "receive")
CALLS = "host_overhead"
MPI_TESTS = (
    "Over mpi a send's calls hold its test, which runs the library's progress and may copy: the"
    " time is not of that send alone."
)


class HostOverhead(SizeRow, frozen=True, kw_only=True):
    """The host's time for a message of a size, by every method that the record has.

    Both ranks time their calls; the two other methods are rank 0's.

    `post_ns` and `complete_ns` are the calls, `calls_ns` both together. `beside_work_ns` is by
    post, work and wait; `availability_percent` is what it leaves of the transfer's time. `delay_ns`
    is o_s or o_r of the delay method. None where it was not measured.
    """

    side: Operation
    rank: int = 0
    post_ns: Estimate | None = None
    complete_ns: Estimate | None = None
    calls_ns: Estimate | None = None
    beside_work_ns: Estimate | None = None
    delay_ns: Estimate | None = None
    availability_percent: Estimate | None = None


class HostOverheads(Topic[tuple[HostOverhead, ...]]):
    """What a message costs the host."""

    name = "overhead"
    title = "Host overhead"

    def rows(self, results: Results) -> tuple[HostOverhead, ...]:
        """One row per transport, variant, size and side."""
        return overheads_of(results.run)

    def tables(self, rows: tuple[HostOverhead, ...]) -> list[Table]:
        """One row per transport, variant, size and side."""
        return [_table(rows)] if rows else []


def overheads_of(run: Run) -> tuple[HostOverhead, ...]:
    """One row per transport, variant, size and side; empty without any."""
    found: dict[HostOverhead, dict[str, Estimate]] = {}
    for place, figures in (*_from_calls(run), *_from_work(run), *_from_delays(run)):
        found.setdefault(place, {}).update(figures)
    sides = (*BOTH, "put", "get")

    ordered = sorted(
        found,
        key=lambda r: (r.transport, r.variant, r.rank, sides.index(r.side), r.bytes),
    )
    return tuple(msgspec.structs.replace(row, **found[row]) for row in ordered)


# A row without figures, and some of its figures.
_Found = tuple[HostOverhead, dict[str, Estimate]]


def _point(case: Case) -> int:
    return case.point or 0


def _overhead_ns(run: Run, batch: Batch) -> NDArray[np.float64]:
    """Post, work and wait less the work, both without their reads of the clock."""
    part = "call" if "call" in batch.parts else ""
    further_ns = reads_of(run, batch, part) - reads_of(run, batch, "work")
    return part_ns(run, batch, part) - part_ns(run, batch, "work") - further_ns


def _available_percent(run: Run, batch: Batch) -> NDArray[np.float64]:
    return 100 * (1 - _overhead_ns(run, batch) / alone_ns(run, batch))


def _from_calls(run: Run) -> Iterator[_Found]:
    for key, batches in by_case(run, (CALLS,)).items():
        case = run.cases[key]
        seen = {rank_and_part(part)[0] for batch in batches for part in batch.parts}
        ranks = sorted({0, *seen})
        for rank, side in itertools.product(ranks, BOTH):
            post, complete = (
                partial(less_read, run, part=name_of(rank, f"{call}_{side}"))
                for call in ("post", "complete")
            )
            figures = {
                "post_ns": median_over(run, batches, post),
                "complete_ns": median_over(run, batches, complete),
                "calls_ns": median_over(run, batches, partial(_together, post, complete)),
            }
            yield HostOverhead(**HostOverhead.of(case), side=side, rank=rank), figures


def _together(
    post: Callable[[Batch], NDArray[np.float64]],
    complete: Callable[[Batch], NDArray[np.float64]],
    batch: Batch,
) -> NDArray[np.float64]:
    return post(batch) + complete(batch)


def _from_work(run: Run) -> Iterator[_Found]:
    """From the longest work of each size and variant, which must be longer than the transfer."""
    longest: dict[Case, Case] = {}
    measured = by_case(run, tuple(OVERLAPS))
    for case in (run.cases[key] for key in measured):
        rest = case.but_for("point")
        if _point(case) > max(AS_LONG, _point(longest.get(rest, rest))):
            longest[rest] = case
    for case in longest.values():
        batches = measured[case.key]
        yield (
            HostOverhead(**HostOverhead.of(case, "point"), side=OVERLAPS[case.test]),
            {
                "beside_work_ns": median_over(run, batches, partial(_overhead_ns, run)),
                "availability_percent": median_over(run, batches, partial(_available_percent, run)),
            },
        )


def _from_delays(run: Run) -> Iterator[_Found]:
    measured = {(case.transport, case.variant): case for case in run.cases.values()}
    for (transport, variant), case in measured.items():
        launches = delay_tests_of(run, transport, variant)
        if len(launches) < 2:
            continue
        for tests in zip(*launches, strict=True):
            row = partial(HostOverhead, **HostOverhead.of(case, bytes=tests[0].bytes))
            sessions = [test.session for test in tests]
            sent = over_sessions_of([test.send_ns for test in tests], sessions, positive=False)
            yield row(side="send"), {"delay_ns": sent}
            received = [test.receive_ns for test in tests if test.receive_ns is not None]
            if len(received) == len(tests):
                figure = over_sessions_of(received, sessions, positive=False)
                yield row(side="receive"), {"delay_ns": figure}


def _table(rows: Sequence[HostOverhead]) -> Table:
    return Table(
        name="overhead",
        caption="What a message costs the host, by three methods, with half of each 95 % interval:"
        " the time in its calls; post, work and wait less the work; the delay method.",
        head=("", "calls", "of which post", "beside work", "delay method", "CPU availability"),
        rows=tuple(
            (
                f"{row.over} {row.side} {format_bytes(row.bytes)}"
                + (f" on rank {row.rank}" if row.rank else ""),
                half_in_its_unit(row.calls_ns, format_time),
                format_time(row.post_ns.value) if row.post_ns else "-",
                half_in_its_unit(row.beside_work_ns, format_time),
                half_in_its_unit(row.delay_ns, format_time),
                share_or_unknown(row.availability_percent),
            )
            for row in rows
        ),
        notes=(MPI_TESTS,) if any(_is_by_test(row) for row in rows) else (),
    )


def _is_by_test(row: HostOverhead) -> bool:
    """Whether the end of a send was asked for by MPI's test of it."""
    family = row.transport.partition(":")[0]
    return family == "mpi" and row.side == "send" and row.calls_ns is not None
