"""Options that several commands take in the same way."""

from pathlib import Path
from typing import Annotated

import typer

Columns = Annotated[
    str,
    typer.Option(help="Read these columns of a CSV: SIZE,TIME. Default: found by their names."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
LinkName = Annotated[
    str, typer.Option(help='Show bandwidths in % of this link\'s peak, e.g. "IB 4x FDR".')
]
Picture = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write a picture to this .svg, .pdf or .html file."),
]
