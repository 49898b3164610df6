"""The help of an option says its default once, and what a nought stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import typer

from weft.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator


def options(command: Any, name: str = "weft") -> Iterator[tuple[str, Any]]:
    """All options of a command and of those below it, by how they are typed."""
    for word, below in getattr(command, "commands", {}).items():
        yield from options(below, f"{name} {word}")
    for param in command.params:
        if param.param_type_name == "option":
            yield f"{name} {param.opts[0]}", param


ALL = dict(options(typer.main.get_command(app)))


def test_all_commands_are_looked_at() -> None:
    assert {"weft run --budget", "weft figure --height", "weft map --rounds"} <= set(ALL)


def is_shown(option: Any) -> bool:
    return bool(option.show_default) and option.default not in (None, "", ()) and not option.is_flag


@pytest.mark.parametrize("typed", ALL)
def test_a_default_is_said_once(typed: str) -> None:
    """ "Default: mpi. [default: mpi]", and "Default: from the width. [default: 0.0]"."""
    option = ALL[typed]
    if is_shown(option):
        assert "Default" not in (option.help or "")


@pytest.mark.parametrize("typed", ALL)
def test_a_nought_that_is_shown_is_explained(typed: str) -> None:
    option = ALL[typed]
    if is_shown(option) and option.default == 0:
        assert " 0: " in (option.help or "")
