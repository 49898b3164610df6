"""Records with known answers, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Case,
    Clock,
    Footer,
    Header,
    Launch,
    LaunchEnd,
    Line,
    Pattern,
    Plan,
    RankFacts,
)
from weft.record.writer import RecordWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PING_PONG = Pattern(
    name="ping_pong",
    title="Latency",
    summary="there and back",
    ranks=2,
    latency_divisor=2,
    bandwidth_factor=2,
)
STREAM = Pattern(
    name="stream",
    title="Bandwidth",
    summary="one way",
    ranks=2,
    latency_divisor=0,
    bandwidth_factor=1,
)
CLOCK = Clock(name="tsc", tick_ns=0.5, overhead_ticks=20, baseline_ns=20_000_000)


def plan_of(cases: Sequence[Case], launches: int = 2, precision: float = 0.01) -> Plan:
    return Plan(
        cases=tuple(cases),
        precision=precision,
        budget_s=60,
        launches=launches,
        seed=1,
        mpi="openmpi",
    )


def header_of(plan: Plan, host: str = "node1") -> Header:
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version="0.1.0",
        created_utc="2026-11-21T10:00:00+00:00",
        command=("weft", "run"),
        plan=plan,
        patterns=(PING_PONG, STREAM),
        hosts={host: {"host": host, "cpu": {"model": "test"}}},
    )


def launch_of(number: int, transport: str, host: str = "node1") -> Launch:
    ranks = tuple(
        RankFacts(rank=rank, host=host, pid=100 + rank, cpu=rank, numa=0) for rank in (0, 1)
    )
    return Launch(
        launch=number,
        transport=transport,
        started_utc="2026-11-21T10:00:01+00:00",
        mpi="Open MPI",
        ranks=ranks,
        clock=CLOCK,
        details={"interface": "lo"},
        load_average=0.1,
    )


def batch_of(case: Case, launch: int, order: int, ticks: Sequence[int], **more: object) -> Batch:
    fields: dict[str, object] = {
        "case": case.key,
        "launch": launch,
        "order": order,
        "role": "measure",
        "status": "ok",
        "ops_per_sample": 1,
        "warmup": 1,
        "verified_bytes": 64,
        "ticks": tuple(ticks),
    }
    return Batch(**{**fields, **more})  # type: ignore[arg-type]


def sample_lines(launches: int = 2, host: str = "node1") -> list[Line]:
    """Two cases on one transport: an operation of launch k takes 1000 + 10 k ticks of 0.5 ns."""
    cases = [
        Case(test="ping_pong", transport="tcp", bytes=8),
        Case(test="stream", transport="tcp", bytes=1024),
    ]
    lines: list[Line] = [header_of(plan_of(cases, launches), host)]
    order = 0
    for number in range(launches):
        lines.append(launch_of(number, "tcp", host))
        for case in cases:
            middle = 1000 + 10 * number
            lines.append(
                batch_of(case, number, order, [5000] + [middle - 1, middle, middle + 1] * 10)
            )
            order += 1
        lines.append(LaunchEnd(launch=number, status="ok", clock=CLOCK))
    lines.append(Footer(finished_utc="2026-11-21T10:01:00+00:00", outcome="budget", batches=order))
    return lines


def write_lines(path: Path, lines: Sequence[Line]) -> Path:
    with RecordWriter.create(path) as writer:
        for line in lines:
            writer.write(line)
    return path
