"""The program `weft`: how it starts, and how an expected error ends it."""

import contextlib
import errno
import gc
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.cli.plain_streams import print_plainly
from weft.cli.version import print_version
from weft.errors import printable
from weft.whole_file import why

if TYPE_CHECKING:
    from weft.stages import Shown


def __getattr__(name: str) -> Any:
    """`app`: the program with all commands, imported when it is needed."""
    if name != "app":
        raise AttributeError(f"weft.cli.main has no {name}", name=name)
    from weft.cli.program import whole_program

    return whole_program()


def main() -> None:
    """Run a command; an expected error is one line on standard error and exit status 2.

    One that nobody expected is a line too, with a status that no answer of a command has. Where
    the reader of what is printed (head, less) has seen enough, the program ends without a word.
    """
    if sys.stdout is None:
        sys.exit(_stuck("standard output is closed; add >/dev/null if you need no output"))
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the end
    print_plainly()
    try:
        # The version alone does not need typer, which takes longest to import.
        status = print_version() if sys.argv[1:] == ["--version"] else _status()
        sys.stdout.flush()
    except BrokenPipeError:
        status = _no_reader()
    except OSError as error:
        status = _stuck(f"cannot write to standard output: {why(error)}; free some space there")
    finally:
        # The libraries of a report hold very many objects. Python would visit each once more before
        # it ends, and the user would wait for nothing.
        gc.freeze()
    sys.exit(status)


def _status() -> int:
    """The exit status of the command, once all its output is printed."""
    import typer
    from typer.exceptions import TyperException

    from weft.cli import unexpected
    from weft.cli.nearest_option import option_meant
    from weft.cli.program import program_of
    from weft.errors import WeftError
    from weft.stages import Stages, shown_by

    try:
        with shown_by(Stages(_stage_line)):
            return int(program_of(sys.argv[1:])(standalone_mode=False) or 0)
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
    except TyperException as error:
        if not str(error):  # plain `weft`: its help was shown
            return 2
        # A value's fault comes with the name of its option.
        named = getattr(error, "format_message", None) if hasattr(error, "param") else None
        message = named() if named else str(error)
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "weft"
        option, params = (
            getattr(error, "option_name", ""),
            context.command.params if context else (),
        )
        fix = f"did you mean {near}?" if (near := option_meant(option, params)) else ""
        what = " ".join(message.split()).rstrip(".")
        return _refused(f"{what}; {fix or f'run {command} --help'}")
    except Exception as error:
        if _is_of_a_stream(error):
            raise
        return unexpected.report(error)


def _stage_line() -> "Shown":
    """Loaded once something takes a while."""
    from weft.progress import StageLine

    return StageLine()


def _refused(line: str) -> int:
    sys.stderr.write(f"weft: {printable(line)}\n")
    return 2


def _is_of_a_stream(error: Exception) -> bool:
    """Whether writing to an output stream failed; failures of files are WeftErrors."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)
    return isinstance(error, OSError) and error.filename is None and error.errno in full


def _stuck(line: str) -> int:
    """Print why an output stream cannot be written; gives a status that no command answers."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"weft: {line}\n")
        sys.stderr.flush()
    _discard_output()
    return os.EX_IOERR


def _no_reader() -> int:
    """The status that a shell has of a program that SIGPIPE ended: no command answers so."""
    _discard_output()
    return 128 + signal.SIGPIPE


def _discard_output() -> None:
    """Nothing may be written any more while Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        os.dup2(nowhere, stream.fileno())
