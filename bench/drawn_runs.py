"""Records whose launches are drawn, as files: what the commands of weft read."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import numpy as np

from weft.applications.info import ApplicationInfo
from weft.applications.lattice import Lattice
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.plan.plan import Plan
from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Clock,
    Footer,
    Header,
    Launch,
    Outcome,
    RankFacts,
)
from weft.record.undescribed import as_measured
from weft.record.writer import RecordWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weft.record.model import Line

    # Of each case the time of one operation in ns, by launch and rank.
    Times = Mapping[Case, np.ndarray]

# What a launch of all cases of a record took.
LAUNCH_S = 2.0
BUDGET_S = 60.0
FIRST_DAY = datetime.datetime(2026, 11, 1, 2, tzinfo=datetime.UTC)
CLOCK = Clock(name="tsc", tick_ns=0.25, overhead_ticks=80, baseline_ns=3_000_000_000)
OPERATIONS = 8
SAMPLES = 5
# Both go through sockets, so that they are layers over one medium.
DETAILS = {
    "tcp": {"interface": "eth0", "address": "10.0.0.1:5"},
    "ofi": {"provider": "tcp;ofi_rxm", "domain": "eth0"},
}
_PING_PONG = as_measured(
    Pattern(
        name="ping_pong", title="Latency", summary="back and forth", ranks=2,
        latency_divisor=2, bandwidth_factor=2,
    )
)  # fmt: skip
_SOLVER = as_measured(
    Pattern(
        name="milc", title="Staggered solver", summary="conjugate gradient", figure="iteration",
        ranks=1, latency_divisor=1, bandwidth_factor=0,
        application=ApplicationInfo(
            dimensions=4, extents="4..14:2", bytes="4", least_extent=4, multiple=2,
            flops_per_site=1187,
        ),
    )
)  # fmt: skip
PATTERNS = {one.name: one for one in (_PING_PONG, _SOLVER)}


def ping_pong(transport: str = "tcp", size: int = 8) -> Case:
    """A case of two ranks."""
    return Case(test="ping_pong", transport=transport, bytes=size)


def solver(ranks: int) -> Case:
    """The staggered solver with a lattice of 8^4 on each rank."""
    of = Lattice(extents=(8,) * 4).options
    return Case(test="milc", transport="tcp", bytes=4, ranks=ranks, application=of)


def written(
    path: Path,
    times_ns: Times,
    *,
    day: int = 0,
    precision: float = 0.01,
    outcome: Outcome = "precise",
    sessions: int = 1,
) -> Path:
    """Write a record whose launches took these times; of several sessions as if it was resumed."""
    launches = max(len(times) for times in times_ns.values())
    begun = FIRST_DAY + datetime.timedelta(days=day)
    header = Header(
        schema_version=SCHEMA_VERSION,
        weft_version="0.1.0",
        created_utc=begun.isoformat(),
        command=("weft", "run"),
        plan=Plan(
            cases=tuple(times_ns),
            # As a command with --launches writes it.
            launches=launches,
            precision=precision,
            budget_s=BUDGET_S,
            seed=1,
            mpi="openmpi",
        ),
        patterns=tuple(PATTERNS[name] for name in dict.fromkeys(one.test for one in times_ns)),
        hosts={name: {"host": name} for name in ("node1", "node2")},
    )
    path.unlink(missing_ok=True)
    with RecordWriter.create(path) as writer:
        writer.write(header)
        batches = 0
        for line in _lines(times_ns, launches, begun, sessions):
            batches += isinstance(line, Batch)
            writer.write(line)
        finished = begun + datetime.timedelta(seconds=launches * LAUNCH_S)
        writer.write(Footer(finished_utc=finished.isoformat(), outcome=outcome, batches=batches))
    return path


def _lines(
    times_ns: Times, launches: int, begun: datetime.datetime, sessions: int
) -> Iterator[Line]:
    groups = dict.fromkeys((case.transport, case.ranks) for case in times_ns)
    number = 0
    for round_ in range(launches):
        started = begun + datetime.timedelta(seconds=round_ * LAUNCH_S)
        for transport, ranks in groups:
            yield Launch(
                launch=number,
                transport=transport,
                started_utc=started.isoformat(),
                mpi="Open MPI v4.1.4",
                ranks=tuple(_rank(rank) for rank in range(ranks)),
                clock=CLOCK,
                details=DETAILS[transport],
                load_average=0.1,
                round=round_,
                session=round_ * sessions // launches,
            )
            for case, times in times_ns.items():
                if (case.transport, case.ranks) == (transport, ranks):
                    yield _batch(case, number, np.atleast_1d(times[round_]))
            number += 1


def _rank(rank: int) -> RankFacts:
    return RankFacts(rank=rank, host=f"node{rank % 2 + 1}", pid=100 + rank, cpu=rank // 2, numa=0)


def _batch(case: Case, launch: int, times_ns: np.ndarray) -> Batch:
    ticks = [(round(time * OPERATIONS / CLOCK.tick_ns),) * SAMPLES for time in times_ns.tolist()]
    return Batch(
        case=case.key,
        launch=launch,
        order=launch,
        role="measure",
        status="ok",
        ops_per_sample=OPERATIONS,
        warmup=0,
        verified_bytes=4096,
        elapsed_ns=round(sum(ticks[0]) * CLOCK.tick_ns),
        timed_ns=round(sum(ticks[0]) * CLOCK.tick_ns),
        ticks=ticks[0],
        parts={f"rank{rank}": own for rank, own in enumerate(ticks) if rank},
    )
