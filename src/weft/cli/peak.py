"""`weft peak`: what a link or a bus can carry at best."""

from typing import Annotated

import typer

from weft.cli.command import print_json

_EXAMPLES = """Examples:

weft peak "IB 4x FDR"

weft peak "PCIe 4 x16" "100G Ethernet" --json

weft peak"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("peak", epilog=_EXAMPLES)(peak)


def peak(
    links: Annotated[
        list[str] | None,
        typer.Argument(
            help='Compute these links, e.g. "IB 4x FDR" or "PCIe 3 x8". Default: this host\'s'
            " cards."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the peaks as JSON.")] = False,
) -> None:
    """Compute the peak of links and buses from lanes, signalling rate and encoding.

    A second bound subtracts the protocol's own headers at each packet size. Without a link: the
    peak of every card of this host and of each hop to the root complex.
    """
    from weft.fabric.peaks import parse_link
    from weft.report.table import console
    from weft.report.terminal import peaks_table, render_shown
    from weft.studies.host_bus import buses_of_this_host

    if links:
        found = [parse_link(text) for text in links]
        plain, shown = found, peaks_table(found)
    else:
        buses = buses_of_this_host()
        plain, shown = buses.plain, render_shown(buses.tables, buses.findings)
    if json:
        print_json("peak", plain)
    else:
        console().print(shown)
