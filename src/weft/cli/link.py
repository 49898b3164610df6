"""The option --link, refused where no figure that is shown is of a link."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from weft.errors import without_effect

if TYPE_CHECKING:
    from weft.fabric.peaks import Link

# A link that is shown in place of the one that was typed, and another one should that be the first.
_OTHERS = ("IB 4x SDR", "100G Ethernet")


def check_link(text: str, shown: Callable[["Link"], object]) -> "Link | None":
    """The link that was typed, None of an empty text; `shown` are the figures with a link.

    Raises WeftError for what is no link, and where another one would change nothing.
    """
    from weft.fabric.peaks import parse_link

    if not text:
        return None
    link = parse_link(text)
    other = next(one for one in map(parse_link, _OTHERS) if one != link)
    if shown(link) == shown(other):
        raise without_effect("--link", "nothing that is shown is a bandwidth of a link")
    return link
