"""A stream in both directions: a note says if one is slower than the other."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import synthetic_record, usual_times_ns
from weft.analysis.summary import summarise
from weft.plan.case import Case

THERE = Case(test="stream", transport="tcp", bytes=65536)
BACK = msgspec.structs.replace(THERE, direction="back")


@pytest.mark.parametrize(
    ("factor", "note"),
    [
        (10.0, "directions differ: {} from rank 1 to rank 0 is slower than {} from rank 0"),
        (0.5, "directions differ: {} from rank 1 to rank 0 is faster than {} from rank 0"),
        (1.0, ""),
        # Launches differ by as much.
        (1.002, ""),
    ],
)
def test_a_note_says_which_direction_is_slower(tmp_path: Path, factor: float, note: str) -> None:
    def times(case: Case, launch: int) -> list[float]:
        return [t * (factor if case.direction else 1.0) for t in usual_times_ns(case, launch)]

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", (THERE, BACK), times_ns=times))
    there, back = summarise(run)
    assert not any("direction" in flag for flag in there.flags)
    found = [flag for flag in back.flags if flag.startswith("directions differ")]
    assert len(found) == bool(note)
    if found:
        before, middle, after = note.split("{}")
        assert found[0].startswith(before)
        assert middle in found[0]
        assert found[0].endswith(after + " to rank 1")


@pytest.mark.parametrize(("launches", "is_noted"), [(1, False), (4, False), (5, True)])
def test_few_launches_show_no_difference(tmp_path: Path, launches: int, is_noted: bool) -> None:
    def times(case: Case, launch: int) -> list[float]:
        return [t * (10 if case.direction else 1) for t in usual_times_ns(case, launch)]

    options = {"times_ns": times, "launches": launches}
    path = synthetic_record(tmp_path / "r.jsonl", (THERE, BACK), **options)  # type: ignore[arg-type]
    _, back = summarise(weft.load(path))
    assert any("directions" in flag for flag in back.flags) == is_noted
