"""The table of lines and branches that tests run, of what coverage and gcov say, and the page."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mutants.covered import (
    PAGE,
    ROOT,
    Covered,
    by_folder,
    dated,
    files_of_gcov,
    keep,
    kept,
    page_with,
    table_of,
    with_reasons,
)


def folder(name: str, *counts: int, why: str = "") -> Covered:
    lines, lines_run, branches, branches_run = counts
    return Covered(
        folder=name, lines=lines, lines_run=lines_run, branches=branches,
        branches_run=branches_run, why=why,
    )  # fmt: skip


def gcov(name: str, *lines: tuple[int, int, tuple[tuple[int, bool], ...]]) -> dict[str, Any]:
    told = [
        {
            "line_number": number, "count": count,
            "branches": [{"count": each, "throw": throw} for each, throw in branches],
        }
        for number, count, branches in lines
    ]  # fmt: skip
    return {"files": [{"file": name, "lines": told}], "current_working_directory": str(ROOT)}


def test_a_line_is_run_where_one_object_runs_it_and_exceptions_are_no_branches() -> None:
    told = [
        gcov("engine/run/a.hpp", (3, 0, ((0, False), (0, False))), (4, 1, ((1, False), (0, True)))),
        gcov("engine/run/a.hpp", (3, 2, ((2, False), (0, False))), (9, 0, ())),
        gcov("engine/tests/b.cpp", (1, 1, ())),
        gcov("/usr/include/c.h", (1, 1, ())),
    ]
    assert dict(files_of_gcov(told)) == {"engine/run/a.hpp": (3, 2, 3, 2)}


def test_files_are_counted_by_folder() -> None:
    files = [
        ("src/weft/sim/a.py", (10, 9, 4, 3)), ("src/weft/units.py", (5, 5, 0, 0)),
        ("src/weft/sim/b/c.py", (20, 20, 2, 2)), ("engine/run/a.hpp", (3, 2, 3, 2)),
    ]  # fmt: skip
    assert by_folder(files) == [
        folder("engine/run", 3, 2, 3, 2), folder("sim", 30, 29, 6, 5), folder("weft", 5, 5, 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("counts", "is_little"),
    [
        ((10, 9, 10, 9), False),
        ((10, 8, 10, 9), True),
        ((10, 9, 10, 8), True),
        ((1, 1, 0, 0), False),
    ],
)
def test_little_is_below_nine_tenths_of_either(
    counts: tuple[int, int, int, int], *, is_little: bool
) -> None:
    assert folder("sim", *counts).is_little is is_little


def test_a_reason_stays_as_long_as_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "covered.toml"
    path.touch()
    keep([folder("sim", 10, 5, 0, 0, why="it waits"), folder("cli", 10, 10, 4, 4)], path)
    now = [folder("sim", 10, 6, 0, 0), folder("host", 10, 1, 0, 0)]
    keep(with_reasons(now, kept(path)), path)
    assert [(one.folder, one.lines_run, one.why) for one in kept(path)] == [
        ("cli", 10, ""), ("host", 1, ""), ("sim", 6, "it waits"),
    ]  # fmt: skip
    [sim] = with_reasons([folder("sim", 10, 10, 0, 0)], kept(path))
    assert sim.why == ""
    assert table_of(kept(path))[2:] == [
        "| cli | 10 | 100.0% | 4 | 100.0% |  |  |",
        "| host | 10 | 10.0% | 0 | - |  |  |",
        "| sim | 10 | 60.0% | 0 | - |  | it waits |",
    ]


def test_the_gate_prints_what_is_kept_with_its_day(tmp_path: Path) -> None:
    path = tmp_path / "covered.toml"
    path.touch()
    found = dated([folder("cli", 10, 10, 4, 3), folder("sim", 8, 6, 0, 0)], "2026-11-26")
    keep(found, path)
    words = [ROOT / "scripts" / "list-covered", path]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert [line.split() for line in done.stdout.splitlines()[1:]] == [
        ["cli", "lines", "100.0", "%", "branches", "75.0", "%", "2026-11-26"],
        ["sim", "lines", "75.0", "%", "branches", "not", "counted", "2026-11-26"],
    ]


def test_the_page_has_what_was_found_and_each_reason() -> None:
    text = PAGE.read_text()
    assert text == page_with(text, kept())
    assert [one.folder for one in kept() if one.is_little and not one.why] == []
