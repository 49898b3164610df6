"""Options that several commands take in the same way."""

from pathlib import Path
from typing import Annotated

import typer

Columns = Annotated[str, typer.Option(help="SIZE,TIME columns of a CSV.")]
Json = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
Picture = Annotated[
    Path | None, typer.Option("-o", "--output", help="Picture: .svg, .pdf or .html.")
]
