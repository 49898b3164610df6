"""The drawn session of the README is of the commands as they are: form of the one, words of all."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.typed import request_of_command

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def recorder() -> ModuleType:
    path = ROOT / "scripts" / "record_session.py"
    spec = importlib.util.spec_from_file_location("record_session", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(recorder: ModuleType) -> dict[str, list[str]]:
    """What the stored drawing shows under each of the session's commands."""
    text = "\n".join(recorder.lines_of(recorder.SESSION.read_text()))
    found: dict[str, list[str]] = {}
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        # A long command is broken at a blank.
        words = re.match(r"\s+".join(map(re.escape, command_of(recorder, part).split())), part)
        assert words
        found[command_of(recorder, part)] = part[words.end() :].split("\n")[1:]
    return found


def command_of(recorder: ModuleType, part: str) -> str:
    plain = " ".join(part.split())
    return next(str(one) for one in recorder.COMMANDS if plain.startswith(one))


def test_what_is_the_same_everywhere_is_what_the_command_prints_today(
    recorder: ModuleType, tmp_path: Path
) -> None:
    shown = blocks(recorder)
    assert list(shown) == list(recorder.COMMANDS)
    for command in recorder.COMMANDS[1:]:
        drawn = recorder.drawing([(command, recorder.printed(command, tmp_path))])
        now = "\n".join(recorder.lines_of(drawn)).split("\n")[1:]
        assert [one for one in shown[command] if one] == [one for one in now if one]


def test_the_run_ends_as_runs_end_today(
    recorder: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    request = request_of_command(recorder.MEASURES, monkeypatch)
    lines = [one for one in blocks(recorder)[recorder.MEASURES] if one]
    # A row per size of both tests, the verdict, the next command and the files.
    assert lines[0] == "Latency (ping_pong)"
    assert lines[1].split() == ["size", *request.transports]
    assert [line.split()[:2] for line in lines[2:4]] == [["8", "B"], ["1", "MiB"]]
    assert lines[4] == "Bandwidth (stream)"
    assert re.match(r"(Settled|Not settled)\. ", lines[8])
    assert lines[-2:] == [
        "details: the report, --verbose or weft show run.jsonl", "record: run.jsonl",
    ] or {one.split(":")[0] for one in lines[-3:]} == {"details", "report", "record"}  # fmt: skip


def test_no_line_is_wider_than_the_terminal_and_nothing_is_fetched(recorder: ModuleType) -> None:
    text = recorder.SESSION.read_text()
    assert max(map(len, recorder.lines_of(text))) <= recorder.WIDTH
    assert not re.search(r"url\((?!#)|<script|@import", text)
    assert "images/session.svg" in (ROOT / "docs" / "index.md").read_text()


def test_the_readme_shows_a_run_as_it_was_recorded(recorder: ModuleType) -> None:
    [shown] = re.findall(r"```console\n\$ (.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    command, *output = shown.splitlines()
    assert command == recorder.MEASURES
    recorded = [line for line in blocks(recorder)[command] if line]
    assert recorded[: len(output)] == output
    assert len(output) >= 3


def test_a_drawing_keeps_columns_and_colours(recorder: ModuleType) -> None:
    drawn = recorder.drawing([("weft x", "\x1b[1ma\x1b[0m    b\n  c")])
    assert list(recorder.lines_of(drawn)) == ["$ weft x", "a    b", "  c"]
