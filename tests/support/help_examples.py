"""The examples of every command's --help, and by which test each is typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import typer

from weft.cli.main import app
from weft.cli.manual import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def examples() -> Iterator[tuple[str, str]]:
    """Each command that the help has an example of, and the example as it is typed."""
    top = typer.main.get_command(app)
    for name, command in [("", top), *commands_of(top)]:
        for part in (command.epilog or "").split("\n\n"):
            line = re.sub(r"^Example: +", "", part)
            if line.startswith("weft "):
                yield from ((name, one) for one in line.split(" && "))


EXAMPLES = dict.fromkeys(line for _, line in examples())
# What each is typed by; the first that is like a line has it.
KINDS = {
    "simulated": re.compile(r"weft (?:predict|reproduce|(?:run|map) .*--platform)"),
    # On the lab's hosts, tests/lab/test_how_to.py.
    "cluster": re.compile(r"weft slurm|weft (?:run|map|doctor) .*--(?:nodes|hosts)"),
    "real": re.compile(r"weft doctor --measure|weft run --resume"),
    "measured": re.compile(r"weft (?:run|map) (?!weft-)|weft run$"),
    "read": re.compile(r"weft "),
}


def kind_of(line: str) -> str:
    return next(kind for kind, known in KINDS.items() if known.match(line))


def lines_of(kind: str) -> list[str]:
    return [line for line in EXAMPLES if kind_of(line) == kind]
