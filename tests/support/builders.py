"""Synthetic records with known answers, for every test that reads one.

`synthetic_record(path)` writes a finished record of two transports and four tests. Unless
`times_ns` says otherwise the medians are exact: over launches the time of one operation of a case
is `usual_time_ns(case)`, the launch medians are that times LAUNCH_EFFECTS. What a median does not
show is uneven, as where it is measured: launches differ in the clock's tick, the samples' number
and the warm-up's, and samples reach further above their median than below it.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications.info import ApplicationInfo
from weft.plan.case import Case
from weft.plan.pattern import Axis, Pattern
from weft.plan.plan import Plan
from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Clock,
    Footer,
    Header,
    Launch,
    LaunchEnd,
    Outcome,
    RankFacts,
    Role,
    Status,
)
from weft.record.undescribed import as_measured
from weft.record.writer import RecordWriter, compress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from weft.plan.simulated import SimulatedPlatform
    from weft.plan.variations import Variation
    from weft.record.model import Line

    Times = Callable[[Case, int], Sequence[float]]
    Parts = Callable[[Case, int], Mapping[str, Sequence[float]]]
    CpuShares = Callable[[Case, int], Sequence[float]]

TICK_NS = 0.5
# By round: launches that follow each other have unlike clocks. The third, whose effect is 1, has
# the usual tick, so that medians are as exact as can be. A read of the clock takes as long in each.
TICKS_NS = (0.4, 0.25, TICK_NS, 0.8, 0.2)
OVERHEAD_TICKS = 40
WARMUP = 5
# By round, as the ticks: behind the warm-up so many samples, an odd number that has a middle one.
WARMUPS = (5, 3, WARMUP, 8, 4)
SAMPLES = (201, 161, 241, 181, 221)
OPS_PER_SAMPLE = 8
VERIFIED_BYTES = 4096
# Of the true median, which is the third launch's: the median of any first 5 is 1.
LAUNCH_EFFECTS = (0.996, 1.003, 1.0, 1.002, 0.998)
# Of samples about their launch's median: the least is so much below, the greatest above it.
SPREAD_BELOW, SPREAD_ABOVE = 0.02, 0.05
# Their mean over their median, to some 1e-4: least squares follow it.
MEAN = 1 + SPREAD_ABOVE / 6 - SPREAD_BELOW / 4

# What the engine declares: title, latency_divisor, bandwidth_factor.
_DECLARED = (
    ("ping_pong", "Latency", 2, 2),
    ("ping_ping", "Bidirectional latency", 1, 1),
    ("stream", "Bandwidth", 0, 1),
    ("bidirectional_stream", "Bidirectional bandwidth", 0, 2),
    ("sendrecv", "SendRecv", 1, 2),
    ("burst", "Round trip of a burst", 1, 0),
    ("paused_burst", "Round trip of a burst with pauses", 1, 0),
    ("late_receive", "Receive overhead", 1, 0),
    ("hot_spot_send", "Hot spot, one sender", 0, 1),
    ("hot_spot_receive", "Hot spot, one receiver (incast)", 0, 1),
    ("random_pairs", "Random pairs", 0, 1),
    ("message_rate", "Message rate", 0, 1),
    ("offered_load", "Latency under offered load", 1, 0),
    ("host_overhead", "Host overhead of a round trip", 2, 0),
    ("send_overlap", "Send overlapped with work", 1, 0),
    ("receive_overlap", "Receive overlapped with work", 1, 0),
    ("put_overlap", "Put overlapped with work", 1, 0),
    ("busy_stream", "Bandwidth under computation", 0, 1),
    ("put_ping_pong", "Put latency with polled memory", 2, 2),
    ("register_ping_pong", "Latency with registration per message", 2, 2),
    ("registration", "Registration", 1, 0),
    ("copy", "Memory copy", 1, 1),
    ("put_notify_ping_pong", "Put latency with notification", 2, 2),
    ("put_latency", "Latency of a put", 1, 1),
)
# Applications on a lattice: they report all of themselves.
_APPLICATIONS = (
    Pattern(
        name="halo",
        title="Halo exchange",
        summary="faces with all neighbours",
        figure="iteration",
        ranks=1,
        latency_divisor=1,
        bandwidth_factor=0,
        parts=("post", "compute", "wait", "sum"),
        application=ApplicationInfo(dimensions=4, extents="4..14:2", bytes="36"),
    ),
    as_measured(
        Pattern(
            name="milc",
            title="Staggered solver",
            summary="conjugate gradient",
            figure="iteration",
            ranks=1,
            latency_divisor=1,
            bandwidth_factor=0,
            parts=("pack", "local", "wait", "remote", "sum"),
            application=ApplicationInfo(
                dimensions=4,
                extents="4..14:2",
                bytes="4",
                least_extent=4,
                multiple=2,
                sums=2,
                flops_per_site=1187,
                moved_bytes_per_site=1308,
                set_bytes_per_site=640,
            ),
        )
    ),
)
# The rounds of a map, which came with all that describes them.
_ROUNDS = Pattern(
    name="pair_rounds",
    title="Rounds of all pairs",
    summary="each rank with one other, in rounds that bring all together",
    figure="pairs",
    ranks=2,
    latency_divisor=1,
    bandwidth_factor=1,
    axis=Axis(name="round", points="0"),
)
_DESCRIBED = (*_APPLICATIONS, _ROUNDS)
PATTERNS = _DESCRIBED + tuple(
    as_measured(
        Pattern(
            name=name,
            title=title,
            summary=f"{title} between two ranks",
            ranks=2,
            latency_divisor=divisor,
            bandwidth_factor=factor,
            every_operation=name == "offered_load",
        )
    )
    for name, title, divisor, factor in _DECLARED
)
HOST: Mapping[str, Any] = {
    "host": "node1",
    "cpu": {"model": "Test CPU", "cores": 4, "governor": "performance", "turbo": None},
    "memory": {"total_bytes": 2**34},
    "numa": [{"node": 0, "cpus": [0, 1, 2, 3]}],
    "software": {"kernel": "6.1.0", "libraries": {"openmpi": "4.1.4"}},
    "environment": {"OMPI_MCA_btl": "self,vader"},
}


def pattern(name: str) -> Pattern:
    """One of PATTERNS by its name."""
    return next(pattern for pattern in PATTERNS if pattern.name == name)


def usual_time_ns(case: Case) -> float:
    """The true time of one operation: 2,000 ns and 0.1 ns a byte, half of both over mpi."""
    return (2000 + 0.1 * case.bytes) * (0.5 if case.transport == "mpi" else 1.0)


def usual_times_ns(case: Case, launch: int, samples: int = 0) -> list[float]:
    """The samples of a case in a launch: skewed about the launch median, shuffled."""
    middle = usual_time_ns(case) * LAUNCH_EFFECTS[launch % len(LAUNCH_EFFECTS)]
    samples = samples or SAMPLES[launch % len(SAMPLES)]
    steps = [2 * step / (samples - 1) - 1 for step in range(samples)]
    random.Random(f"{case.key}/{launch}").shuffle(steps)  # noqa: S311 - an order, no secret
    return [
        middle * (1 + (SPREAD_ABOVE * step**2 if step > 0 else SPREAD_BELOW * step))
        for step in steps
    ]


def make_cases(
    tests: Sequence[str] = ("ping_pong", "ping_ping", "stream", "bidirectional_stream"),
    transports: Sequence[str] = ("mpi", "tcp"),
    sizes: Sequence[int] = (0, 8, 1024, 65536, 1048576),
) -> tuple[Case, ...]:
    """Every test on every transport at every size, zero bytes only where there is a latency."""
    divisors = {pattern.name: pattern.latency_divisor for pattern in PATTERNS}
    return tuple(
        Case(test=test, transport=transport, bytes=size)
        for transport, test, size in itertools.product(transports, tests, sizes)
        if size > 0 or divisors[test] > 0
    )


def make_header(
    cases: tuple[Case, ...], *, launches: int = 5, host: str = HOST["host"], **plan: Any
) -> Header:
    """The header of a run of these cases on a host; further fields of the plan by name."""
    asked = {"precision": 0.01, "budget_s": 60.0, "seed": 1, "mpi": "openmpi", **plan}
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version="0.1.0",
        created_utc="2026-01-02T03:04:05+00:00",
        command=("weft", "run"),
        plan=Plan(cases=cases, launches=launches, **asked),
        patterns=tuple(pattern(name) for name in dict.fromkeys(case.test for case in cases)),
        hosts={host: {**HOST, "host": host}},
        notes=("warning: a note of the run",),
    )


def make_launch(
    number: int,
    transport: str,
    ranks: int = 2,
    tick_ns: float = TICK_NS,
    host: str = HOST["host"],
) -> Launch:
    """A launch of ranks on one host, each on the CPU of its number."""
    return Launch(
        launch=number,
        transport=transport,
        started_utc="2026-01-02T03:04:06+00:00",
        mpi="Open MPI v4.1.4",
        ranks=tuple(
            RankFacts(rank=rank, host=host, pid=100 + rank, cpu=rank, numa=0)
            for rank in range(ranks)
        ),
        clock=make_clock(tick_ns),
        details={"interface": "lo"} if transport == "tcp" else {},
        load_average=0.25,
    )


def make_clock(tick_ns: float = TICK_NS, baseline_ns: int = 20_000_000) -> Clock:
    """A calibration of the tick counter."""
    return Clock(
        name="tsc", tick_ns=tick_ns, overhead_ticks=OVERHEAD_TICKS, baseline_ns=baseline_ns
    )


def make_batch(
    case: Case,
    launch: int,
    order: int,
    times_ns: Sequence[float],
    *,
    role: Role = "measure",
    ops_per_sample: int = OPS_PER_SAMPLE,
    warmup: int = WARMUP,
    tick_ns: float = TICK_NS,
    parts_ns: Mapping[str, Sequence[float]] | None = None,
    cpu_shares: Sequence[float] = (),
) -> Batch:
    """An ok batch with these times of one operation, behind `warmup` samples of twice the first.

    `parts_ns` are its further series, `cpu_shares` each rank's share of the processor's time.
    """

    def as_ticks(times: Sequence[float]) -> tuple[int, ...]:
        ticks = [round(time * ops_per_sample / tick_ns) for time in times]
        return (*([2 * ticks[0]] * warmup), *ticks)

    ticks = as_ticks(times_ns)
    timed_ns = round(sum(ticks) * tick_ns)
    return Batch(
        case=case.key,
        launch=launch,
        order=order,
        role=role,
        status="ok",
        ops_per_sample=ops_per_sample,
        warmup=warmup,
        verified_bytes=VERIFIED_BYTES,
        elapsed_ns=round(sum(ticks[warmup:]) * tick_ns),
        timed_ns=timed_ns,
        cpu_ns=tuple(round(share * timed_ns) for share in cpu_shares),
        ticks=ticks,
        parts={name: as_ticks(times) for name, times in (parts_ns or {}).items()},
    )


def lost_batch(case: Case, launch: int, order: int, status: Status, reason: str) -> Batch:
    """A batch that gave no figures."""
    return Batch(
        case=case.key, launch=launch, order=order, role="measure", status=status, reason=reason
    )


def make_footer(
    batches: int, outcome: Outcome = "precise", unsettled: Iterable[str] = ()
) -> Footer:
    """The end of a run."""
    return Footer(
        finished_utc="2026-01-02T03:05:05+00:00",
        outcome=outcome,
        batches=batches,
        unsettled=tuple(unsettled),
    )


def measured_lines(
    cases: tuple[Case, ...],
    launches: int = 5,
    times_ns: Times = usual_times_ns,
    host: str = HOST["host"],
    parts_ns: Parts = lambda _, __: {},
    cpu_shares: CpuShares = lambda _, __: (),
) -> Iterator[Line]:
    """Rounds of one launch a transport; each case is calibrated once, then measured a round.

    A case for which `times_ns(case, round)` is empty is omitted of that round.
    """
    number = order = 0
    for round_ in range(launches):
        tick_ns = TICKS_NS[round_ % len(TICKS_NS)]
        for transport in dict.fromkeys(case.transport for case in cases):
            clock = msgspec.structs.replace(
                make_clock(tick_ns), overhead_ticks=round(OVERHEAD_TICKS * TICK_NS / tick_ns)
            )
            launch = make_launch(number, transport, host=host)
            yield msgspec.structs.replace(launch, clock=clock)
            for case in (case for case in cases if case.transport == transport):
                times = times_ns(case, round_)
                if not len(times):
                    continue
                if round_ == 0:
                    look = [9 * time for time in times[:3]]
                    yield make_batch(
                        case, number, order, look, role="calibrate", warmup=1, tick_ns=tick_ns
                    )
                    order += 1
                parts, shares = parts_ns(case, round_), cpu_shares(case, round_)
                ops = 1 if pattern(case.test).every_operation else OPS_PER_SAMPLE
                yield make_batch(
                    case, number, order, times, ops_per_sample=ops,
                    warmup=WARMUPS[round_ % len(WARMUPS)], tick_ns=tick_ns, parts_ns=parts,
                    cpu_shares=shares,
                )  # fmt: skip
                order += 1
            clock = msgspec.structs.replace(clock, baseline_ns=3_000_000_000)
            yield LaunchEnd(launch=number, status="ok", clock=clock)
            number += 1


def write_lines(path: Path, lines: Iterable[Line]) -> Path:
    """Write these lines as they are; a path that ends in .zst is compressed."""
    plain = path.with_suffix("") if path.suffix == ".zst" else path
    with RecordWriter.create(plain) as writer:
        for line in lines:
            writer.write(line)
    return compress(plain) if path != plain else plain


def synthetic_record(
    path: Path,
    cases: tuple[Case, ...] | None = None,
    *,
    launches: int = 5,
    times_ns: Times = usual_times_ns,
    more: Iterable[Line] = (),
    outcome: Outcome = "precise",
    finished: bool = True,
    host: str = HOST["host"],
    parts_ns: Parts = lambda _, __: {},
    cpu_shares: CpuShares = lambda _, __: (),
    suite: str = "",
    budget_s: float = 60.0,
    variations: dict[str, Variation] = {},  # noqa: B006 - not changed
    simulated: SimulatedPlatform | None = None,
) -> Path:
    """Write a record with known answers; gives its path.

    `times_ns(case, round)` are the times of one operation in ns, in time order (empty: the case is
    not measured in that round), `parts_ns` and `cpu_shares` what stands beside. `more` are lines
    after the last launch, such as `lost_batch`; without `finished` there is no footer, as in a run
    that died.
    """
    cases = make_cases() if cases is None else cases
    plan: dict[str, Any] = {"suite": suite, "budget_s": budget_s, "variations": variations}
    plan["simulated"] = simulated
    lines: list[Line] = [make_header(cases, launches=launches, host=host, **plan)]
    lines += [*measured_lines(cases, launches, times_ns, host, parts_ns, cpu_shares), *more]
    batches = sum(isinstance(line, Batch) for line in lines)
    return write_lines(path, [*lines, make_footer(batches, outcome)] if finished else lines)
