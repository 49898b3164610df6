"""A file is written beside its target, wherever the path of the working folder leads."""

import os
from pathlib import Path

import pytest

from weft.whole_file import whole_file


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
