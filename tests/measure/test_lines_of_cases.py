"""The line of a case, as rank 0 reads it: no two of its values are alike."""

from weft.measure.lines import case_line
from weft.measure.stopping import Amount
from weft.plan.case import Case, Schedule

CASE = Case(
    test="offered_load", transport="tcp", bytes=4099, queue_depth=37, wait="block", pages="huge",
    schedule=Schedule(kind="reuse", count=11, reuse_percent=30), point=85, at_once=3,
)  # fmt: skip
CHOSEN = Amount(samples=23, warmup=5, ops_per_sample=17, queue_depth=3)


def test_every_value_stands_under_its_own_name() -> None:
    assert case_line(CASE, 41, CHOSEN, 1234567, verify=True, most_checked=7, keep_all=False) == {
        "id": 41,
        "test": "offered_load",
        "bytes": 4099,
        "samples": 23,
        "warmup": 5,
        "ops_per_sample": 17,
        "queue_depth": 3,
        "schedule": {"kind": "reuse", "count": 11, "reuse_percent": 30},
        "wait": "block",
        "pages": "huge",
        "point": 85,
        "at_once": 3,
        "direction": "",
        "seed": 1234567,
        "verify": True,
        "most_checked": 7,
        "keep_all": False,
    }


def test_what_a_case_has_not_is_none() -> None:
    line = case_line(
        Case(test="stream", transport="tcp", bytes=8, queue_depth=9),
        0, Amount(samples=1, warmup=1, ops_per_sample=1), 0, verify=False, keep_all=True,
    )  # fmt: skip
    assert (line["queue_depth"], line["point"], line["wait"], line["pages"]) == (9, 0, "", "")
    assert (line["verify"], line["most_checked"], line["keep_all"]) == (False, 256, True)
