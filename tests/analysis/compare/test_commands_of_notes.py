"""Which records the notes below a comparison say to measure again."""

from pathlib import Path

import pytest

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from weft.analysis.compare.notes import WithoutVerdict, notes_of
from weft.analysis.compare.sides import Side, side_of_run, side_of_runs
from weft.analysis.stats.needed import Needed
from weft.analysis.summary import summarise
from weft.plan.case import Case


def sides_of(folder: Path) -> tuple[Side, Side]:
    """A side of the records "old" and "new", and one of the record "other"."""
    (case,) = make_cases(("ping_pong",), ("tcp",), (8,))

    def record(name: str, factor: float) -> weft.Run:
        def times_ns(_: Case, launch: int) -> list[float]:
            return [factor * time for time in usual_times_ns(case, launch)]

        path = folder / f"{name}.jsonl"
        return weft.load(synthetic_record(path, (case,), launches=5, times_ns=times_ns))

    old, new, other = (
        record(name, 1 + at / 100) for at, name in enumerate(("old", "new", "other"))
    )
    return side_of_runs([old, new], "a"), side_of_run(other, summarise(other), "b")


def commands(folder: Path, names: tuple[str, ...]) -> str:
    return " and ".join(f"weft run --again {folder / name}.jsonl" for name in names)


def test_a_further_session_is_that_of_the_newest_record_of_a_side(tmp_path: Path) -> None:
    *_, line = [note for note in notes_of(sides_of(tmp_path), ()) if "another session" in note]
    again = commands(tmp_path, ("new", "other"))
    assert line == (
        f"for another session, run at another time {again}, and give all records of a side"
    )


@pytest.mark.parametrize("at", [0, 1])
def test_what_would_tell_is_of_the_newest_record_of_each_side(tmp_path: Path, at: int) -> None:
    """Turned round too: the record of several is the first side, or the other one."""
    sides = sides_of(tmp_path)
    first, other = sides[at], sides[1 - at]
    needed = (Needed(unit="session", count=4, difference=0.05),)
    [line, *others] = notes_of((first, other), (), [WithoutVerdict(other, 1, needed)])
    assert commands(tmp_path, ("new", "other") if at == 0 else ("other", "new")) in line
    assert not any("--again" in note for note in others)
