"""What makes cases alike: the key, the variant, and the case but for some axes."""

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.builders import make_footer, synthetic_record
from support.records_of_any_kind import any_case, neighbours
from weft.plan.case import Case, CaseAxis, Schedule
from weft.record.reader import read

AXES = get_args(CaseAxis)


def test_an_axis_is_a_field_of_a_case() -> None:
    assert set(AXES) == set(Case.__struct_fields__)


@given(neighbours())
def test_unlike_cases_have_unlike_keys(cases: list[Case]) -> None:
    assert len({case.key for case in cases}) == len(cases)
    assert len({(c.test, c.transport, c.bytes, c.variant) for c in cases}) == len(cases)


@given(any_case(), any_case(), st.sets(st.sampled_from(AXES)))
def test_but_for_axes_those_are_alike_that_differ_in_nothing_else(
    one: Case, other: Case, axes: set[CaseAxis]
) -> None:
    moved = msgspec.structs.replace(one, **{axis: getattr(other, axis) for axis in axes})
    assert moved.but_for(*axes) == one.but_for(*axes)
    differs = any(getattr(one, a) != getattr(other, a) for a in AXES if a not in axes)
    assert (one.but_for(*axes) != other.but_for(*axes)) == differs


def without_ranks(path: Path) -> None:
    """Write a record's keys as they were before they had the ranks."""
    lines = []
    for text in path.read_text().splitlines():
        line = json.loads(text)
        if line["kind"] == "batch":
            line["case"] = line["case"].replace("/4ranks", "")
        if line["kind"] == "footer":
            line["unsettled"] = [key.replace("/4ranks", "") for key in line["unsettled"]]
        lines.append(json.dumps(line) + "\n")
    path.write_text("".join(lines))


def test_a_record_with_keys_without_ranks_is_read_as_ever(tmp_path: Path) -> None:
    cases = tuple(
        Case(test=test, transport="tcp", bytes=8, ranks=4) for test in ("ping_pong", "stream")
    )
    path = synthetic_record(
        tmp_path / "r.jsonl",
        cases,
        more=[make_footer(12, "budget", [cases[0].key])],
        finished=False,
    )
    now = read(path)
    without_ranks(path)
    assert "4ranks" not in path.read_text()
    assert read(path) == now
    assert {batch.case for batch in now.batches} == {
        "tcp/ping_pong/8/4ranks",
        "tcp/stream/8/4ranks",
    }


def test_two_and_four_ranks_are_two_cases_of_one_record(tmp_path: Path) -> None:
    cases = tuple(Case(test="ping_pong", transport="tcp", bytes=8, ranks=n) for n in (2, 4))
    lines = read(synthetic_record(tmp_path / "r.jsonl", cases))
    measured = [batch.case for batch in lines.batches if batch.role == "measure"]
    assert sorted(measured) == sorted([case.key for case in cases] * 5)


@pytest.mark.parametrize(
    ("schedule", "receives", "slots", "places", "is_repeated", "most"),
    [
        (Schedule(), 1, (1, 1), 2, True, None),
        (Schedule(), 5, (1, 5), 6, True, None),
        (Schedule(kind="shared"), 5, (1, 1), 2, True, None),
        (Schedule(kind="turn", count=4), 1, (4, 4), 8, False, None),
        (Schedule(kind="turn", count=4), 5, (4, 8), 12, False, None),
        (Schedule(kind="reuse", count=30, reuse_percent=0), 5, (31, 35), 60, False, 30),
        (Schedule(kind="reuse", count=30, reuse_percent=75), 1, (31, 31), 240, False, 120),
        (Schedule(kind="reuse", count=30, reuse_percent=100), 5, (1, 5), 6, False, None),
    ],
)
def test_each_way_to_take_buffers_has_as_many_as_the_engine(
    schedule: Schedule,
    receives: int,
    slots: tuple[int, int],
    places: int,
    is_repeated: bool,
    most: int | None,
) -> None:
    """Of messages of which three quarters share one buffer, 30 others are enough for 120."""
    assert schedule.slots(receives) == slots
    assert schedule.places(receives) == places
    assert schedule.is_repeated is is_repeated
    assert schedule.most_messages == most
