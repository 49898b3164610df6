"""The program's commands and their options, made once for all tests of a process.

A user's process makes them once too; a test process would for each command that a test types.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import typer.main
import typer.testing

from weft.cli.main import app

_make = typer.main.get_command


@cache
def _program() -> Any:
    return _make(app)


def _get_command(asked: typer.Typer) -> Any:
    return _program() if asked is app else _make(asked)


def make_commands_once() -> None:
    """In this process, whoever asks for them."""
    for module in (typer.main, typer.testing):
        name = "get_command" if module is typer.main else "_get_command"
        setattr(module, name, _get_command)
