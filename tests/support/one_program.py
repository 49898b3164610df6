"""The program's commands and their options, made once for all tests of a process.

A user's process makes them once too; a test process would for each command that a test types.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import typer._adapters
import typer.main
import typer.testing

from weft.cli.main import app

_make = typer.main.get_command
_adapter = typer._adapters.try_build_adapter


@cache
def _program() -> Any:
    return _make(app)


def _get_command(asked: typer.Typer) -> Any:
    return _program() if asked is app else _make(asked)


class _Asked:
    """What an option is to be: the same where it is the same object, which is kept so."""

    def __init__(self, annotation: Any, info: Any) -> None:
        self.annotation, self.info = annotation, info

    def __hash__(self) -> int:
        return id(self.info)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Asked):
            return NotImplemented
        return self.info is other.info and self.annotation == other.annotation


@cache
def _made(asked: _Asked) -> Any:
    return _adapter(asked.annotation, asked.info)


def _try_build_adapter(annotation: Any, parameter_info: Any) -> Any:
    return _made(_Asked(annotation, parameter_info))


def make_commands_once() -> None:
    """In this process, whoever asks for them."""
    typer._adapters.try_build_adapter = _try_build_adapter
    for module in (typer.main, typer.testing):
        name = "get_command" if module is typer.main else "_get_command"
        setattr(module, name, _get_command)
