"""A case's place on the axis of its test has plain words wherever a reader sees it."""

import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from support.builders import make_cases, synthetic_record
from weft.analysis.summary import summarise
from weft.plan.pattern import Axis
from weft.record.run import load
from weft.wording import over


@pytest.mark.parametrize(
    ("axis", "point", "words"),
    [
        (Axis(name="peers"), 1, "1 peer"),
        (Axis(name="peers"), 7, "7 peers"),
        (Axis(name="work", unit="%"), 200, "work 200 %"),
        (Axis(name="round"), 0, "round 0"),
        (Axis(name="peers"), None, ""),
        (Axis(), 3, "point 3"),
    ],
)
def test_a_point_is_what_the_axis_says(axis: Axis, point: int | None, words: str) -> None:
    assert axis.at(point) == words


@pytest.mark.parametrize(
    ("variant", "point", "words"),
    [
        ("4ranks/q16/spin/at2", "2 peers", "tcp, 4 ranks, q16/spin, 2 peers"),
        ("at100", "", "tcp, point 100"),
        ("2at_once", "", "tcp 2at_once"),
        ("q16/spin", "", "tcp q16/spin"),
        ("", "", "tcp"),
    ],
)
def test_a_label_says_what_a_point_is(variant: str, point: str, words: str) -> None:
    assert over("tcp", variant, point) == words


def test_a_record_says_what_its_points_are() -> None:
    bare = make_cases(["hot_spot_send"], ["tcp"], [8])
    cases = tuple(replace(one, point=at, ranks=4) for one in bare for at in (1, 2))
    with tempfile.TemporaryDirectory() as folder:
        run = load(synthetic_record(Path(folder) / "r.jsonl", cases))
        known = {name: replace(one, axis=Axis(name="peers")) for name, one in run.patterns.items()}
        vars(run)["patterns"] = known
        summaries = summarise(run)
    assert [one.measured_over for one in summaries] == [
        "tcp, 4 ranks, 1 peer",
        "tcp, 4 ranks, 2 peers",
    ]
