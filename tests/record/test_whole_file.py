"""A file is written beside its target, wherever the path of the working folder leads."""

import errno
import os
from pathlib import Path

import pytest

from weft.whole_file import whole_file, why


def test_a_name_without_folder_is_written_where_the_program_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a host with mounts of its own the path of the working folder is another file system."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(os, "getcwd", lambda: str(elsewhere))
    monkeypatch.setattr(Path, "cwd", lambda: elsewhere)
    with whole_file(Path("m.jsonl.zst")) as file:
        file.write(b"whole")
        [partial] = here.iterdir()
        assert partial.name.startswith(".m.jsonl.zst.")
    assert [one.name for one in here.iterdir()] == ["m.jsonl.zst"]
    assert (here / "m.jsonl.zst").read_bytes() == b"whole"


def test_what_fails_leaves_the_older_file(tmp_path: Path) -> None:
    target = tmp_path / "m"
    target.write_text("older")
    with pytest.raises(TypeError), whole_file(target) as file:
        file.write("no bytes")  # type: ignore[call-overload]
    assert [one.name for one in tmp_path.iterdir()] == ["m"]
    assert target.read_text() == "older"


def test_a_file_is_for_those_that_the_older_one_was_for_or_that_any_new_one_is(
    tmp_path: Path,
) -> None:
    older, new = tmp_path / "older", tmp_path / "new"
    older.write_text("x")
    older.chmod(0o640)
    mask = os.umask(0o027)
    try:
        for path in (older, new):
            with whole_file(path) as file:
                file.write(b"y")
        # The mask is as it was.
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(mask)
    assert [path.stat().st_mode & 0o7777 for path in (older, new)] == [0o640, 0o640]
    assert older.read_text() == "y"
    older.chmod(0o604)
    with whole_file(older) as file:
        file.write(b"z")
    assert older.stat().st_mode & 0o7777 == 0o604


def test_a_name_of_any_length_is_written(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    with whole_file(target) as file:
        file.write(b"long")
        [partial] = tmp_path.iterdir()
        assert partial.name.startswith(f".{'n' * 60}.")
        assert partial.stat().st_mode & 0o777 == 0o600
    assert target.read_bytes() == b"long"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk quota is used up"),
        (errno.EFBIG, "the file may not grow further (ulimit -f)"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_why_a_file_was_not_written_is_said_in_words(number: int, words: str) -> None:
    assert why(OSError(number, os.strerror(number))) == words


def test_an_error_without_a_number_says_what_it_has() -> None:
    assert why(OSError("odd")) == "odd"
