"""Published platforms as a user names them: by the words of records, NAME or NAME@TRANSPORT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.names import choose
from weft.reference.library import only, platform_or_none
from weft.sources.named import split_records, split_source

if TYPE_CHECKING:
    from weft.reference.library import Platform


def platform_named(word: str) -> Platform | None:
    """The platform of a name, or its part over the transports after an @.

    None where the word is of a record or of several. Raises WeftError where it is neither record
    nor platform, and for a transport that the platform does not have.
    """
    if len(split_records(word)) > 1:
        return None
    name, part = split_source(word)
    platform = platform_or_none(name)
    if platform is None or not part:
        return platform
    there = tuple(dict.fromkeys(one.transport for one in platform.series))
    if not there:
        raise WeftError(
            f"{platform.name} has nothing over {part}", "it has single figures only: omit the @"
        )
    tests = {one.test for one in platform.series}
    return only(platform, tests, choose("transport", part.split(","), there))
