"""What a command loads and makes before it does its work, for which its user waits."""

import gc
import os
import re
from collections.abc import Sequence
from typing import Any

import pytest
import typer

from support.in_process import weft_here
from weft.cli.main import app

WHOLE: Any = typer.main.get_command(app)


@pytest.mark.parametrize("name", WHOLE.commands)
def test_a_command_that_is_made_alone_is_that_of_the_whole_program(name: str) -> None:
    alone: Any = typer.main.get_command(app.only([name, "--help"]))
    assert name in alone.commands
    assert name == "slurm" or len(alone.commands) == 1
    of_whole, of_alone = (
        [(one.name, one.opts, one.default, one.help) for one in program.commands[name].params]
        for program in (WHOLE, alone)
    )
    assert of_alone == of_whole


@pytest.mark.parametrize("words", [[], ["--help"], ["shwo", "show"], ["--version", "show"]])
def test_what_is_no_name_of_a_command_has_them_all(words: Sequence[str]) -> None:
    assert app.only(words) is app


def test_a_name_that_is_nearly_one_of_theirs_still_has_it_named() -> None:
    done = weft_here(["shwo"], os.environ)
    assert done.returncode == 2
    assert re.search(r"'shwo'.*'show'", done.stderr)


def test_what_is_loaded_is_not_looked_through_for_what_nobody_needs_any_more() -> None:
    assert gc.get_threshold()[0] >= 50_000
