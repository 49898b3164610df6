"""The options of applications on a lattice, which `run` and `slurm script` take in the same way."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from weft.applications.asked import ApplicationsAsked, parse_lattices
from weft.applications.lattice import LONG_LINK_REALS, MASS, U0
from weft.cli.options import with_options

_Extents = Annotated[
    str,
    typer.Option(
        help="Give each rank a lattice of these extents (weak scaling): 4,6,8 or 4..14:2 in every"
        " dimension, 8^3, 4x6x8x16. Default: the test's own.",
        rich_help_panel="Lattice",
    ),
]
_Whole = Annotated[
    str,
    typer.Option(
        "--lattice",
        help="Divide a lattice of these extents among the ranks (strong scaling): 16^4.",
        rich_help_panel="Lattice",
    ),
]
_Depth = Annotated[
    int,
    typer.Option(help="Send so many layers of a face (halo).", rich_help_panel="Lattice"),
]
_Compute = Annotated[
    str,
    typer.Option(
        help="Compute so long for each site in an iteration (halo): 60ns.",
        rich_help_panel="Lattice",
    ),
]
_Overlap = Annotated[
    bool,
    typer.Option(
        help="Compute while messages are on their way, or once they came.",
        rich_help_panel="Lattice",
    ),
]
_Sums = Annotated[
    int | None,
    typer.Option(
        help="Sum so often over all ranks in an iteration. Default: as the test does.",
        rich_help_panel="Lattice",
    ),
]
_LongLinks = Annotated[
    int,
    typer.Option(
        help="Keep 18 numbers of each long link, or 12 and compute the others (milc).",
        rich_help_panel="Lattice",
    ),
]
_Threads = Annotated[
    int,
    typer.Option(
        help="Compute with so many threads on each rank, each on a core of its own (milc).",
        rich_help_panel="Lattice",
    ),
]
_Gauge = Annotated[
    str | None,
    typer.Option(
        help="Take the links of this file, and its lattice: MILC (version 5), SciDAC or ILDG"
        " (milc). Default: random links.",
        rich_help_panel="Lattice",
    ),
]
_Mass = Annotated[
    float, typer.Option(help="Solve for this quark mass (milc).", rich_help_panel="Lattice")
]
_U0 = Annotated[
    float,
    typer.Option(help="Use this tadpole factor of the links (milc).", rich_help_panel="Lattice"),
]


def takes_lattice(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it gets `asked` made of them."""
    return with_options(
        command, lattices_of, lambda made, given: command(asked=made, **given), "asked"
    )


def lattices_of(
    extents: _Extents = "",
    lattice: _Whole = "",
    depth: _Depth = 1,
    compute: _Compute = "",
    overlap: _Overlap = True,
    sums: _Sums = None,
    long_links: _LongLinks = LONG_LINK_REALS,
    threads: _Threads = 1,
    gauge: _Gauge = None,
    mass: _Mass = MASS,
    u0: _U0 = U0,
) -> ApplicationsAsked:
    """What was asked for. Raises WeftError."""
    return parse_lattices(
        extents,
        lattice,
        depth,
        compute,
        sums,
        overlaps=overlap,
        long_links=long_links,
        threads=threads,
        gauge=gauge or "",
        mass=mass,
        u0=u0,
    )


LATTICE_OPTIONS = tuple(inspect.signature(lattices_of).parameters)
