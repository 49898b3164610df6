"""What being slow together adds to a variance, where the answer is known."""

import numpy as np
import pytest

from weft.analysis.diagnosis.diagnose import diagnose, pairs_of
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.analysis.diagnosis.together import Pairs, inflations
from weft.fabric.known import Group, KnownFabric
from weft.plan.rounds import partners_in, usual_rounds

RANKS, LEAF, VISITS = 16, 4, 400


def of_values(sources: np.ndarray, targets: np.ndarray) -> Pairs:
    """Each value is of a pair of its own."""
    count = len(sources)
    return Pairs(source=sources, target=targets, log=np.zeros(count), of_value=np.arange(count))


@pytest.mark.parametrize("at_once", [2, 4])
@pytest.mark.parametrize("alike", [0.0, 0.5, 0.8])
def test_a_cause_s_variance_grows_by_what_its_pairs_of_a_visit_share(
    at_once: int, alike: float
) -> None:
    """The design effect: 1 + (m - 1) rho of m values a visit (Kish 1965)."""
    draw = np.random.default_rng(1)
    visit = np.repeat(np.arange(VISITS), at_once)
    shared = draw.standard_normal(VISITS)[visit]
    scores = np.sqrt(alike) * shared + np.sqrt(1 - alike) * draw.standard_normal(len(visit))
    numbers = np.arange(len(visit))
    [found] = inflations(of_values(numbers, numbers + 1), scores, visit, [numbers])
    assert found == pytest.approx(1 + (at_once - 1) * alike, rel=0.15)


def test_what_slows_down_as_it_warms_up_is_not_slow_together() -> None:
    draw = np.random.default_rng(1)
    visit = np.repeat(np.arange(VISITS), 4)
    scores = draw.standard_normal(len(visit)) + 6 * visit / VISITS
    numbers = np.arange(len(visit))
    [found] = inflations(of_values(numbers, numbers + 1), scores, visit, [numbers])
    assert found == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_the_ways_of_a_pair_are_as_much_alike_as_those_of_all_pairs(
    alike: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.analysis.diagnosis.together._AT_ONCE", at_once)
    draw = np.random.default_rng(1)
    one = np.arange(0, 2 * VISITS, 2)
    both = draw.standard_normal(VISITS)
    scores = np.sqrt(alike) * np.tile(both, 2)
    scores += np.sqrt(1 - alike) * draw.standard_normal(2 * VISITS)
    pairs = of_values(np.r_[one, one + 1], np.r_[one + 1, one])
    visit = np.tile(np.arange(VISITS), 2)
    causes = [np.array([3]), np.array([3, 3 + VISITS])]
    found = inflations(pairs, scores, visit, causes)
    assert found == pytest.approx([1.0, 1 + alike], abs=0.1)


def one_by_one(pairs: Pairs, scores: np.ndarray, visit: np.ndarray, places: np.ndarray) -> float:
    """The same of one cause, value by value: its residuals about their line, summed twice."""
    own = np.isin(pairs.of_value, places)
    if len({*visit[own]}) < 24:
        return 1.0
    rest = scores[own] - np.polyval(np.polyfit(visit[own], scores[own], 1), visit[own])
    by_pair = sum(rest[pairs.of_value[own] == place].sum() ** 2 for place in places)
    by_visit = sum(rest[visit[own] == one].sum() ** 2 for one in {*visit[own]})
    return float(1 + max(0.0, (by_visit - (rest**2).sum()) / by_pair))


@pytest.mark.parametrize("at_once", [1, 1000, 1 << 22])
def test_causes_gone_through_together_have_what_each_has_by_itself(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nodes, of some pairs and of one, in visits of which some are missing."""
    monkeypatch.setattr("weft.analysis.diagnosis.together._AT_ONCE", at_once)
    draw = np.random.default_rng(7)
    times = disturbed(draw)
    times = times.at(draw.random(len(times.visit)) < 0.8)
    pairs = pairs_of(times, np.log(times.time_ns))
    scores = draw.standard_normal(len(times.visit)) + 0.01 * times.visit
    scores += draw.standard_normal(times.visit.max() + 1)[times.visit]
    causes = [np.flatnonzero((pairs.source == at) | (pairs.target == at)) for at in range(RANKS)]
    causes += [np.sort(draw.choice(len(pairs.log), count, replace=False)) for count in (1, 9, 60)]
    wanted = [one_by_one(pairs, scores, times.visit, places) for places in causes]
    assert max(wanted) > 1.5
    assert inflations(pairs, scores, times.visit, causes) == pytest.approx(wanted, rel=1e-9)


def test_values_that_are_all_alike_are_not_slow_together() -> None:
    """A simulated slow node is as slow in each round: its ranks are those of equal values."""
    numbers = np.arange(4 * VISITS)
    scores = np.full(len(numbers), 0.7)
    visit = np.repeat(np.arange(VISITS), 4)
    [found] = inflations(of_values(numbers, numbers + 1), scores, visit, [numbers])
    assert found == 1


def test_pairs_of_a_disturbed_leaf_are_no_fault() -> None:
    """A leaf's own scatter, five times that of a pair, from round to round: it is no cause.

    Were pairs taken by themselves 12 of these 40 healthy maps would accuse somebody.
    """
    draw = np.random.default_rng(1)
    named = sum(bool(diagnose(disturbed(draw), LEAVES).findings) for _ in range(40))
    assert named <= 1


LEAVES = KnownFabric(
    groups=tuple(
        Group(name=f"leaf {at}", members=frozenset(f"n{at + one}" for one in range(LEAF)))
        for at in range(0, RANKS, LEAF)
    )
)


def disturbed(draw: np.random.Generator) -> PairTimes:
    rounds = [partners_in(point, RANKS) for point in range(usual_rounds(RANKS))] * 3
    target = np.array(rounds).ravel()
    source = np.tile(np.arange(RANKS), len(rounds))
    visit = np.repeat(np.arange(len(rounds)), RANKS)
    leaf = 0.1 * draw.standard_normal((len(rounds), RANKS // LEAF))
    logs = leaf[visit, source // LEAF]
    logs += np.where(source // LEAF == target // LEAF, 0, leaf[visit, target // LEAF])
    logs += 0.02 * draw.standard_normal(len(visit))
    return PairTimes(
        names=tuple(f"n{rank}" for rank in range(RANKS)),
        source=source,
        target=target,
        visit=visit,
        time_ns=1000 * np.exp(logs),
    )
