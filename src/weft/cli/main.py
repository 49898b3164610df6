"""The program `weft`: its commands, and how an expected error ends it."""

import gc
import os
import signal
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

import weft
from weft.cli import (
    calibrate,
    check,
    compare,
    doctor,
    export,
    figure,
    fit,
    import_,
    layers,
    list_,
    map_,
    memory,
    peak,
    predict,
    price,
    report,
    reproduce,
    run,
    show,
    signature,
    slurm,
    trend,
    unexpected,
)
from weft.cli.command import CommandGroup, Commands
from weft.errors import WeftError
from weft.stages import Shown, Stages, shown_by

app = Commands(
    name="weft",
    help="Measure, model, compare and price cluster interconnects.",
    epilog="Example:  weft run ping_pong --transport tcp --budget 20s",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"weft {weft.__version__}\n")
        raise typer.Exit


@app.callback(no_args_is_help=True)
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and end.", callback=_show_version),
    ] = False,
) -> None:
    """Take what stands before any command."""


# By what a person wants, in the order in which it is wanted.
COMMANDS = {
    "Measure": (run, map_, doctor, slurm),
    "Look": (show, report, figure, signature, memory, list_, export, import_),
    "Decide": (compare, check, trend),
    "Model": (fit, layers, calibrate, peak),
    "Simulate and buy": (predict, reproduce, price),
}
for title, commands in COMMANDS.items():
    for command in commands:
        command.register(CommandGroup(app, title))


def main() -> None:
    """Run a command; an expected error is one line on standard error and exit status 2.

    One that nobody expected is a line too, with a status that no answer of a command has. Where
    the reader of what is printed (head, less) has seen enough, the program ends without a word.
    """
    try:
        status = _status()
        sys.stdout.flush()
    except BrokenPipeError:
        status = _no_reader()
    finally:
        # The libraries of a report hold very many objects. Python would visit each once more before
        # it ends, and the user would wait for nothing.
        gc.freeze()
    sys.exit(status)


def _status() -> int:
    """What the command ends with, once what is to be said of it is said."""
    try:
        with shown_by(Stages(_stage_line)):
            return int(app.only(sys.argv[1:])(standalone_mode=False) or 0)
    except WeftError as error:
        return _refused(f"{error.what}; {error.fix}")
    except typer.Abort as aborted:
        # Typer takes an end of file anywhere for an answer that was not given.
        if isinstance(aborted.__cause__, EOFError):
            return unexpected.report(aborted.__cause__)
        return 130
    except SystemExit as ended:
        # So rich ends a program whose reader is gone.
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    except BrokenPipeError:
        raise
    except TyperException as error:
        if not str(error):  # plain `weft`: its help was shown
            return 2
        # A value's fault comes with the name of its option.
        named = getattr(error, "format_message", None) if hasattr(error, "param") else None
        message = named() if named else str(error)
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "weft"
        return _refused(f"{' '.join(message.split()).rstrip('.')}; type: {command} --help")
    except Exception as error:  # noqa: BLE001 - status 1 is an answer of weft check
        return unexpected.report(error)


def _stage_line() -> Shown:
    """Loaded once something takes a while."""
    from weft.progress import StageLine

    return StageLine()


def _refused(line: str) -> int:
    sys.stderr.write(f"weft: {line}\n")
    return 2


def _no_reader() -> int:
    """The status that a shell has of a program that SIGPIPE ended: no answer of a command has it.

    Nothing may be written any more while Python ends.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return 128 + signal.SIGPIPE
