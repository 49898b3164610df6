"""The folders of launches: which are removed by whom."""

import os
import time
from pathlib import Path

import pytest

from weft.launch import left_behind
from weft.launch.left_behind import PREFIX, LaunchFiles, remove_left


def make_old(path: Path) -> None:
    hour_ago = time.time() - 3600
    os.utime(path, (hour_ago, hour_ago))


def test_a_launch_removes_its_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    monkeypatch.setattr(left_behind, "SHARED_MEMORY", tmp_path / "s")
    for name in ("t", "s"):
        (tmp_path / name).mkdir()
    files = LaunchFiles()
    variables = files.environment()
    folders = [*(tmp_path / "t").iterdir(), *(tmp_path / "s").iterdir()]
    assert str(folders[1]) == variables["OMPI_MCA_btl_vader_backing_directory"]
    (folders[0] / "deep").mkdir()
    (folders[0] / "deep" / "file").write_text("left")
    files.remove()
    assert not any(folder.exists() for folder in folders)


def test_the_next_launch_removes_those_of_killed_ones_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "SHARED_MEMORY", tmp_path)
    running, young, killed = LaunchFiles(), tmp_path / f"{PREFIX}young", tmp_path / f"{PREFIX}dead"
    held = running.folder(tmp_path)
    assert held is not None
    young.mkdir()
    killed.mkdir()
    (killed / "ranks").write_text("17 18")
    file, link, other = tmp_path / "other", tmp_path / f"{PREFIX}link", tmp_path / "elsewhere"
    other.mkdir()
    link.symlink_to(other)
    for name in ("17:0:fi", "170:0:fi", "other"):
        (tmp_path / name).write_text("")
    for path in (held, killed, file):
        make_old(path)
    remove_left([tmp_path])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {held.name, young.name, "170:0:fi", "other", link.name, "elsewhere"}
    running.remove()


def test_a_folder_that_cannot_be_made_changes_no_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    monkeypatch.setattr(left_behind, "SHARED_MEMORY", tmp_path / "none")
    assert LaunchFiles().environment() == {}
