"""The manual page, the groups of the help, and what a shell is told of a word that goes on."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from weft.cli.list_ import LISTS
from weft.cli.main import COMMANDS, app
from weft.cli.manual import manual

PROGRAM = typer.main.get_command(app)


def test_the_manual_has_every_command_with_every_option() -> None:
    page = manual(app)
    sections = dict(re.findall(r"^\.SS (.+)\n((?:(?!\.S[SH]).*\n)*)", page, re.MULTILINE))
    names = {*PROGRAM.commands} - {"slurm"}  # type: ignore[attr-defined]
    assert set(sections) == names | {"slurm script"}
    for name, text in sections.items():
        command = PROGRAM
        for word in name.split():
            command = command.commands[word]  # type: ignore[attr-defined]
        for param in command.params:
            word = param.opts[0] if param.opts[0].startswith("-") else (param.name or "").upper()
            assert word.replace("-", "\\-") in text, (name, word)


def test_no_word_of_the_manual_is_taken_for_a_request() -> None:
    """Only these begin a line with a dot."""
    requests = {line.split()[0] for line in manual(app).splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP"}


def test_every_command_of_the_help_is_in_a_group() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    places = [shown.index(f" {title} ") for title in COMMANDS]
    assert places == sorted(places)
    assert " Commands " not in shown


@pytest.mark.parametrize(
    ("typed", "goes_on"),
    [("weft pre", "predict"), ("weft run --prec", "--precision"), ("weft slurm s", "script")],
)
def test_a_shell_completes_commands_and_options(typed: str, goes_on: str) -> None:
    asked = {
        "_WEFT_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = CliRunner().invoke(app, env=asked, prog_name="weft")
    assert done.output.split() == [goes_on]


def test_list_alone_says_what_can_be_listed() -> None:
    lines = CliRunner().invoke(app, ["list"]).output.splitlines()
    assert [line.split()[0] for line in lines] == list(LISTS)
    for name in LISTS:
        assert CliRunner().invoke(app, ["list", name]).exit_code == 0
