"""Another value of each option of applications: from it a plan tells whether one has an effect."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications.asked import SHORT_LINK_REALS, ApplicationsAsked
from weft.applications.lattice import LONG_LINK_REALS

if TYPE_CHECKING:
    from collections.abc import Mapping

# Extents that nobody types.
_MORE_EXTENTS = ",1x1x1x4093"
_LATTICE, _LINKS = "lattice", "quarks on links"


class OtherValue(msgspec.Struct, frozen=True, kw_only=True):
    """A field of what is asked, another value of it, and what lacks a test that does not use it.

    `negated` is how the option is typed that makes the field false.
    """

    field: str
    negated: str = ""
    change: Callable[[Any], Any]
    lack: str

    def other(self, asked: ApplicationsAsked) -> ApplicationsAsked:
        """What is asked, with the other value."""
        changed = self.change(getattr(asked, self.field))
        return msgspec.structs.replace(asked, **{self.field: changed})

    def word(self, asked: ApplicationsAsked) -> str:
        """How it was typed, where that is not by the parameter's name."""
        return "" if getattr(asked, self.field) else self.negated


# By the parameters of the commands that take them.
OTHER_VALUES: Mapping[str, OtherValue] = MappingProxyType({
    "extents": OtherValue(field="extents", change=lambda t: t + _MORE_EXTENTS, lack=_LATTICE),
    "lattice": OtherValue(field="whole", change=lambda t: t + _MORE_EXTENTS, lack=_LATTICE),
    "depth": OtherValue(field="depth", change=lambda depth: depth + 1, lack=_LATTICE),
    "compute": OtherValue(field="compute_ps_per_site", change=lambda ps: ps + 1, lack=_LATTICE),
    "overlap": OtherValue(
        field="overlaps", negated="--no-overlap", change=lambda overlaps: not overlaps,
        lack="computing in its iterations",
    ),
    "sums": OtherValue(field="sums", change=lambda sums: (sums or 0) + 1, lack=_LATTICE),
    "long_links": OtherValue(
        field="long_link_reals",
        change=lambda reals: LONG_LINK_REALS + SHORT_LINK_REALS - reals,
        lack="long links",
    ),
    "threads": OtherValue(field="threads", change=lambda threads: threads + 1, lack=_LATTICE),
    "gauge": OtherValue(field="gauge", change=lambda path: path + "-", lack=_LINKS),
    "mass": OtherValue(field="mass", change=lambda mass: 2 * mass, lack=_LINKS),
    "u0": OtherValue(field="u0", change=lambda factor: 2 * factor, lack=_LINKS),
})  # fmt: skip
