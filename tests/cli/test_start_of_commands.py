"""Imports and options of a command before its work, for which its user waits."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from support.in_process import weft_here
from weft.cli.program import program_of, whole_program

RECORD = Path(__file__).parents[2] / "schemas" / "examples" / "record-1.jsonl"
WHOLE: Any = typer.main.get_command(whole_program())


@pytest.mark.parametrize("name", WHOLE.commands)
def test_a_command_built_alone_has_the_options_that_it_has_in_the_whole_program(name: str) -> None:
    alone: Any = typer.main.get_command(program_of([name, "--help"]))
    assert name in alone.commands
    assert name == "slurm" or len(alone.commands) == 1
    of_whole, of_alone = (
        [(one.name, one.opts, one.default, one.help) for one in program.commands[name].params]
        for program in (WHOLE, alone)
    )
    assert of_alone == of_whole


@pytest.mark.parametrize("words", [[], ["--help"], ["shwo", "show"], ["--version", "show"]])
def test_other_words_get_the_program_with_all_commands(words: Sequence[str]) -> None:
    assert program_of(words) is whole_program()


def test_the_version_needs_no_library() -> None:
    """The program prints it before it imports anything slow."""
    assert loaded_by("--version") & {"typer", "rich", "msgspec", "numpy"} == set()


def test_a_record_is_shown_without_the_other_commands_and_the_libraries_of_pages() -> None:
    loaded = loaded_by("show", str(RECORD))
    assert {name for name in loaded if name.startswith("weft.sources.peers")} == set()
    assert "weft.cli.run" not in loaded
    assert loaded & {"polars", "scipy", "matplotlib", "jinja2"} == set()


def loaded_by(*words: str) -> set[str]:
    """The modules that a command line imports, in a Python of its own."""
    program = (
        "import sys; from weft.cli.main import main\n"
        "try: main()\nfinally: print('\\nloaded', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return set(done.stdout.rpartition("\nloaded ")[2].split())


def test_a_name_that_is_nearly_one_of_theirs_still_has_it_named() -> None:
    done = weft_here(["shwo"], os.environ)
    assert done.returncode == 2
    assert re.search(r"'shwo'.*'show'", done.stderr)


def test_what_is_loaded_is_not_looked_through_for_what_nobody_needs_any_more() -> None:
    assert gc.get_threshold()[0] >= 50_000
