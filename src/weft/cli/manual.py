"""The manual page of the program, made from what its commands say of themselves: man(7).

python -m weft.cli.manual > weft.1
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import typer

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = (
    ("0", "The command did its work; of check: pass."),
    ("1", "Of check: fail. Of what measures: some cases have no result."),
    ("2", "The command line or an input is refused, in one line that says what to type."),
    ("3", "Of check: cannot tell."),
    ("70", "An error of weft itself; the line names a file with the traceback."),
    ("130", "Interrupted; cases that ended are in the record."),
    ("141", "Nobody reads what is printed any more (head, less), as of any program in a pipe."),
)


def manual(program: typer.Typer) -> str:
    """The page as roff."""
    top: Any = typer.main.get_command(program)
    lines = [
        f'.TH WEFT 1 "" "weft {weft.__version__}" "User commands"',
        # No command is parted by a hyphen or stretched: people copy them.
        ".nh",
        ".ad l",
        ".SH NAME",
        f"weft \\- {_escaped(_sentence(top.help))}",
        ".SH SYNOPSIS",
        "\\fBweft\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        ".SH COMMANDS",
        *(line for name, command in commands_of(top) for line in _command(name, command)),
        ".SH EXIT STATUS",
        *(line for status, meaning in _ENDS for line in (".TP", status, meaning)),
    ]
    return "\n".join(lines) + "\n"


def commands_of(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """The commands of a program with their names, those of its groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _command(name: str, command: Any) -> Iterator[str]:
    yield f".SS {name}"
    yield _escaped(command.help)
    for param in command.params:
        yield from (".TP", f"\\fB{_escaped(words_of(param))}\\fR", _escaped(param.help or ""))
    for part in filter(None, (command.epilog or "").split("\n\n")):
        is_sentence = part.endswith((":", ".")) or part.startswith("Example")
        yield from (".PP", _escaped(part)) if is_sentence else (".PP", ".nf", _escaped(part), ".fi")


def words_of(param: Any) -> str:
    """How a parameter of a command is typed."""
    if param.param_type_name == "option":
        return ", ".join([*param.opts, *param.secondary_opts])
    return str(param.name.upper())


def _sentence(text: str) -> str:
    return text.rstrip(".")


def _escaped(text: str) -> str:
    """A text of roff: no line of it is a request, blank lines are paragraphs."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    lines = [re.sub(r"^([.'])", r"\\&\1", line.strip()) for line in plain.splitlines()]
    return re.sub(r"(\n\.PP)+", "\n.PP", "\n".join(line or ".PP" for line in lines))


if __name__ == "__main__":
    from weft.cli.main import app

    sys.stdout.write(manual(app))
