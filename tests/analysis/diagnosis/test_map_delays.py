"""Who is delayed now and then: named by the mean of his messages, and nobody in healthy maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.maps import mapped
from weft.analysis.diagnosis.delays import LEAST_DELAY, delayed_in
from weft.analysis.diagnosis.diagnose import diagnose
from weft.analysis.diagnosis.measured import MeasuredMap
from weft.fabric.known import KnownFabric
from weft.plan.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from numpy.typing import NDArray

    from weft.analysis.diagnosis.diagnose import FoundCause
    from weft.analysis.diagnosis.pair_times import PairTimes

    Noise: TypeAlias = Callable[[np.random.Generator, tuple[int, int]], NDArray[Any]]

SAMPLES = 40
TRIALS = 50


def quiet(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[Any]:
    return np.zeros(shape) * random.random()


def tailed(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[Any]:
    """One message of a hundred is longer, by no bound."""
    return (random.random(shape) < 0.01) * 2 * random.pareto(1.2, shape)


def in_bursts(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[Any]:
    """One visit of fifty is disturbed, on any host."""
    return (random.random((shape[0], 1)) < 0.02) * (random.random(shape) < 0.2) * 20.0


def found_in(
    nodes: int, noise: Noise, random: np.random.Generator, share: float, longer: float
) -> tuple[tuple[FoundCause, ...], PairTimes]:
    """Of messages of n1 such a share takes so much longer; and the medians of all."""
    times = mapped(nodes, lambda *_: 1.0, rounds=24)
    shape = len(times.source), SAMPLES
    took = np.exp(0.05 * random.standard_normal(shape)) + noise(random, shape)
    own = (times.source == 1) | (times.target == 1)
    took += own[:, None] * (random.random(shape) < share) * longer
    medians = np.median(took, axis=1)
    one = MeasuredMap(
        case=Case(test="pair_rounds", transport="tcp", bytes=8, ranks=nodes),
        times=times,
        delays=msgspec.structs.replace(times, time_ns=took.mean(axis=1) / medians),
        fabric=KnownFabric(),
        launches=1,
        rounds=24,
    )
    return delayed_in(one.delays, one.fabric), msgspec.structs.replace(times, time_ns=medians)


@pytest.mark.parametrize("noise", [quiet, tailed, in_bursts])
@pytest.mark.parametrize("nodes", [4, 8])
def test_a_host_delayed_now_and_then_is_named_and_nobody_where_all_are_alike(
    nodes: int, noise: Noise
) -> None:
    random = np.random.default_rng([nodes, 20261126])
    right = seen = 0
    for _ in range(TRIALS):
        found, medians = found_in(nodes, noise, random, 0.1, 10)
        right += [cause.name for one in found[:1] for cause in one.causes] == ["n1"]
        seen += bool(diagnose(medians, KnownFabric()).findings)
    alarms = sum(bool(found_in(nodes, noise, random, 0, 0)[0]) for _ in range(TRIALS))
    assert right >= 0.95 * TRIALS
    # What the medians show of it is seldom enough to be named.
    assert seen <= 0.1 * TRIALS
    assert alarms <= 0.02 * TRIALS


def test_a_host_that_does_a_little_more_than_the_others_is_well() -> None:
    """Its messages take 5 % longer on average; with 20 % it is named."""
    random = np.random.default_rng(7)
    assert found_in(8, quiet, random, 0.1, 5 * LEAST_DELAY)[0] == ()
    [found] = found_in(8, quiet, random, 0.1, 20 * LEAST_DELAY)[0]
    assert found.slower == pytest.approx(2 * LEAST_DELAY, abs=0.03)


def test_a_host_of_which_some_ways_are_hardly_delayed_is_not_named() -> None:
    """Its mean is 12 % beyond the median, and at the interval's lower end 2 %."""
    delays = mapped(
        8,
        lambda i, j: 1.0 if 1 not in (i, j) else 1.02 if {i, j} & {5, 6} else 1.12,
        scatter=0.001,
        rounds=24,
    )
    [found] = diagnose(delays, KnownFabric()).findings
    assert [cause.name for cause in found.causes] == ["n1"]
    assert found.slower == pytest.approx(0.12, abs=0.005)
    assert found.slower_low == pytest.approx(0.02, abs=0.005)
    assert delayed_in(delays, KnownFabric()) == ()
