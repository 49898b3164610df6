"""What a side says of itself: the days of all of its records, and cases that have no figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

import weft
from support.builders import (
    lost_batch,
    make_batch,
    make_cases,
    make_footer,
    make_header,
    make_launch,
    synthetic_record,
    write_lines,
)
from support.nights import night
from weft.analysis.compare.compared_rows import compared_figures, outcomes_of
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.sides import side_of_runs
from weft.errors import WeftError
from weft.sources.sides import load_sides

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.model import Line


def test_several_records_were_measured_from_their_first_day_to_their_last(tmp_path: Path) -> None:
    """Of records of half a year the day of the first stood among the unlike conditions."""
    one, *several = (str(night(tmp_path, number).path) for number in (1, 2, 5, 9))
    found = compare(load_sides([one, ",".join(several)]))
    first, other = found.unlike["measured"]
    assert len(first) == len("2026-11-02")
    assert other == "2026-11-03 to 2026-11-10"


def test_a_case_that_was_not_tried_is_said_to_be_so_in_words(tmp_path: Path) -> None:
    cases = make_cases(["ping_pong"], ["tcp"], [8, 64])
    path = tmp_path / "cut.jsonl"
    lines: list[Line] = [make_header(cases)]
    lines += [make_launch(number, "tcp") for number in range(2)]
    lines += [make_batch(cases[0], launch, launch, [500.0] * 9) for launch in range(2)]
    write_lines(path, [*lines, make_footer(2, "budget")])
    whole = str(night(tmp_path, 1, cases=cases).path)
    notes = compare(load_sides([whole, str(path)])).notes
    assert any(
        "cut: skipped: tcp/ping_pong/64: not tried: the budget ended" in note for note in notes
    )


def test_a_side_that_lacks_a_size_is_judged_by_those_that_it_has(tmp_path: Path) -> None:
    sizes = {"a": (8, 64), "b": (8, 1024), "c": (8, 64)}
    runs = [
        weft.load(
            synthetic_record(tmp_path / f"{name}.jsonl", make_cases(("ping_pong",), ("tcp",), own))
        )
        for name, own in sizes.items()
    ]
    found = compare(load_sides(runs))
    assert [one.speed for one in compared_figures(found) if (one.side, one.bytes) == (1, 64)] == [
        None,
        None,
    ]
    assert [one.sentence for one in outcomes_of(found)] == [
        (
            "b against a, of 2 figures: the same here 2, same within 2 % 0."
            " here: in these runs, whatever other days bring."
        ),
        (
            "c against a, of 4 figures: the same here 4, same within 2 % 0."
            " here: in these runs, whatever other days bring."
        ),
    ]


def test_a_case_that_failed_in_one_of_several_records_has_no_figure_there(tmp_path: Path) -> None:
    """Not even of the launches that went well: its side says that it is left out, and why."""
    cases = make_cases(["ping_pong"], ["tcp"], [8, 64])
    bad = lost_batch(cases[1], 1, 99, "failed", "wrong byte")
    runs = [night(tmp_path, 1, cases=cases), night(tmp_path, 2, cases=cases, more=[bad])]
    side = side_of_runs(runs, "both")
    assert {size for curve in side.curves.values() for size in curve} == {8}
    [left_out] = side.left_out
    assert left_out.startswith("tcp/ping_pong/64: ")
    assert "wrong byte" in left_out


def test_of_several_tests_in_common_the_first_of_the_first_side_is_named(tmp_path: Path) -> None:
    sides = []
    for name, tests, single in (("a", ("stream", "ping_pong"), True),
                                ("b", ("ping_pong", "stream"), False)):  # fmt: skip
        cases = tuple(
            msgspec.structs.replace(case, single=single)
            for case in make_cases(tests, ("tcp",), (8,))
        )
        sides.append(weft.load(synthetic_record(tmp_path / f"{name}.jsonl", cases)))
    for order, test in ((sides, "stream"), (sides[::-1], "ping_pong")):
        with pytest.raises(WeftError, match=f"the sides have {test} in common but in no variant"):
            compare(load_sides(order))
