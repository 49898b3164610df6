"""What each layer adds: known differences, overlap, and order of the stack."""

from pathlib import Path

import pytest

import weft
from builders import make_cases, synthetic_record, usual_time_ns
from weft.analysis.intervals import Estimate
from weft.analysis.layers import layers_of, step_between
from weft.analysis.summary import CaseSummary, summarise
from weft.errors import WeftError


def estimate(median: float, half: float) -> Estimate:
    return Estimate(
        median=median, low=median - half, high=median + half, coverage=0.95, method="given"
    )


@pytest.fixture
def summaries(tmp_path: Path) -> tuple[CaseSummary, ...]:
    cases = make_cases(["ping_pong", "stream"], ["tcp", "ofi", "mpi"], [0, 1000])
    return summarise(weft.load(synthetic_record(tmp_path / "r.jsonl", cases)))


def test_a_layer_adds_what_it_is_known_to_add(summaries: tuple[CaseSummary, ...]) -> None:
    pairs = layers_of(summaries)
    assert [(pair.test, pair.below, pair.above) for pair in pairs] == [
        ("ping_pong", "tcp", "ofi"),
        ("ping_pong", "ofi", "mpi"),
    ]
    mpi, ofi = make_cases(["ping_pong"], ["mpi", "ofi"], [1000])
    expected = (usual_time_ns(mpi) - usual_time_ns(ofi)) / 2
    step = pairs[1].steps[1]
    assert step.bytes == 1000
    assert step.added_ns == pytest.approx(expected, rel=1e-3)
    assert step.low_ns < expected < step.high_ns
    assert step.verdict == "saves"
    assert "mpi saves" in pairs[1].sentence
    # The same times on both layers: their intervals overlap.
    assert {step.verdict for step in pairs[0].steps} == {"cannot tell"}
    assert "cannot be told apart" in pairs[0].sentence


@pytest.mark.parametrize(
    ("below", "above", "verdict"),
    [
        (estimate(100, 5), estimate(120, 5), "adds"),
        (estimate(120, 5), estimate(100, 5), "saves"),
        (estimate(100, 5), estimate(109, 5), "cannot tell"),
        (estimate(100, 5), estimate(110, 5), "cannot tell"),
    ],
)
def test_overlap_tells_nothing(below: Estimate, above: Estimate, verdict: str) -> None:
    step = step_between(8, below, above)
    assert step.verdict == verdict
    assert (step.low_ns, step.high_ns) == (above.low - below.high, above.high - below.low)


def test_the_order_can_be_given_and_is_checked(summaries: tuple[CaseSummary, ...]) -> None:
    (pair,) = layers_of(summaries, ("mpi", "tcp"))
    assert (pair.below, pair.above) == ("mpi", "tcp")
    assert {step.verdict for step in pair.steps} == {"adds"}
    with pytest.raises(WeftError, match="ucx has no latency in this record; it has"):
        layers_of(summaries, ("ucx", "tcp"))
    with pytest.raises(WeftError, match="layers need two transports"):
        layers_of([s for s in summaries if s.transport == "tcp"])
