"""The program `weft` as typer has it: its commands, in the groups of its help."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated

import typer

from weft.cli.command import CommandGroup, Commands

# The groups of the help, in the order in which users need them, with the commands of each. Each
# command is a module of this package; a name that Python uses itself ends with _ there.
COMMANDS = {
    "Measure": ("run", "map_", "doctor", "slurm"),
    "Look": ("show", "report", "figure", "signature", "memory", "list_", "export", "import_"),
    "Decide": ("compare", "check", "trend"),
    "Model": ("fit", "layers", "calibrate", "peak"),
    "Simulate and buy": ("predict", "reproduce", "price"),
}


def program_of(words: Sequence[str]) -> Commands:
    """The program for a command line: with only the command that the words begin with.

    All commands take long to import and to build. Other words, such as --help, get them all.
    """
    for title, modules in COMMANDS.items():
        for module in modules:
            if [module.rstrip("_")] == [*words[:1]]:
                program = _without_commands()
                _register(program, title, module)
                return program
    return whole_program()


@cache
def whole_program() -> Commands:
    """The program with all commands."""
    program = _without_commands()
    for title, modules in COMMANDS.items():
        for module in modules:
            _register(program, title, module)
    return program


def _register(program: Commands, title: str, module: str) -> None:
    import_module(f"weft.cli.{module}").register(CommandGroup(program, title))


def _without_commands() -> Commands:
    program = Commands(
        name="weft",
        help="Measure, model, compare and price cluster interconnects.",
        epilog="Example:  weft run ping_pong --transport tcp --budget 20s",
        no_args_is_help=True,
        context_settings={"help_option_names": ["--help", "-h"]},
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    program.callback(no_args_is_help=True)(_options)
    return program


def _show_version(wanted: bool) -> None:
    from weft.cli.version import print_version

    if wanted:
        print_version()
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and end.", callback=_show_version),
    ] = False,
) -> None:
    """Take the options before any command."""
