"""What an application's case is measured on: a lattice, and what is done on it. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from weft.units import parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.applications.files import ApplicationFile
    from weft.applications.info import ApplicationInfo, ApplicationOption

LONG_LINK_REALS = 18
# Of MILC's benchmark, and no tadpole factor: random links have none.
MASS = 0.1
U0 = 1.0


class Lattice(msgspec.Struct, frozen=True, kw_only=True):
    """So many sites in each dimension, on each rank, or of all ranks together (`is_global`).

    In an iteration `depth` layers of each face go to the neighbour, each site computes for
    `compute_ps_per_site`, while messages are on their way (`overlaps`) or behind them, and `sums`
    are made over all ranks. Of a solver's links of three steps `long_link_reals` numbers are kept,
    and a rank computes with so many `threads`. Where the application has quarks they have a
    `mass`, in units of the lattice and MILC's convention, and their links a tadpole factor `u0`.
    """

    extents: tuple[int, ...]
    is_global: bool = False
    depth: int = 1
    compute_ps_per_site: int = 0
    overlaps: bool = True
    sums: int = 0
    long_link_reals: int = LONG_LINK_REALS
    threads: int = 1
    mass: float = MASS
    u0: float = U0

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Lattice:
        """Of the options of a case. Raises msgspec.ValidationError for others."""
        return msgspec.convert(options, cls)

    @property
    def options(self) -> dict[str, Any]:
        """As a case and its record have them."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return {**plain, "extents": list(self.extents)}

    @property
    def size_option(self) -> str:
        """What makes cases smaller."""
        return "--extents"

    @property
    def smaller(self) -> str:
        """What to type where a case does not fit the memory."""
        return "smaller --extents or --lattice, or fewer --ranks"

    @property
    def given(self) -> dict[str, float]:
        """What an application is given beside the lattice, by the names of its options."""
        return {"long_links": self.long_link_reals, "mass": self.mass, "u0": self.u0}

    def line(self, file: ApplicationFile | None) -> dict[str, Any]:
        """The lattice of the engine's line, and the pairs that only the application knows.

        Without what is usual: a test refuses what it does not know.
        """
        beside = {"long_link_reals", "mass", "u0"}
        fields = {name: value for name, value in self.options.items() if name not in beside}
        usual = Lattice(extents=self.extents).given
        pairs: dict[str, float | str] = {
            name: value for name, value in self.given.items() if value != usual[name]
        }
        if file:
            pairs |= {"gauge": file.path, "gauge_checksums": file.checksums_in_words}
        return {"lattice": fields, "application": pairs}

    @property
    def sites(self) -> int:
        """On a rank, or of all ranks together."""
        return math.prod(self.extents)

    def sites_of_rank(self, ranks: int) -> float:
        """On each of so many ranks."""
        return self.sites / ranks if self.is_global else float(self.sites)

    @property
    def lanes(self) -> int:
        """To how many neighbours a rank sends at most (engine/contract/case.hpp)."""
        return 2 * len(self.extents)

    def message_bytes(self, site_bytes: int) -> int:
        """The longest message at most: the largest face, where ranks divide it undivided."""
        return site_bytes * self.depth * self.sites // min(self.extents)

    def least_message_bytes(self, site_bytes: int) -> int:
        """The smallest face, where the whole is not divided and no sums are sent; else 0."""
        if self.is_global or self.sums:
            return 0
        return site_bytes * self.depth * self.sites // max(self.extents)

    @property
    def shape(self) -> str:
        """Its extents: "8^4", "4x6x8"."""
        if len(set(self.extents)) == 1 and len(self.extents) > 1:
            return f"{self.extents[0]}^{len(self.extents)}"
        return "x".join(map(str, self.extents))

    def moved_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        """In an iteration, to and from memory; the bytes of a face's site say which precision."""
        more = sum(self._beyond(one) * one.moved_bytes_per_site for one in info.options)
        return _precision(info, site_bytes) * (info.moved_bytes_per_site + more)

    def set_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        """What a site keeps over iterations."""
        more = sum(self._beyond(one) * one.set_bytes_per_site for one in info.options)
        return _precision(info, site_bytes) * (info.set_bytes_per_site + more)

    def _beyond(self, option: ApplicationOption) -> float:
        """By how much an option is more than usual."""
        return self.given.get(option.name, option.usual) - option.usual

    @property
    def of_any_shape(self) -> dict[str, Any]:
        """The options of a lattice of any extents, on each rank or of all together."""
        return self._without_shape.options

    @property
    def _without_shape(self) -> Lattice:
        return msgspec.structs.replace(self, extents=(), is_global=False)

    def words_beyond(self, info: ApplicationInfo) -> str:
        """What differs from the application's usual, but for the extents."""
        sums = 0 if self.sums == info.sums else self.sums
        return msgspec.structs.replace(self._without_shape, sums=sums).words.lstrip("/")

    @property
    def words(self) -> str:
        """All that tells it from others, for a case's name."""
        return self._words(nanoseconds, _shortest)

    @property
    def older_words(self) -> str:
        """The same in records from when numbers had six digits, so that two could have one name."""
        return self._words(lambda picoseconds: f"{picoseconds / 1000:g}ns", "{:g}".format)

    def _words(self, time: Callable[[int], str], number: Callable[[float], str]) -> str:
        differs = {
            ("whole_" if self.is_global else "") + self.shape: True,
            f"depth{self.depth}": self.depth > 1,
            f"{time(self.compute_ps_per_site)}_a_site": self.compute_ps_per_site > 0,
            "no_overlap": not self.overlaps,
            f"sums{self.sums}": self.sums > 0,
            f"long_links{self.long_link_reals}": self.long_link_reals != LONG_LINK_REALS,
            f"threads{self.threads}": self.threads > 1,
            f"mass{number(self.mass)}": self.mass != MASS,
            f"u0_{number(self.u0)}": self.u0 != U0,
        }
        return "/".join(word for word, is_so in differs.items() if is_so)


def nanoseconds(picoseconds: int) -> str:
    """A whole number of picoseconds as it is typed and named, exact: "60ns", "0.125ns"."""
    whole, rest = divmod(picoseconds, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".") + "ns"


def _shortest(number: float) -> str:
    """The fewest digits that tell it from all others."""
    return repr(number).removesuffix(".0")


def _precision(info: ApplicationInfo, site_bytes: int) -> float:
    """How long a number is, against the usual one."""
    usual = parse_sizes(info.bytes) if info.bytes else []
    return site_bytes / usual[0] if usual else 1.0
