"""The variables that a run takes from a record, which may be somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError, printable
from weft.host.environment import only_steers_messaging

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from weft.plan.variations import Variation


def taken_variables(
    variations: Mapping[str, Variation], allowed: Collection[str]
) -> tuple[str, ...]:
    """The settings NAME=VALUE of a record's variations, for display.

    Raises WeftError for a variable that can do more than steer messaging, unless it is allowed.
    """
    pairs = [pair for one in variations.values() for pair in one.environment.items()]
    names = dict.fromkeys(name for name, _ in pairs)
    refused = [name for name in names if name not in allowed and not only_steers_messaging(name)]
    if refused:
        typed = " ".join(f"--allow-env {printable(name)}" for name in refused)
        raise WeftError(
            f"the record sets {printable(', '.join(refused))}, which can run code",
            f"add {typed} if you trust the record",
        )
    return tuple(dict.fromkeys(printable(f"{name}={value}") for name, value in pairs))
