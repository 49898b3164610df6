"""`weft peak`: what a link or a bus can carry at best."""

from typing import Annotated

import typer

_EXAMPLES = """Examples:

weft peak "IB 4x FDR"

weft peak "PCIe 4 x16" "100G Ethernet" --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("peak", epilog=_EXAMPLES)(peak)


def peak(
    links: Annotated[list[str], typer.Argument(help="Links: IB 4x FDR, PCIe 3 x8, PCI-X 133.")],
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Compute the peak of links and buses from lanes, signalling rate and encoding.

    A second bound takes off the protocol's own headers at each packet size.
    """
    import msgspec  # noqa: PLC0415 - start-up

    from weft.fabric.peaks import parse_link  # noqa: PLC0415
    from weft.report.terminal import console, peaks_table  # noqa: PLC0415

    found = [parse_link(text) for text in links]
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        console().print(peaks_table(found))
