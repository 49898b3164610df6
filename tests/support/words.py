"""A test's own words in place of the usual ones: no option is typed twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_usual(usual: Sequence[str], words: Sequence[str]) -> list[str]:
    """The usual words without the options that `words` name, each with its value; then `words`."""
    kept: list[str] = []
    is_replaced = False
    for word in usual:
        if word.startswith("--"):
            is_replaced = word in words
        if not is_replaced:
            kept.append(word)
    return [*kept, *words]
