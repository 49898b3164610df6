"""What a message advises can be typed where a file's name has a blank: it is quoted for a shell."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record
from support.nights import night
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.errors import WeftError
from weft.names import as_typed
from weft.report.ending import render_ending
from weft.topics import results_of

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORD, LIMITS = "my record.jsonl", "my limits.toml"
CASES = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), (8, 64, 512))
# A command in a message, up to where its sentence goes on.
ADVISED = re.compile(r"weft [a-z]+ .+?(?=,| to (?:see|hold|make|simulate)|$)")
# What is typed, and what is typed then in place of a word in capitals.
REFUSED: tuple[tuple[str, ...], ...] = (
    ("trend", RECORD, "--against", RECORD),
    ("export", RECORD, "--table", "scaling", "--latex", "made.tex"),
    ("show", RECORD, "other.jsonl"),
    ("run", "--platform", RECORD),
    ("signature", RECORD, "--test", "stream"),
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for day, name in enumerate((RECORD, "b.jsonl", "c.jsonl")):
        night(tmp_path, day, cases=CASES).path.rename(name)


def typed(words: Sequence[str]) -> str:
    """What a command says, refused or not; nothing may be unread."""
    done = CliRunner().invoke(app, list(words))
    told = str(done.exception) if isinstance(done.exception, WeftError) else done.output
    assert "cannot read" not in told
    assert "is not there" not in told
    assert done.exit_code in (0, 1, 3) or isinstance(done.exception, WeftError), done.exception
    return told


def advised_in(text: str) -> list[list[str]]:
    """The commands that a text advises, as a shell reads their words."""
    commands = [shlex.split(one[0]) for one in ADVISED.finditer(text)]
    return [[word.replace("RECORD", RECORD) for word in one[1:]] for one in commands]


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: " ".join(words[:1]))
def test_what_a_refusal_advises_is_typed(words: tuple[str, ...]) -> None:
    told = typed(words)
    commands = advised_in(told)
    assert commands, told
    for command in commands:
        assert any(RECORD in word for word in command), told
        typed(command)


def test_an_option_of_a_whole_record_is_quoted_too() -> None:
    assert typed(("run", "--resume", f"{RECORD}@tcp")).endswith("use --resume 'my record.jsonl'")


def test_limits_say_how_to_check_with_them() -> None:
    told = typed(("check", "--make-limits", f"{RECORD},b.jsonl,c.jsonl", "-o", LIMITS))
    [command] = advised_in(told.partition("check with: ")[2].partition("\n")[0])
    assert command == ["check", RECORD, "--against", LIMITS]
    assert "pass" in typed(command)


def test_the_end_of_a_run_says_how_to_see_more() -> None:
    run = weft.load(synthetic_record(Path("its end.jsonl"), CASES))
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(*render_ending(results_of(run, summarise(run)), screen))
    [command] = advised_in(screen.export_text().partition("--verbose or ")[2].partition("\n")[0])
    assert command == ["show", "its end.jsonl"]
    typed(command)


def test_a_name_that_needs_no_quotes_has_none() -> None:
    assert as_typed(Path("runs/a-1.jsonl.zst")) == "runs/a-1.jsonl.zst"
    assert as_typed("it's") == "'it'\"'\"'s'"
