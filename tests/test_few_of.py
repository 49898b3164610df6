"""Of many names a sentence has the first, and how many more there are."""

from __future__ import annotations

import pytest

from weft.wording import few_of


@pytest.mark.parametrize(
    ("names", "said"),
    [("", ""), ("a", "a"), ("ab", "a, b"), ("abc", "a, b and 1 more"), ("abcd", "a, b and 2 more")],
)
def test_the_first_stand_with_how_many_more_there_are(names: str, said: str) -> None:
    assert few_of(list(names), 2) == said
