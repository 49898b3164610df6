"""What was asked of applications, as options are typed, and the cases that come of it. Pure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications.lattice import LONG_LINK_REALS, MASS, U0, Lattice
from weft.errors import WeftError
from weft.units import parse_sizes, parse_time
from weft.wording import options_given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile
    from weft.applications.info import ApplicationInfo

MOST_DIMENSIONS = 4
MOST_EXTENT = 4096
MOST_SITES = 2**32
MOST_DEPTH = 16
MOST_SUMS = 2
MOST_COMPUTE_PS = 1_000_000_000
SHORT_LINK_REALS = 12
MOST_THREADS = 1024
MASSES = (1e-3, 10.0)
U0S = (0.1, 10.0)


class ApplicationsAsked(msgspec.Struct, frozen=True, kw_only=True):
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
    def of_case(cls, options: Mapping[str, Any] | None) -> ApplicationsAsked:
        """As a case with these options was asked for; None are those of no application."""
        if options is None:
            return cls()
        lattice = Lattice.of(options)
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
    def file(self) -> str:
        """The path of a file that cases are made of; empty where none was named."""
        return self.gauge

    @property
    def says_how_fast(self) -> bool:
        """Whether something was asked for that changes how fast a rank computes."""
        return self.threads > 1 or self.long_link_reals != LONG_LINK_REALS

    def on(self, file: ApplicationFile) -> ApplicationsAsked:
        """The same on the lattice of the gauge file."""
        return msgspec.structs.replace(self, whole="x".join(map(str, file.extents)))

    def computes_on(self, info: ApplicationInfo) -> bool:
        """Whether a rank of the application does more than exchange its faces."""
        return self.compute_ps_per_site > 0 or info.computes

    def options_of(self, info: ApplicationInfo) -> tuple[dict[str, Any] | None, ...]:
        """Those of each case of an application, which says what is usual; one None of other tests.

        What it does not know has its default: without computing there is nothing to overlap. Raises
        WeftError.
        """
        return tuple(one.options for one in self._lattices(info)) if info.is_there else (None,)

    def _lattices(self, info: ApplicationInfo) -> tuple[Lattice, ...]:
        asked = [(self.extents or ("" if self.whole else info.extents), False), (self.whole, True)]
        return tuple(
            Lattice(
                extents=_checked(extents, info, is_global=is_global),
                is_global=is_global,
                depth=self.depth,
                compute_ps_per_site=self.compute_ps_per_site,
                overlaps=self.overlaps or not self.computes_on(info),
                sums=info.sums if self.sums is None else self.sums,
                long_link_reals=self.long_link_reals
                if info.takes("long_links")
                else LONG_LINK_REALS,
                threads=self.threads,
                mass=self.mass if info.takes("mass") else MASS,
                u0=self.u0 if info.takes("u0") else U0,
            )
            for text, is_global in asked
            for extents in _parse_extents(text, info.dimensions)
        )

    def words(self, info: ApplicationInfo, file: ApplicationFile | None) -> tuple[str, ...]:
        """What to type for it, for an application; of a file, its name in place of its lattice."""
        if not info.is_there:
            return ()
        named = {
            "--extents": "" if file else self.extents,
            "--lattice": "" if file else self.whole,
            "--depth": str(self.depth) if self.depth != 1 else "",
            "--compute": _nanoseconds(self.compute_ps_per_site),
            "--sums": "" if self.sums in (None, info.sums) else str(self.sums),
            "--long-links": _unless(self.long_link_reals, LONG_LINK_REALS),
            "--threads": _unless(self.threads, 1),
            "--mass": _unless(self.mass, MASS),
            "--u0": _unless(self.u0, U0),
        }
        overlap = () if self.overlaps else ("--no-overlap",)
        return (*options_given(named), *overlap, *(("--gauge", file.path) if file else ()))


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
) -> ApplicationsAsked:
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
            f"--threads {threads} is out of range", f"type --threads 1 to {MOST_THREADS}"
        )
    return ApplicationsAsked(
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


def _checked(
    extents: tuple[int, ...], info: ApplicationInfo, *, is_global: bool
) -> tuple[int, ...]:
    """The extents, if the application can have them on a rank; those of all ranks are divided."""
    if is_global or all(one >= info.least_extent and one % info.multiple == 0 for one in extents):
        return extents
    multiple = "even " if info.multiple == 2 else f"multiples of {info.multiple} as "
    raise WeftError(
        f"extents of {'x'.join(map(str, extents))} are not what the test can have on a rank",
        f"type {multiple if info.multiple > 1 else ''}extents of at least {info.least_extent},"
        f" like --extents {info.extents}",
    )


def _unless(value: float, usual: float) -> str:
    return repr(value) if value != usual else ""


def _nanoseconds(picoseconds: int) -> str:
    return f"{picoseconds / 1000:.3f}ns" if picoseconds else ""
