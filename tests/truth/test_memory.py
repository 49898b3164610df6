"""The memory of a case: the engine and the planner have one formula."""

import random
from typing import Literal

import msgspec
import pytest

from support.virtual import described, needed_by_engine
from weft.plan.case import Case, Schedule
from weft.plan.memory import most_checked_of, needed_bytes
from weft.plan.pattern import Footprint

Kind = Literal["one", "shared", "turn", "reuse"]


def any_case(chance: random.Random, tests: tuple[str, ...]) -> Case:
    kinds: tuple[Kind, ...] = ("one", "shared", "turn", "reuse")
    kind = chance.choice(kinds)
    return Case(
        test=chance.choice(tests),
        transport="virtual",
        bytes=chance.choice((0, 1, 4095, 4096, 4097, chance.randrange(1 << 25), 1 << 46)),
        queue_depth=chance.choice((1, 2, 3, 64, 255, 1 << 16)),
        schedule=Schedule(
            kind=kind,
            count=1 if kind in ("one", "shared") else chance.choice((1, 2, 77, 1 << 20)),
            reuse_percent=chance.choice((0, 33, 50, 99, 100)) if kind == "reuse" else 100,
        ),
        ranks=chance.choice((2, 3, 64)),
    )


def line_of(case: Case, footprint: Footprint, samples: int, warmup: int) -> str:
    return msgspec.json.encode(
        {
            "id": 1,
            "test": case.test,
            "bytes": case.bytes,
            "samples": samples,
            "warmup": warmup,
            "queue_depth": case.queue_depth,
            "schedule": case.schedule,
            "most_checked": most_checked_of(case, footprint),
        }
    ).decode()


@pytest.mark.parametrize("ranks", [2, 3, 64])
def test_both_sides_need_the_same_for_any_case(ranks: int) -> None:
    patterns = described()
    tests = tuple(patterns)
    chance = random.Random(ranks)  # noqa: S311 - cases, no secret
    cases = [msgspec.structs.replace(any_case(chance, tests), ranks=ranks) for _ in range(2000)]
    amounts = [(chance.randrange(1, 1_000_000), chance.randrange(50)) for _ in cases]
    lines = [
        line_of(case, patterns[case.test].footprint, *amount)
        for case, amount in zip(cases, amounts, strict=True)
    ]
    here = -(-ranks // 4)
    told = needed_by_engine(lines, ranks, here)
    assert len(told) == len(cases)
    for case, amount, engine in zip(cases, amounts, told, strict=True):
        planned = needed_bytes(case, patterns[case.test].footprint, sum(amount), here)
        assert planned == pytest.approx(engine, rel=1e-12), case


@pytest.mark.parametrize("test", ["hot_spot_receive", "hot_spot_send", "message_rate"])
def test_both_sides_count_the_ranks_that_a_point_names(test: str) -> None:
    footprint = described()[test].footprint
    for point in (1, 5, 31):
        case = Case(test=test, transport="virtual", bytes=5000, ranks=64, point=point)
        line = line_of(case, footprint, 10, 2).replace('"id":1', f'"id":1,"point":{point}')
        assert needed_by_engine([line], 64) == [needed_bytes(case, footprint, 12)]
        # The planner does not know which of the ranks a host has, and counts as many as may be.
        (first,) = needed_by_engine([line], 64, 4)
        most = needed_bytes(case, footprint, 12, 4)
        assert first <= most <= needed_bytes(case, footprint, 12)
    assert most < needed_bytes(case, footprint, 12)


def test_a_case_never_needs_less_for_more_of_anything() -> None:
    least = Case(test="stream", transport="virtual", bytes=1 << 20)
    for change in (
        {"bytes": 1 << 24},
        {"ranks": 3},
        {"schedule": Schedule(kind="turn", count=2)},
        {"schedule": Schedule(kind="reuse", count=1, reuse_percent=50)},
    ):
        more = msgspec.structs.replace(least, **change)
        assert needed_bytes(more) > needed_bytes(least), change
    assert needed_bytes(least, samples=1) > needed_bytes(least)
