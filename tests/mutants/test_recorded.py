"""Which lines and branches tests run, of what was recorded of them, as the sources are now."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from mutants import reached
from mutants.reached import opened, sha_of
from mutants.recorded import files_recorded, ways_run

if TYPE_CHECKING:
    from mutants.tree import Copy

PATH = "src/weft/a/thing.py"
SOURCE = """import typing

if typing.TYPE_CHECKING:
    import os


def grow(size: int) -> int:
    if size > 3:
        size += 1
    for _ in range(size):
        size -= 1
    return size
"""
# What importing runs, a call with 0, and one with 4.
IMPORTED = [[-1, 1], [1, 3], [3, 7], [7, -1]]
SMALL = [[-7, 8], [8, 10], [10, 12], [12, -7]]
LARGE = [[-7, 8], [8, 9], [9, 10], [10, 11], [11, 10], [10, 12], [12, -7]]


def recorded(store: Path, text: str, **by_file: list[list[int]]) -> None:
    with opened(store) as known:
        known.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (sha_of(text), text))
        for file, ways in by_file.items():
            row = (PATH, sha_of(text), file, json.dumps(ways))
            known.execute("INSERT INTO ways VALUES (?, ?, ?, ?)", row)


def test_a_way_is_gone_by_any_test_and_where_it_stands_now(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    recorded(store, SOURCE, imported=IMPORTED, small=SMALL)
    gone = {(-1, 1), (1, 3), (3, 7), (7, -1), (-7, 8), (8, 10), (10, 12), (12, -7)}
    assert ways_run(store, PATH, SOURCE) == gone
    assert ways_run(store, "src/weft/a/other.py", SOURCE) == set()
    moved = SOURCE.replace("def grow", "# A line more.\ndef grow")
    later = {(-8, 9), (9, 11), (11, 13), (13, -8), (-1, 1), (1, 3), (3, 8), (8, -1)}
    assert ways_run(store, PATH, moved) == later
    # What was written since nobody ran.
    new = SOURCE.replace("return size", "return size + 1")
    assert ways_run(store, PATH, new) == gone - {(10, 12), (12, -7)}


def test_each_source_has_its_lines_and_branches_and_those_that_were_run(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    store = tmp_path / "store.sqlite"
    for name in ("thing.py", "other.py"):
        path = tmp_path / "src" / "weft" / "a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE)
    other = ("src/weft/a/other.py", (7, 0, 4, 0))
    recorded(store, SOURCE, imported=IMPORTED, small=SMALL)
    found = files_recorded(store, tmp_path, tmp_path / "traced")
    assert sorted(found) == [other, (PATH, (7, 5, 4, 2))]
    recorded(store, SOURCE, large=LARGE)
    found = files_recorded(store, tmp_path, tmp_path / "traced")
    assert sorted(found) == [other, (PATH, (7, 7, 4, 4))]


def test_a_recording_that_was_interrupted_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in no folder are first; of what was interrupted a piece is run again."""
    files = ("b/deep/test_e.py", "a/test_d.py", "test_c.py", "test_b.py", "b/test_a.py")
    for file in files:
        path = tmp_path / "tests" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    store, run = tmp_path / "store.sqlite", list[str]()
    monkeypatch.setattr(reached, "FILES_OF_A_PIECE", 2)
    copy = cast("Copy", SimpleNamespace(tree=tmp_path))

    def traced(_: object, __: Path, piece: Sequence[str], ___: int) -> str:
        run.extend(piece)
        if len(run) == 4:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr(reached, "_run_traced", traced)
    with pytest.raises(KeyboardInterrupt):
        reached.look(copy, store, ["tests"])
    first, second, third = (
        ["tests/test_b.py", "tests/test_c.py"],
        ["tests/a/test_d.py", "tests/b/test_a.py"],
        ["tests/b/deep/test_e.py"],
    )
    assert run == [*first, *second]
    assert reached.look(copy, store, ["tests"]) == ""
    assert run == [*first, *second, *second, *third]
    assert reached.look(copy, store, ["tests"]) == ""
    assert len(run) == 7
