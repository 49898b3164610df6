"""Which batch says that a case is not ok: by each history of a case that is told by hand."""

import itertools

import pytest

from support.builders import make_batch, make_cases
from weft.record.model import Batch, Role
from weft.record.run import MOST_TRIES, failure_of

CASE = make_cases(("ping_pong",), ("tcp",), (8,))[0]
# A batch a launch: fine, a wrong byte, ranks that died, not supported, a calibration.
GOOD, WRONG, DIED, LACKING, LOOKED = "gwdlc"


def batches_of(history: str) -> list[Batch]:
    found = []
    for at, kind in enumerate(history):
        role: Role = "calibrate" if kind == LOOKED else "measure"
        if kind in (GOOD, LOOKED):
            found.append(make_batch(CASE, at, at, [100.0 + at], role=role))
            continue
        found.append(
            Batch(
                case=CASE.key, launch=at, order=at, role="measure", reason=f"{kind}{at}",
                status="unsupported" if kind == LACKING else "failed", ended_launch=kind == DIED,
            )
        )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("history", "reason"),
    [
        ("", ""), ("g", ""), ("cg", ""), ("c", ""),
        # A wrong byte stands, whatever came before and behind it; the first of several.
        ("w", "w0"), ("gwg", "w1"), ("gwgw", "w1"), ("dwg", "w1"), ("dgw", "w2"),
        # Nothing was measured: the first that was lost says why.
        ("d", "d0"), ("dd", "d0"), ("cd", "d1"), ("ld", "l0"), ("ll", "l0"), ("dl", "d0"),
        # One loss is made good by the next try, and two at the end are not.
        ("gd", ""), ("dg", ""), ("ddg", ""), ("gddg", ""), ("gdgd", ""),
        ("gdd", "d2"), ("ggddd", "d4"), ("dgdd", "d3"), ("gdl", "l2"),
    ],
)  # fmt: skip
def test_a_case_fails_by_the_batch_that_says_why(history: str, reason: str) -> None:
    found = failure_of(batches_of(history))
    assert (found.reason if found else "") == reason


def test_of_all_short_histories_those_fail_that_end_lost_or_were_never_measured() -> None:
    assert MOST_TRIES == 2
    for length in range(1, 6):
        for history in map("".join, itertools.product((GOOD, DIED), repeat=length)):
            lost = GOOD not in history or history.endswith(DIED * MOST_TRIES)
            assert (failure_of(batches_of(history)) is not None) is lost, history
