"""An error that nobody expected: one line, a file with its traceback, and a status of its own."""

import gc
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.cli import unexpected
from weft.cli.main import main

Ended = tuple[int, str]


@pytest.fixture
def end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Callable[[BaseException], Ended]:
    """How `weft show` ends where reading a record raises this."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(gc, "freeze", lambda: None)

    def run(error: BaseException) -> Ended:
        def fail(_: object) -> None:
            raise error

        monkeypatch.setattr("weft.sources.records.load", fail)
        monkeypatch.setattr(sys, "argv", ["weft", "show", str(tmp_path / "a.jsonl")])
        (tmp_path / "a.jsonl").touch()
        with pytest.raises(SystemExit) as ended:
            main()
        out, errors = capfd.readouterr()
        assert not out
        return int(ended.value.code or 0), errors

    return run


def named_file(errors: str) -> Path:
    [line] = [line for line in errors.splitlines() if line]
    found = re.fullmatch(r"weft: internal error, .*; report it with the traceback in (\S+)", line)
    assert found, line
    return Path(found[1])


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("float division by zero"),
        OverflowError("math range error"),
        MemoryError(),
        OSError(13, "Permission denied", "a file"),
        EOFError(),
        KeyError("a\nb"),
    ],
)
def test_it_is_one_line_with_status_70_and_a_file(
    end: Callable[[BaseException], Ended], tmp_path: Path, error: Exception
) -> None:
    status, errors = end(error)
    assert status == 70
    path = named_file(errors)
    assert path.parent == tmp_path / "state" / "weft"
    text = path.read_text()
    assert type(error).__name__ in errors
    assert text.rstrip().splitlines()[-1].startswith(type(error).__name__)
    assert "Traceback (most recent call last)" in text
    assert str(tmp_path / "a.jsonl") in text
    # What was typed is nobody else's.
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_interrupt_is_none(end: Callable[[BaseException], Ended], tmp_path: Path) -> None:
    status, errors = end(KeyboardInterrupt())
    assert status == 130
    assert "internal error" not in errors
    assert not (tmp_path / "state").exists()


def test_a_long_traceback_is_cut_at_its_beginning(
    end: Callable[[BaseException], Ended], tmp_path: Path
) -> None:
    status, errors = end(ValueError("x" * 1_000_000 + " the end"))
    assert status == 70
    assert len(errors) < 600
    path = named_file(errors)
    assert path.stat().st_size <= unexpected.MOST_BYTES
    assert path.read_text().endswith("the end\n")
    assert str(tmp_path / "a.jsonl") in path.read_text()


def test_only_the_newest_files_stay(
    end: Callable[[BaseException], Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unexpected, "MOST_FILES", 3)
    folder = tmp_path / "state" / "weft"
    folder.mkdir(parents=True)
    (folder / "weft-notes.txt").touch()
    for age in range(5):
        old = folder / f"weft-error-{age}.txt"
        old.touch()
        os.utime(old, ns=(10**9 * age, 10**9 * age))
    _, errors = end(ValueError())
    left = {path.name for path in folder.iterdir()}
    assert left == {
        "weft-notes.txt",
        "weft-error-3.txt",
        "weft-error-4.txt",
        named_file(errors).name,
    }


def test_a_folder_that_is_not_writable_has_a_next_one(
    end: Callable[[BaseException], Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").touch()  # no folder
    monkeypatch.setenv("HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    status, errors = end(ValueError("a reason"))
    assert status == 70
    assert named_file(errors).parent == tmp_path / "other"


def test_where_nothing_is_writable_the_line_says_so(
    end: Callable[[BaseException], Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unexpected, "_folders", lambda: [Path("/proc/nowhere")])
    status, errors = end(ValueError("a reason"))
    assert status == 70
    assert errors == (
        "weft: internal error, ValueError: a reason; no folder is writable for its traceback: set"
        " TMPDIR\n"
    )
