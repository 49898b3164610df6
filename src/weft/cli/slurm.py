"""`weft slurm script`: any run as a file for sbatch."""

from typing import Any

import typer

from weft.cli import run
from weft.cli.command import Commands
from weft.cli.submit import print_script
from weft.errors import without_effect

_EXAMPLE = """Example:

weft slurm script ping_pong stream --nodes 2 --partition compute --budget 10min > job.sh

sbatch job.sh"""
_ANY = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    group = Commands(help="Runs as jobs of Slurm.", no_args_is_help=True)
    group.callback()(slurm)
    group.command("script", context_settings=_ANY, epilog=_EXAMPLE)(script)
    app.add_typer(group, name="slurm")


def slurm() -> None:
    """Runs as jobs of Slurm."""


def script(context: typer.Context) -> None:
    """Print the sbatch file of a run: type what would follow `weft run`."""
    program = Commands()
    run.register(program)
    if "--submit" in context.args:
        raise without_effect(
            "--submit", "a script is printed and not submitted",
            "omit --submit, or run weft run --submit",
        )  # fmt: skip
    words = context.args
    asked: Any = typer.main.get_command(program).make_context("weft run", list(words))
    print_script(asked, words)
