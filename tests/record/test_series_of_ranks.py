"""What a sample took over the ranks whose series a batch keeps, and of whom a series is."""

from types import SimpleNamespace
from typing import Any

import pytest

from weft.record.ranks import (
    has_ranks,
    name_of,
    of_streams,
    parts_of_ranks,
    rank_and_part,
    slowest_of_samples,
    ticks_of_samples,
    ticks_of_slowest_pair,
)


def seen(ticks: tuple[int, ...], warmup: int = 0, **parts: tuple[int, ...]) -> Any:
    named = {name.replace("_", "."): own for name, own in parts.items()}
    return SimpleNamespace(ticks=ticks, warmup=warmup, parts=named, over_ranks=None)


@pytest.mark.parametrize(
    ("name", "rank", "part"),
    [("", 0, ""), ("post", 0, "post"), ("rank7", 7, ""), ("rank12.post", 12, "post")],
)
def test_a_series_is_called_by_its_rank_and_its_part(name: str, rank: int, part: str) -> None:
    assert rank_and_part(name) == (rank, part)
    assert name_of(rank, part) == name


def test_only_whole_times_of_other_ranks_are_theirs() -> None:
    one = seen((1, 2), post=(1, 1), rank3_post=(1, 1), rank2=(3, 4), own=(1, 2))
    assert parts_of_ranks(one) == {0: "rank0", 2: "rank2"}
    assert of_streams(one) == ["rank2", "own"]
    assert has_ranks(one)
    assert not has_ranks(seen((1, 2), post=(1, 1), rank3_post=(1, 1)))


@pytest.mark.parametrize(
    ("figure", "ticks"),
    [("collective", [5.0, 7.0]), ("pairs", [3.0, 4.0]), ("latency", [2, 4]), ("", [2, 4])],
)
def test_a_sample_is_the_mean_over_ranks_or_the_median_of_pairs(
    figure: Any, ticks: list[float]
) -> None:
    one = seen((2, 4), rank1=(3, 3), rank2=(10, 14))
    assert list(ticks_of_samples(figure, one)) == ticks
    assert list(ticks_of_samples(figure, seen((2, 4), post=(1, 1)))) == [2, 4]


def test_the_slowest_rank_of_each_sample_is_told_behind_the_warm_up() -> None:
    one = seen((90, 5, 5, 1), 1, rank2=(1, 5, 6, 2), rank5=(1, 4, 7, 2))
    assert slowest_of_samples(one) == (0, 5, 2)


@pytest.mark.parametrize(
    ("own_ticks", "slowest"),
    [
        # Nothing is known of the overlap: 20 and 40.
        (0.0, 60.0),
        (-1.0, 60.0),
        # Both ranks of rank 0's pair timed 30, of a pass of 24: 6 are of both.
        (24.0, 54.0),
        (30.0, 60.0),
        # It never adds, and never takes more than half.
        (99.0, 60.0),
        (1.0, 31.0),
        (0.5, 30.5),
    ],
)
def test_the_slowest_pair_is_without_what_its_two_ranks_timed_both(
    own_ticks: float, slowest: float
) -> None:
    one = seen((4, 6), rank1=(9, 11), rank2=(10, 10), rank3=(18, 22))
    assert ticks_of_slowest_pair(one, (1, 0, 3, 2), own_ticks) == slowest


def test_half_of_the_slowest_pair_is_left_at_least() -> None:
    one = seen((50, 50), rank1=(50, 50), rank2=(10, 10), rank3=(10, 10))
    assert ticks_of_slowest_pair(one, (1, 0, 3, 2), 20.0) == 100.0
    assert ticks_of_slowest_pair(one, (1, 0, 3, 2), 150.0) == 150.0
    # Who stands by has a partner that is no rank.
    three = seen((1, 1), rank1=(10, 20), rank2=(20, 10))
    assert ticks_of_slowest_pair(three, (3, 2, 1), 0.0) == 60.0
