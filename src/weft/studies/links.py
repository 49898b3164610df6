"""A record's results with the link that was named, which must change what is shown of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from weft.errors import without_effect
from weft.fabric.peaks import parse_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.fabric.peaks import Link

Figures = TypeVar("Figures")
# A link that is shown in place of the one that was named, and another one should that be the first.
_OTHERS = ("IB 4x SDR", "100G Ethernet")


def with_link(
    text: str, figures: Callable[[Link | None], Figures], shown: Callable[[Figures], object]
) -> Figures:
    """The figures over the link of this text, those that the record gives by itself where it is
    empty; `shown` is what of them is shown.

    Raises WeftError for what is no link, and where another one would change nothing.
    """
    if not text:
        return figures(None)
    link = parse_link(text)
    other = next(one for one in map(parse_link, _OTHERS) if one != link)
    found = figures(link)
    if shown(found) == shown(figures(other)):
        raise without_effect("--link", "nothing that is shown is a bandwidth of a link")
    return found
