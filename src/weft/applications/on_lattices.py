"""The applications on a lattice: what the options of the command line make of them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.applications.asked import ApplicationsAsked, parse_extents
from weft.applications.info import ON_LATTICES
from weft.applications.lattice import LONG_LINK_REALS, MASS, U0, Lattice, nanoseconds
from weft.errors import WeftError
from weft.wording import options_given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile
    from weft.applications.info import ApplicationInfo


class OnLattices:
    """The entry: halos and solvers, whose ranks have a lattice each, or share one."""

    name = ON_LATTICES

    def case_of(self, options: Mapping[str, Any]) -> Lattice:
        """The lattice with these options. Raises msgspec.ValidationError for others."""
        return Lattice.of(options)

    def asked_of(self, options: Mapping[str, Any]) -> ApplicationsAsked:
        """As a case with these options was asked for."""
        lattice = Lattice.of(options)
        return ApplicationsAsked(
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

    def options_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo
    ) -> tuple[dict[str, Any], ...]:
        """A lattice of a rank, or of all ranks, a case. Raises WeftError."""
        named = [
            (asked.extents or ("" if asked.whole else info.extents), False),
            (asked.whole, True),
        ]
        return tuple(
            Lattice(
                extents=_checked(extents, info, is_global=is_global),
                is_global=is_global,
                depth=asked.depth,
                compute_ps_per_site=asked.compute_ps_per_site,
                overlaps=asked.overlaps or not asked.computes_on(info),
                sums=info.sums if asked.sums is None else asked.sums,
                long_link_reals=asked.long_link_reals
                if info.takes("long_links")
                else LONG_LINK_REALS,
                threads=asked.threads,
                mass=asked.mass if info.takes("mass") else MASS,
                u0=asked.u0 if info.takes("u0") else U0,
            ).options
            for text, is_global in named
            for extents in parse_extents(text, info.dimensions)
        )

    def words_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo, file: ApplicationFile | None
    ) -> tuple[str, ...]:
        """What to type for it; of a file, its name in place of its lattice."""
        named = {
            "--extents": "" if file else asked.extents,
            "--lattice": "" if file else asked.whole,
            "--depth": str(asked.depth) if asked.depth != 1 else "",
            "--compute": nanoseconds(ps) if (ps := asked.compute_ps_per_site) else "",
            "--sums": "" if asked.sums in (None, info.sums) else str(asked.sums),
            "--long-links": _unless(asked.long_link_reals, LONG_LINK_REALS),
            "--threads": _unless(asked.threads, 1),
            "--mass": _unless(asked.mass, MASS),
            "--u0": _unless(asked.u0, U0),
        }
        overlap = () if asked.overlaps else ("--no-overlap",)
        return (*options_given(named), *overlap, *(("--gauge", file.path) if file else ()))


def _checked(
    extents: tuple[int, ...], info: ApplicationInfo, *, is_global: bool
) -> tuple[int, ...]:
    """The extents, if the application can have them on a rank; those of all ranks are divided."""
    if is_global or all(one >= info.least_extent and one % info.multiple == 0 for one in extents):
        return extents
    multiple = "even " if info.multiple == 2 else f"multiples of {info.multiple} as "
    raise WeftError(
        f"extents of {'x'.join(map(str, extents))} are not what the test can have on a rank",
        f"use {multiple if info.multiple > 1 else ''}extents of at least {info.least_extent},"
        f" like --extents {info.extents}",
    )


def _unless(value: float, usual: float) -> str:
    return repr(value) if value != usual else ""
