"""The program `weft`: its commands, and how an expected error ends it."""

import sys

import typer

from weft.cli import doctor, export, list_, report, run, show
from weft.errors import WeftError

app = typer.Typer(
    name="weft",
    help="Measures, models and compares cluster interconnects.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for command in (run, list_, show, report, export, doctor):
    command.register(app)


def main() -> None:
    """Run a command; an expected error is one line on standard error and exit status 2."""
    try:
        app()
    except WeftError as error:
        sys.stderr.write(f"weft: {error.what}; {error.mend}\n")
        sys.exit(2)
