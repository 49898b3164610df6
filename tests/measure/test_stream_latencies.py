"""The latencies in a stream's samples stay small beside them, whatever was measured before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from support.builders import make_cases, pattern
from support.virtual_ranks import Machine, measure
from weft.launch.protocol import Answer
from weft.plan.case import Case
from weft.record.model import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Effect = Callable[[Mapping[str, Any], int], float]

LATENCY_NS = 30_000.0
# The time of one operation: what must not be taken for a latency takes far less than one.
OPERATIONS_NS = {"copy": 40.0, "registration": 90.0, "late_receive": 200.0, "sendrecv": 31_000.0}


class Fabric(Machine):
    """Ranks whose streams hold as many latencies as their description says."""

    def run(self, case: Mapping[str, Any], _: float) -> Answer:
        known = pattern(case["test"])
        latency_ns = LATENCY_NS * (3 if case["wait"] == "block" else 1)
        operation_ns = OPERATIONS_NS.get(case["test"], known.latency_divisor * latency_ns)
        if known.latencies_per_sample:
            operation_ns = 300.0
        count, ops = case["samples"] + case["warmup"], max(case["ops_per_sample"], 64)
        ops = ops if known.latencies_per_sample else case["ops_per_sample"]
        sample_ns = ops * operation_ns + known.latencies_per_sample * latency_ns
        self.now += self.overhead_s + count * sample_ns / 1e9
        return Answer(
            id=case["id"],
            status="ok",
            warmup=case["warmup"],
            ops_per_sample=ops,
            ticks=(round(sample_ns),) * count,
            timed_ns=round(count * sample_ns),
        )


@pytest.mark.parametrize("seed", range(8))
def test_the_latencies_in_a_streams_samples_are_under_one_per_cent(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever else the suite measures, in whatever order, and for each way of waiting."""
    tests = ("ping_pong", "stream", "message_rate", "hot_spot_receive", *OPERATIONS_NS)
    cases = tuple(
        Case(test=test, transport="tcp", bytes=size, wait=wait)
        for test in tests
        for size in (8, 64)
        for wait in ("", "block")
    )
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.005, seed=seed, ranks=Fabric)
    by_key = {case.key: case for case in cases}
    looked_at = 0
    for batch in sink:
        if not isinstance(batch, Batch) or batch.role != "measure":
            continue
        case = by_key[batch.case]
        held_ns = pattern(case.test).latencies_per_sample * LATENCY_NS
        held_ns *= 3 if case.wait == "block" else 1
        looked_at += held_ns > 0
        assert held_ns <= 0.01 * batch.ticks[-1], batch.case
    assert looked_at == 5 * 3 * 4


def test_a_batch_that_was_lucky_on_a_busy_machine_is_no_pace_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Most operations take a microsecond; a few, at random, wait for a core."""
    draw = random.Random(1)  # noqa: S311 - noise, no secret
    batches: list[float] = []

    def interrupted(self: Machine, case: Mapping[str, Any], _: float) -> Answer:
        count, ops = case["samples"] + case["warmup"], case["ops_per_sample"]
        waits = sum(draw.random() < 0.05 for _ in range(min(count * ops, 10_000)))
        timed_ns = count * ops * 1000 + round(waits * 10e6 * max(1, count * ops / 10_000))
        self.now += timed_ns / 1e9
        batches.append(timed_ns / 1e9)
        return Answer(
            id=case["id"], status="ok", warmup=case["warmup"], ops_per_sample=ops,
            ticks=(1000 * ops,) * count, timed_ns=timed_ns,
        )  # fmt: skip

    monkeypatch.setattr(Machine, "run", interrupted)
    cases = make_cases(["ping_pong"], ["tcp"], [8, 64, 1024])
    measure(monkeypatch, cases, 60, 0.0)
    assert max(batches) < 20
