"""Values over ranks are whole: every series of each kind, each of just as many values."""

from typing import Any

import msgspec
import pytest

from weft.record.model import OverRanks

SAMPLES = 4
SERIES = ("", "call", "wait")
WHOLE = OverRanks(
    ranks=(0, 2, 5),
    values=9,
    shares=(0.25, 0.5, 1.0),
    quantiles={name: tuple((1.0 + at, 2.5 + at, 7.0 - at) for at in range(3)) for name in SERIES},
    mean=dict.fromkeys(SERIES, (3, 5, 4, 9)),
    slowest=dict.fromkeys(SERIES, (4, 8, 6, 11)),
    slowest_rank=(2, 0, 5, 2),
    middle=(3, 4, 4, 8),
    fairness_ppm=(999_000, 870_000, 910_000, 640_000),
)


def but(**fields: Any) -> OverRanks:
    return msgspec.structs.replace(WHOLE, **fields)


def test_a_whole_one_fits_with_or_without_what_only_streams_have() -> None:
    assert WHOLE.fits(SAMPLES)
    assert but(middle=(), fairness_ppm=()).fits(SAMPLES)
    assert not WHOLE.fits(SAMPLES - 1)
    assert not WHOLE.fits(SAMPLES + 1)


@pytest.mark.parametrize("kind", ["mean", "slowest", "quantiles"])
@pytest.mark.parametrize("lost", SERIES)
def test_a_series_that_one_kind_lacks_or_has_alone_does_not_fit(kind: str, lost: str) -> None:
    own = getattr(WHOLE, kind)
    without = {name: values for name, values in own.items() if name != lost}
    assert not but(**{kind: without}).fits(SAMPLES)
    assert not but(**{kind: {**own, "alone": own[lost]}}).fits(SAMPLES)
    assert not but(**{kind: {**without, "alone": own[lost]}}).fits(SAMPLES)


def test_without_the_ranks_own_times_nothing_fits() -> None:
    def named(own: dict[str, Any]) -> dict[str, Any]:
        return {name: values for name, values in own.items() if name}

    series = {kind: named(getattr(WHOLE, kind)) for kind in ("mean", "slowest", "quantiles")}
    assert not but(**series).fits(SAMPLES)
    assert but(**{kind: {"": getattr(WHOLE, kind)[""]} for kind in series}).fits(SAMPLES)


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("kind", ["mean", "slowest"])
def test_a_series_of_other_samples_does_not_fit(kind: str, name: str) -> None:
    own = getattr(WHOLE, kind)
    for values in (own[name][:-1], (*own[name], 7)):
        assert not but(**{kind: {**own, name: values}}).fits(SAMPLES)


@pytest.mark.parametrize("field", ["slowest_rank", "middle", "fairness_ppm"])
def test_what_is_told_of_each_sample_is_told_of_every_one(field: str) -> None:
    own = getattr(WHOLE, field)
    assert not but(**{field: own[:-1]}).fits(SAMPLES)
    assert not but(**{field: (*own, 2)}).fits(SAMPLES)


@pytest.mark.parametrize("name", SERIES)
def test_every_rank_has_each_of_its_quantiles(name: str) -> None:
    own = WHOLE.quantiles[name]
    row = own[1]
    wrong = (own[:-1], (*own, row), (own[0], row[:-1], own[2]), (own[0], (*row, 9.0), own[2]))
    for rows in wrong:
        assert not but(quantiles={**WHOLE.quantiles, name: rows}).fits(SAMPLES)


def test_without_a_median_nothing_fits_and_it_is_taken_from_its_place() -> None:
    assert not but(shares=(0.25, 0.75, 1.0)).fits(SAMPLES)
    assert WHOLE.medians == {0: 2.5, 2: 3.5, 5: 4.5}
    last = but(shares=(0.25, 1.0, 0.5))
    assert last.fits(SAMPLES)
    assert last.medians == {0: 7.0, 2: 6.0, 5: 5.0}
