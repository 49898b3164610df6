"""Options that several commands take in the same way."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from weft.cli.command import output_option, picture_option

if TYPE_CHECKING:
    from weft.fabric.topology import Topology

Columns = Annotated[
    str,
    typer.Option(help="Read these columns of a CSV: SIZE,TIME. Default: found by their names."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
LinkName = Annotated[
    str, typer.Option(help='Show bandwidths in % of this link\'s peak, e.g. "IB 4x FDR".')
]
Mpi = Annotated[
    str, typer.Option(help="Start the ranks under openmpi or mpich. Default: the one installed.")
]
Options = Annotated[
    list[str] | None,
    typer.Option(help="Set an option of a transport: tcp.port=7000 (see weft list transports)."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the names of the files only.")]
Topologies = Annotated[
    list[str] | None,
    typer.Option(
        "--topology",
        help="Read who is below which switch: a topology.conf or topology.yaml of Slurm (FILE@NAME"
        " for one of several topologies), an output of ibnetdiscover (and a second time its routes"
        " by dump_lfts.sh), an ibdiagnet2.db_csv, a folder of LLDP neighbours, a .toml of weft, or"
        ' words: "fat-tree 24/288 full".',
    ),
]
PageFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", callback=output_option, help="Write an HTML page to this file."),
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        callback=picture_option,
        help="Write a picture to this .svg, .pdf or .html file.",
    ),
]


def topology_typed(words: list[str] | None) -> "Topology | None":
    """The topology of a map's hosts, where one is typed. Raises WeftError."""
    from weft.sources.topologies import topology_of

    return topology_of(words) if words else None


def with_options(
    command: Callable[..., None],
    made_by: Callable[..., Any],
    then: Callable[[Any, dict[str, Any]], None],
    hidden: str = "",
) -> Callable[..., None]:
    """A command with the options of another function too, but for the `hidden` one of its own.

    `then` is called with what the other function made of its options, and with the command's own.
    """
    own = inspect.signature(made_by).parameters
    hints = get_type_hints(made_by, include_extras=True)

    @functools.wraps(command)
    def joined(**given: Any) -> None:
        made = made_by(**{name: given.pop(name) for name in own})
        then(made, given)

    kept = [one for name, one in inspect.signature(command).parameters.items() if name != hidden]
    added = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.values()]
    joined.__annotations__ = {
        **get_type_hints(command, include_extras=True),
        **{name: hints[name] for name in own},
    }
    vars(joined)["__signature__"] = inspect.Signature([*kept, *added])
    return joined
