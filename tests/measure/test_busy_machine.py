"""On a busy machine ranks lose their cores: a case begins with few messages, then takes more."""

import itertools

import pytest

from support.builders import make_cases
from support.virtual_ranks import footer_of, launches_of, measure
from weft.measure.stopping import FIRST_OPERATIONS, GROWTH, SEEN_NS, Amount, step_towards
from weft.record.model import Batch

CASES = make_cases(("ping_pong",), ("mpi",), (8,))
# An operation of virtual ranks takes a microsecond, and milliseconds if both ranks lose their core.
PREEMPTED = 8000.0


def operations_of(batch: Batch) -> int:
    return len(batch.ticks) * batch.ops_per_sample


def test_a_case_has_a_value_though_each_message_after_the_probe_waits_for_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    effects = itertools.chain((1.0,), itertools.repeat(PREEMPTED))
    sink, left_s = measure(monkeypatch, CASES, 20, 0.001, lambda _, __: next(effects))
    assert footer_of(sink).outcome == "precise"
    assert set(launches_of(sink).values()) == {5}
    second = [line for line in sink if isinstance(line, Batch)][1]
    assert second.timed_ns < 2e9
    assert left_s > 0


def test_batches_grow_until_they_are_long_enough_to_have_met_an_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, _ = measure(monkeypatch, CASES, 20, 0.001)
    first = [line for line in sink if isinstance(line, Batch) and line.launch == 0]
    seen, seen_ns = 0, 0
    for batch in first:
        if seen_ns < SEEN_NS:
            assert operations_of(batch) <= GROWTH * max(seen, FIRST_OPERATIONS)
        seen, seen_ns = seen + operations_of(batch), seen_ns + batch.timed_ns
    assert [batch.role for batch in first] == ["calibrate"] * (len(first) - 1) + ["measure"]
    assert first[-1].timed_ns > 0.4 * seen_ns, "most of the time goes into the samples that count"
    later = [line for line in sink if isinstance(line, Batch) and line.launch > 0]
    assert {batch.role for batch in later} == {"measure"}


@pytest.mark.parametrize(
    ("seen", "seen_ns", "samples", "ops"),
    [
        (21, 1e4, 15, 10),
        (0, 0.0, 15, 10),
        (1000, 1e6, 19, 400),
        (21, SEEN_NS, 2000, 400),
        (1 << 20, 1e6, 2000, 400),
    ],
)
def test_a_step_has_eight_times_the_operations_of_all_before(
    seen: int, seen_ns: float, samples: int, ops: int
) -> None:
    """A sample of a step is no longer than a chosen one."""
    chosen = Amount(samples=2000, warmup=50, ops_per_sample=400, least_sample_ns=2000.0)
    step = step_towards(chosen, seen, seen_ns)
    assert (step.samples, step.ops_per_sample) == (samples, ops)
