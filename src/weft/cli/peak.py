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
    from weft.report.terminal import console, peaks_table

    if not links:
        _show_buses(as_json=json)
        return
    found = [parse_link(text) for text in links]
    if json:
        print_json(found)
    else:
        console().print(peaks_table(found))


def _show_buses(*, as_json: bool) -> None:

    from weft.analysis.bus import buses_here
    from weft.errors import WeftError
    from weft.host.manifest import collect
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.topics.bus import bottlenecks, bus_in_words, bus_tables

    buses = buses_here(collect())
    if not buses:
        raise WeftError("this host shows no card on a bus", 'name a link: weft peak "PCIe 4 x16"')
    if as_json:
        print_json(bottlenecks(buses))
        return
    for table in bus_tables(buses):
        console().print(*render_table(table), sep="\n")
    for bus in buses:
        console().print(bus_in_words(bus))
