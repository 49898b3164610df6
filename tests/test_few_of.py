"""Of many names a sentence has the first, and how many more there are."""

from __future__ import annotations

import pytest

from weft.analysis.compare.sessions import said_with_names
from weft.analysis.stats.launches import made_by
from weft.wording import few_of, few_or_ends


@pytest.mark.parametrize(
    ("names", "said"),
    [("", ""), ("a", "a"), ("ab", "a, b"), ("abc", "a, b and 1 more"), ("abcd", "a, b and 2 more")],
)
def test_the_first_stand_with_how_many_more_there_are(names: str, said: str) -> None:
    assert few_of(list(names), 2) == said


@pytest.mark.parametrize(
    ("names", "said"),
    [("", ""), ("a", "a"), ("abcd", "a and b and c and d"), ("abcde", "5 records, a to e")],
)
def test_many_are_how_many_they_are_with_the_first_and_the_last(names: str, said: str) -> None:
    assert few_or_ends(list(names), "record") == said


@pytest.mark.parametrize(
    ("sessions", "said"),
    [
        ([1], "1 session of 1 launch"),
        ([5, 4, 5, 5], "4 sessions of 5 and 4 and 5 and 5 launches"),
        ([5] * 200, "200 sessions of 5 launches each"),
        ([1] * 9, "9 sessions of 1 launch each"),
        ([5, 3, 5, 5, 4], "5 sessions of 3 to 5 launches"),
    ],
)
def test_many_sessions_do_not_count_each_of_them(sessions: list[int], said: str) -> None:
    """Of 200 records a line had "5 and 5 and 5 and ..." for five lines."""
    assert made_by(sessions) == said


def test_what_is_said_of_many_names_the_first_of_them() -> None:
    said = said_with_names((name, ["too few"]) for name in "abcdefg")
    assert said == ("a, b, c, d and 3 more: too few",)
