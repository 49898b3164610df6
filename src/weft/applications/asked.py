"""What was asked of applications, as options are typed, and the cases that come of it. Pure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from weft.applications.lattice import LONG_LINK_REALS, MASS, U0
from weft.errors import WeftError
from weft.units import parse_sizes, parse_time

if TYPE_CHECKING:
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
        parse_extents(text, MOST_DIMENSIONS)
    if not 1 <= depth <= MOST_DEPTH:
        raise WeftError(f"a depth of {depth} is out of range", f"use --depth 1 to {MOST_DEPTH}")
    if sums is not None and not 0 <= sums <= MOST_SUMS:
        raise WeftError(f"{sums} sums are out of range", f"use --sums 0 to {MOST_SUMS}")
    if gauge and (extents or whole):
        raise WeftError(
            "the lattice is that of the gauge file", "use --gauge without --extents and --lattice"
        )
    for name, value, (low, high) in (("mass", mass, MASSES), ("u0", u0, U0S)):
        if not low <= value <= high:
            raise WeftError(
                f"a {name} of {value:g} is out of range", f"use --{name} {low:g} to {high:g}"
            )
    compute_ps = round(1000 * parse_time(compute)) if compute else 0
    if not 0 <= compute_ps <= MOST_COMPUTE_PS:
        raise WeftError(f"{compute} a site is out of range", "use --compute 1ns to 1ms")
    if long_links not in (SHORT_LINK_REALS, LONG_LINK_REALS):
        raise WeftError(
            f"a long link of {long_links} numbers is none", "use --long-links 12, or 18"
        )
    if not 1 <= threads <= MOST_THREADS:
        raise WeftError(
            f"--threads {threads} is out of range", f"use --threads 1 to {MOST_THREADS}"
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


def parse_extents(text: str, dimensions: int) -> list[tuple[int, ...]]:
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
                f"'{word}' is not a list of extents",
                "use them like 4,6,8 or 4..14:2, 8^3 or 4x6x8x16",
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
        f"use 1 to {MOST_DIMENSIONS} extents of 1 to {MOST_EXTENT}, at most 2^32 sites in all",
    )
