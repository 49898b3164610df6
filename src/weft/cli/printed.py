"""Lines on a terminal: control characters that a file or an argument brings are escaped.

Tables pass through `weft.report.table.console`, and all other output of commands through here.
"""

import typer

from weft.errors import printable_lines


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print lines to standard output, or with `err` to standard error."""
    typer.echo(printable_lines(text), err=err, nl=nl)  # noqa: TID251 - the one place
