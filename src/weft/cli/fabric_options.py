"""The fabric of `weft price`: the options that describe one."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from weft.cli.options import with_options
from weft.cli.typed import refuse_typed
from weft.fabric.topologies import OF_RAILS, FabricAsked

_PANEL = "The fabric"
_Nodes = Annotated[
    int,
    typer.Option(show_default=False, help="Build it for so many nodes.", rich_help_panel=_PANEL),
]
Switch = Annotated[
    str,
    typer.Option(
        help="Use switches with so many ports: of leaves, spines, cores: 24,288.",
        rich_help_panel=_PANEL,
    ),
]
_Blocking = Annotated[
    str,
    typer.Option(
        help="Cable so many nodes per uplink of a leaf, and the same of spines: 2:1,1:1.",
        rich_help_panel=_PANEL,
    ),
]
_Bisection = Annotated[
    str,
    typer.Option(
        help="Build the cheapest fat tree with this bisection, one way: 48GB/s, or 50% of what all"
        " nodes of one half send; in place of --blocking.",
        rich_help_panel=_PANEL,
    ),
]
_Topology = Annotated[
    str,
    typer.Option(
        help="Build a fat-tree, rail-optimised (a leaf per rail, shared spines), torus, dragonfly,"
        " dragonfly+, hyperx or slim-fly.",
        rich_help_panel=_PANEL,
    ),
]
Levels = Annotated[
    int,
    typer.Option(
        help="Build a fat tree of 1 to 3 levels. 0: as many as are the cheapest.",
        rich_help_panel=_PANEL,
    ),
]
_Rails = Annotated[
    int,
    typer.Option(help="Equal planes, or rails of a rail-optimised fabric.", rich_help_panel=_PANEL),
]
Shape = Annotated[
    str, typer.Option(help="Give a torus or HyperX these sides: 8x8x4.", rich_help_panel=_PANEL)
]
PerSwitch = Annotated[
    int,
    typer.Option(
        help="Cable so many nodes to a switch of a torus, hyperx or slim-fly at most. 0: half of"
        " the ports of a torus; as many as leave the others their bandwidth.",
        rich_help_panel=_PANEL,
    ),
]
_Spread = Annotated[
    str,
    typer.Option(
        help="Spread the uplinks of a leaf over all spines evenly (even), or save spines (any).",
        rich_help_panel=_PANEL,
    ),
]
_Link = Annotated[
    str,
    typer.Option(help='Take the peak of this link, e.g. "IB 4x SDR".', rich_help_panel=_PANEL),
]
_Measured = Annotated[
    str,
    typer.Option(
        help="Take latency and bandwidth of this record or platform; RECORD@TRANSPORT takes one"
        " transport.",
        rich_help_panel=_PANEL,
    ),
]
_Application = Annotated[
    str,
    typer.Option(
        help="Take an application's performance from this record of milc; RECORD@8^4 takes one"
        " lattice.",
        rich_help_panel=_PANEL,
    ),
]

# What only fabrics of one kind have, by the parameters.
OF_FAT_TREE = ("blocking", "bisection", "levels", "spread")
OF_TORUS = ("shape", "per_switch")


def takes_fabric(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it gets an `asked` made of them, None without --nodes."""
    return with_options(
        command, fabric_of, lambda asked, given: command(asked=asked, **given), "asked"
    )


def fabric_of(
    nodes: _Nodes = 0,
    switch: Switch = "",
    blocking: _Blocking = "1:1",
    bisection: _Bisection = "",
    topology: _Topology = "fat-tree",
    levels: Levels = 0,
    rails: _Rails = 1,
    shape: Shape = "",
    per_switch: PerSwitch = 0,
    spread: _Spread = "even",
    link: _Link = "",
    measured: _Measured = "",
    application: _Application = "",
) -> FabricAsked | None:
    """What was asked for; None without nodes."""
    if not nodes:
        return None
    return FabricAsked(
        nodes=nodes,
        switch=switch,
        blocking=blocking,
        bisection=bisection,
        topology=topology,
        levels=levels,
        rails=rails,
        shape=shape,
        per_switch=per_switch,
        spread=spread,
        link=link,
        measured=measured,
        application=application,
    )


def check_fabric(context: typer.Context, topology: str) -> None:
    """Raises WeftError for a typed option that a fabric of this topology does not have."""
    if topology != "fat-tree":
        own = tuple(name for name in OF_FAT_TREE if f"--{name}" not in OF_RAILS)
        others = own if topology == "rail-optimised" else OF_FAT_TREE
        refuse_typed(context, *others, why=f"a {topology} is not a fat tree")
    if topology != "torus":
        own = {"hyperx": (), "slim-fly": ("shape",)}.get(topology, OF_TORUS)
        refuse_typed(
            context, *own, why=f"a {topology} is not a torus",
            fix="omit {}, or use --topology torus",
        )  # fmt: skip


# The options of a fabric beside its nodes, without which there is none.
BESIDE_NODES = tuple(name for name in inspect.signature(fabric_of).parameters if name != "nodes")
