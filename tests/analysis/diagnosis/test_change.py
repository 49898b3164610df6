"""Two maps of which it is known what happened between them."""

import numpy as np
import pytest

from weft.analysis.diagnosis.change import change_between
from weft.analysis.diagnosis.diagnose import Diagnosis
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import KnownFabric
from weft.plan.rounds import partners_in, usual_rounds

ENDPOINTS = 12
NAMES = tuple(f"n{number}" for number in range(ENDPOINTS))


def times(
    seed: int, slow: dict[int, float], scale: float = 1.0, names: tuple[str, ...] = NAMES
) -> PairTimes:
    """Endpoints of unlike speeds, which both maps have, and a scatter of 2 %."""
    random = np.random.default_rng(seed)
    rows = []
    for visit in range(usual_rounds(ENDPOINTS)):
        for source, target in enumerate(partners_in(visit, ENDPOINTS)):
            factor = slow.get(source, 1.0) * slow.get(target, 1.0) * scale
            own = 1000 * (1 + 0.5 * (source % 4)) * (1 + 0.3 * (target % 3))
            rows.append((source, target, visit, own * factor * np.exp(random.normal(0, 0.02))))
    found = np.array(rows)
    places = found[:, :3].astype(int)
    return PairTimes(
        names=names,
        source=places[:, 0],
        target=places[:, 1],
        visit=places[:, 2],
        time_ns=found[:, 3],
    )


def named(found: Diagnosis) -> list[str]:
    return [cause.name for one in found.findings for cause in one.causes]


def test_the_endpoint_that_got_slower_is_named_and_how_much() -> None:
    change = change_between(times(1, {}), times(2, {7: 1.3}), KnownFabric())
    assert change is not None
    assert named(change.slower) == ["n7"]
    assert change.slower.findings[0].slower == pytest.approx(0.3, abs=0.03)
    assert named(change.faster) == []
    assert (change.endpoints, change.pairs, change.lost) == (12, 132, ())


def test_what_was_slow_before_and_is_not_now_got_faster() -> None:
    change = change_between(times(1, {7: 1.3}), times(2, {}), KnownFabric())
    assert change is not None
    assert (named(change.slower), named(change.faster)) == ([], ["n7"])


def test_nobody_is_named_where_nothing_happened_or_all_got_slower_alike() -> None:
    false = 0
    for seed in range(20):
        change = change_between(times(seed, {}), times(100 + seed, {}, 1.2), KnownFabric())
        assert change is not None
        false += len(named(change.slower)) + len(named(change.faster))
        assert change.longer == pytest.approx(0.2, abs=0.02)
        assert change.longer_low < change.longer < change.longer_high
    assert false <= 1


def test_endpoints_are_matched_by_their_names() -> None:
    turned = tuple(reversed(NAMES))
    change = change_between(times(1, {0: 2.0}), times(1, {11: 2.0}, names=turned), KnownFabric())
    assert change is not None
    assert change.pairs == 132
    other = tuple(f"m{number}" for number in range(ENDPOINTS))
    assert change_between(times(1, {}), times(1, {}, names=other), KnownFabric()) is None
    some = (*NAMES[:-1], "m")
    less = change_between(times(1, {}), times(2, {}, names=some), KnownFabric())
    assert less is not None
    assert (less.endpoints, less.lost) == (11, ("n11",))
