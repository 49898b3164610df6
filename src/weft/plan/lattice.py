"""What an application's case is measured on: a lattice, and what is done on it. Pure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.units import parse_sizes, parse_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.pattern import ApplicationOption, LatticeInfo

MOST_DIMENSIONS = 4
MOST_EXTENT = 4096
MOST_SITES = 2**32
MOST_DEPTH = 16
MOST_SUMS = 2
MOST_COMPUTE_PS = 1_000_000_000
LONG_LINK_REALS = 18
SHORT_LINK_REALS = 12
MOST_THREADS = 1024
# Of MILC's benchmark, and no tadpole factor: random links have none.
MASS = 0.1
U0 = 1.0
MASSES = (1e-3, 10.0)
U0S = (0.1, 10.0)


class Lattice(msgspec.Struct, frozen=True, kw_only=True):
    """So many sites in each dimension, on each rank, or of all ranks together (`is_global`).

    In an iteration `depth` layers of each face go to the neighbour, each site computes for
    `compute_ps_per_site`, while messages are on their way (`overlaps`) or behind them, and `sums`
    are made over all ranks. Of a solver's links of three steps `long_link_reals` numbers are kept,
    and a rank computes with so many `threads`.
    are made over all ranks. Where the application has quarks they have a `mass`, in units of the
    lattice and MILC's convention, and their links a tadpole factor `u0`.
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

    @property
    def application(self) -> dict[str, float]:
        """What an application is given beside the lattice, by the names of its options."""
        return {"long_links": self.long_link_reals, "mass": self.mass, "u0": self.u0}

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

    def face_bytes(self, site_bytes: int) -> int:
        """The longest message at most: the largest face, where ranks divide it undivided."""
        return site_bytes * self.depth * self.sites // min(self.extents)

    @property
    def shape(self) -> str:
        """Its extents: "8^4", "4x6x8"."""
        if len(set(self.extents)) == 1 and len(self.extents) > 1:
            return f"{self.extents[0]}^{len(self.extents)}"
        return "x".join(map(str, self.extents))

    def moved_bytes_per_site(self, info: LatticeInfo, site_bytes: int) -> float:
        """In an iteration, to and from memory; the bytes of a face's site say which precision."""
        more = sum(self._beyond(one) * one.moved_bytes_per_site for one in info.options)
        return _precision(info, site_bytes) * (info.moved_bytes_per_site + more)

    def set_bytes_per_site(self, info: LatticeInfo, site_bytes: int) -> float:
        """What a site keeps over iterations."""
        more = sum(self._beyond(one) * one.set_bytes_per_site for one in info.options)
        return _precision(info, site_bytes) * (info.set_bytes_per_site + more)

    def _beyond(self, option: ApplicationOption) -> float:
        """By how much an option is more than usual."""
        return self.application.get(option.name, option.usual) - option.usual

    @property
    def words(self) -> str:
        """All that tells it from others, for a case's name."""
        differs = {
            ("whole_" if self.is_global else "") + self.shape: True,
            f"depth{self.depth}": self.depth > 1,
            f"{_nanoseconds(self.compute_ps_per_site)}_a_site": self.compute_ps_per_site > 0,
            "no_overlap": not self.overlaps,
            f"sums{self.sums}": self.sums > 0,
            f"long_links{self.long_link_reals}": self.long_link_reals != LONG_LINK_REALS,
            f"threads{self.threads}": self.threads > 1,
            f"mass{self.mass:g}": self.mass != MASS,
            f"u0_{self.u0:g}": self.u0 != U0,
        }
        return "/".join(word for word, is_so in differs.items() if is_so)


class Lattices(msgspec.Struct, frozen=True, kw_only=True):
    """The lattices of a run's applications, as they were asked for.

    `extents` are of a rank and `whole` of all ranks together, lists as the command line takes them;
    both empty: the application's usual ones of a rank. `sums` None: as the application does.
    `gauge` is the path of a file whose links are taken, and whose lattice `whole` is then.
    """

    extents: str = ""
    whole: str = ""
    depth: int = 1
    compute_ps_per_site: int = 0
    overlaps: bool = True
    sums: int | None = None
    long_link_reals: int = LONG_LINK_REALS
    threads: int = 1
    gauge: str = ""
    mass: float = MASS
    u0: float = U0

    @classmethod
    def of_one(cls, lattice: Lattice) -> Lattices:
        """As this one was asked for."""
        return cls(
            extents="" if lattice.is_global else lattice.shape,
            whole=lattice.shape if lattice.is_global else "",
            depth=lattice.depth,
            compute_ps_per_site=lattice.compute_ps_per_site,
            overlaps=lattice.overlaps,
            sums=lattice.sums,
            long_link_reals=lattice.long_link_reals,
            threads=lattice.threads,
            mass=lattice.mass,
            u0=lattice.u0,
        )

    @property
    def are_asked_for(self) -> bool:
        """Whether anything differs from what applications usually do."""
        return self != Lattices()

    @property
    def need_links(self) -> bool:
        """Whether something was asked for that only an application with links has."""
        return bool(self.gauge) or (self.mass, self.u0) != (MASS, U0)

    def on(self, extents: Sequence[int]) -> Lattices:
        """The same on the lattice of the gauge file."""
        return msgspec.structs.replace(self, whole="x".join(map(str, extents)))

    def of(self, info: LatticeInfo) -> tuple[Lattice | None, ...]:
        """The lattices of an application, which says what is usual; one None where it has none.

        Raises WeftError.
        """
        if not info.dimensions:
            return (None,)
        asked = [(self.extents or ("" if self.whole else info.extents), False), (self.whole, True)]
        return tuple(
            Lattice(
                extents=_checked(extents, info, is_global=is_global),
                is_global=is_global,
                depth=self.depth,
                compute_ps_per_site=self.compute_ps_per_site,
                overlaps=self.overlaps,
                sums=info.sums if self.sums is None else self.sums,
                long_link_reals=self.long_link_reals,
                threads=self.threads,
                mass=self.mass if info.takes("mass") else MASS,
                u0=self.u0 if info.takes("u0") else U0,
            )
            for text, is_global in asked
            for extents in _parse_extents(text, info.dimensions)
        )


def parse_lattices(
    extents: str,
    whole: str,
    depth: int,
    compute: str,
    sums: int | None,
    *,
    overlaps: bool,
    long_links: int = LONG_LINK_REALS,
    threads: int = 1,
    gauge: str = "",
    mass: float = MASS,
    u0: float = U0,
) -> Lattices:
    """Options from the command line. Raises WeftError."""
    for text in (extents, whole):
        _parse_extents(text, MOST_DIMENSIONS)
    if not 1 <= depth <= MOST_DEPTH:
        raise WeftError(f"a depth of {depth} is out of range", f"type --depth 1 to {MOST_DEPTH}")
    if sums is not None and not 0 <= sums <= MOST_SUMS:
        raise WeftError(f"{sums} sums are out of range", f"type --sums 0 to {MOST_SUMS}")
    if gauge and (extents or whole):
        raise WeftError(
            "the lattice is that of the gauge file", "type --gauge without --extents and --lattice"
        )
    for name, value, (low, high) in (("mass", mass, MASSES), ("u0", u0, U0S)):
        if not low <= value <= high:
            raise WeftError(
                f"a {name} of {value:g} is out of range", f"type --{name} {low:g} to {high:g}"
            )
    compute_ps = round(1000 * parse_time(compute)) if compute else 0
    if not 0 <= compute_ps <= MOST_COMPUTE_PS:
        raise WeftError(f"{compute} a site is out of range", "type --compute 1ns to 1ms")
    if long_links not in (SHORT_LINK_REALS, LONG_LINK_REALS):
        raise WeftError(
            f"a long link of {long_links} numbers is none", "type --long-links 12, or 18"
        )
    if not 1 <= threads <= MOST_THREADS:
        raise WeftError(
            f"{threads} threads are out of range", f"type --threads 1 to {MOST_THREADS}"
        )
    return Lattices(
        extents=extents,
        whole=whole,
        depth=depth,
        compute_ps_per_site=compute_ps,
        overlaps=overlaps,
        sums=sums,
        long_link_reals=long_links,
        threads=threads,
        gauge=gauge,
        mass=mass,
        u0=u0,
    )


def _parse_extents(text: str, dimensions: int) -> list[tuple[int, ...]]:
    """Lists of extents: "4,6,8" and "4..14:2" in all dimensions, "8^3", "4x6x8". Once each."""
    found: dict[tuple[int, ...], None] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        if power := re.fullmatch(r"(\d{1,5})\^(\d)", word):
            found[(int(power[1]),) * int(power[2])] = None
        elif re.fullmatch(r"\d{1,5}(x\d{1,5})+", word):
            found[tuple(map(int, word.split("x")))] = None
        elif re.fullmatch(r"[\d.:]+", word):
            found.update(dict.fromkeys((one,) * dimensions for one in parse_sizes(word)))
        else:
            raise WeftError(
                f"'{word}' are no extents", "type them like 4,6,8 or 4..14:2, 8^3 or 4x6x8x16"
            )
    for extents in found:
        _check_range(extents)
    return list(found)


def _check_range(extents: tuple[int, ...]) -> None:
    most = max(extents, default=0)
    is_small = min(extents, default=0) >= 1 and most <= MOST_EXTENT
    if len(extents) <= MOST_DIMENSIONS and is_small and math.prod(extents) <= MOST_SITES:
        return
    raise WeftError(
        f"a lattice of {'x'.join(map(str, extents)) or 'no sites'} is out of range",
        f"type 1 to {MOST_DIMENSIONS} extents of 1 to {MOST_EXTENT}, at most 2^32 sites in all",
    )


def _checked(extents: tuple[int, ...], info: LatticeInfo, *, is_global: bool) -> tuple[int, ...]:
    """The extents, if the application can have them on a rank; those of all ranks are divided."""
    if is_global or all(one >= info.least_extent and one % info.multiple == 0 for one in extents):
        return extents
    multiple = "even " if info.multiple == 2 else f"multiples of {info.multiple} as "
    raise WeftError(
        f"extents of {'x'.join(map(str, extents))} are not what the test can have on a rank",
        f"type {multiple if info.multiple > 1 else ''}extents of at least {info.least_extent},"
        f" like --extents {info.extents}",
    )


def _precision(info: LatticeInfo, site_bytes: int) -> float:
    """How long a number is, against the usual one."""
    usual = parse_sizes(info.bytes) if info.bytes else []
    return site_bytes / usual[0] if usual else 1.0


def _nanoseconds(picoseconds: int) -> str:
    return f"{picoseconds / 1000:g}ns"
