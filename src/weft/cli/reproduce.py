"""`weft reproduce`: a study's tests on its simulated platforms, beside what it published."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import picture_option, print_json, this_command
from weft.cli.options import Json
from weft.cli.printed import say

_EXAMPLES = """Examples:

weft reproduce sandia

weft reproduce sandia --kind table

weft reproduce osu

weft reproduce fermilab --rate 800MFlop/s -o curves.html"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reproduce", epilog=_EXAMPLES)(reproduce)


def reproduce(
    study: Annotated[str, typer.Argument(help="Reproduce this study: sandia, osu, fermilab.")],
    kind: Annotated[
        str,
        typer.Option(help="Simulate a model of few parameters, or a table right at each size."),
    ] = "model",
    rate: Annotated[
        str,
        typer.Option(help="Let a rank of fermilab compute so much. Default: 800MFlop/s."),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=picture_option,
            help="Draw fermilab's curves: .svg, .pdf or .html.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run a published study's tests on its simulated platforms, beside the published figures.

    sandia: tables 4 to 8 of Doerfler (2005) on Escher, Red Squall and Callisto. osu: what the text
    of Liu et al. (2003) states of VAPI, GM and Elan3. fermilab: the curves of MILC's staggered
    solver on the two clusters of Holmgren (2003), whose points are published as a picture only.
    """
    from weft.report.picture import write_picture
    from weft.report.table import console, render_table
    from weft.studies.published import reproduced

    found = reproduced(study, kind, rate, is_drawn=output is not None)
    if output is not None:
        write_picture(output, found.charts, found.tables[0], command=this_command())
        say(f"picture: {output}", err=True)
    if json:
        print_json("reproduce", found.tables)
        return
    for table in found.tables:
        console().print(*render_table(table), sep="\n")
