"""Arbitrary records for property tests: cases differ in any axis, some of them lack figures.

The figure of case i is 7 % from that of case i - 1, so that no two cases of a test look alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from hypothesis import strategies as st

import weft
from support.builders import lost_batch, synthetic_record
from weft.plan.case import Case, Schedule
from weft.plan.cases import PAGES, WAITS

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.model import Status
    from weft.record.run import Run

# By test the points of its axis, and what beside the samples a batch of it has (as a share of the
# sample's time).
POINTS: dict[str, tuple[int | None, ...]] = {
    "hot_spot_receive": (1, 2), "message_rate": (1, 2), "offered_load": (50, 90, 100),
    "send_overlap": (50, 100, 200), "busy_stream": (0, 100, 200),
}  # fmt: skip
PARTS = {
    "random_pairs": {"own": 1.0, "rank1": 1.0},
    "offered_load": {"interval": 2.0, "late": 0.1},
    "host_overhead": {
        "post_send": 0.1, "complete_send": 0.1, "post_receive": 0.1, "complete_receive": 0.1,
    },
    "send_overlap": {"alone": 0.5, "work": 0.4},
    "busy_stream": {"alone": 0.9, "work": 0.5},
    "registration": {"deregister": 0.5},
}  # fmt: skip
STREAMS = ("hot_spot_receive", "message_rate")
TESTS = (
    "ping_pong", "stream", "put_ping_pong", "put_notify_ping_pong", "register_ping_pong",
    "random_pairs", "host_overhead", "registration", *POINTS,
)  # fmt: skip
SCHEDULES = (
    Schedule(), Schedule(kind="turn", count=1), Schedule(kind="turn", count=4),
    Schedule(kind="reuse", count=8, reuse_percent=0),
    Schedule(kind="reuse", count=8, reuse_percent=50),
)  # fmt: skip
# The values of each axis, the usual one first.
AXES: dict[str, tuple[Any, ...]] = {
    "transport": ("tcp", "tcp:turn", "mpi"),
    "bytes": (8, 4096),
    "ranks": (2, 4),
    "queue_depth": (64, 16),
    "schedule": SCHEDULES,
    "single": (False, True),
    "wait": ("", *WAITS),
    "pages": ("", *PAGES),
}
LAUNCHES = 3
STATUSES: tuple[Status, ...] = (*("ok",) * 18, "failed", "unsupported")


@st.composite
def any_case(draw: st.DrawFn, tests: tuple[str, ...] = TESTS) -> Case:
    """A case that may differ from the next in any axis; most axes are mostly as usual."""
    test = draw(st.sampled_from(tests))
    axes = {axis: draw(st.sampled_from((*own[:1] * 2, *own))) for axis, own in AXES.items()}
    return Case(test=test, point=draw(st.sampled_from(POINTS.get(test, (None,)))), **axes)


@st.composite
def neighbours(
    draw: st.DrawFn, tests: tuple[str, ...] = TESTS, always: tuple[str, ...] = ()
) -> list[Case]:
    """Cases, and beside some of them those that differ in any of some axes, `always` among them.

    It is neighbours that get mixed up where a key forgets an axis.
    """
    cases = draw(st.lists(any_case(tests), min_size=1, max_size=4))
    for case in cases[:2]:
        points = POINTS.get(case.test, (None,))
        moved = [msgspec.structs.replace(case, point=point) for point in points]
        more = draw(st.sets(st.sampled_from(list(AXES)), min_size=1, max_size=2))
        for axis in sorted({*always, *more}):
            others = [value for value in AXES[axis] if value != getattr(case, axis)]
            value = draw(st.sampled_from(others))
            moved += [msgspec.structs.replace(one, **{axis: value}) for one in moved]
        cases += moved
    return list(dict.fromkeys(cases))


Planned = list[tuple[Case, "Status"]]


def planned(tests: tuple[str, ...] = TESTS, *always: str) -> st.SearchStrategy[Planned]:
    """Cases with what becomes of each."""
    return neighbours(tests, always).flatmap(
        lambda cases: st.lists(
            st.sampled_from(STATUSES), min_size=len(cases), max_size=len(cases)
        ).map(lambda statuses: list(zip(cases, statuses, strict=True)))
    )


def record_of(path: Path, found: Planned) -> Run:
    """A record of these cases at this path."""
    cases = tuple(case for case, _ in found)
    place = {case: number for number, case in enumerate(cases)}
    status = dict(found)

    def times(case: Case, launch: int) -> list[float]:
        if status[case] == "unsupported":
            return []
        middle = 1000 * 1.07 ** place[case] * (1 + 0.001 * launch)
        # A percentile under load wants ten samples beyond it.
        return [middle, middle * 1.001, middle * 0.999] * (8 if case.test == "offered_load" else 1)

    def parts(case: Case, launch: int) -> dict[str, list[float]]:
        own = PARTS.get(case.test, {})
        if case.test in STREAMS:  # each stream tells its own time
            own = {f"rank{number}": 1.0 for number in range(1, 1 + (case.point or 0))}
        return {name: [share * t for t in times(case, launch)] for name, share in own.items()}

    lost = [
        lost_batch(case, 0, 900 + number, state, "a reason")
        for number, (case, state) in enumerate(found)
        if state != "ok"
    ]
    path.unlink(missing_ok=True)
    return weft.load(
        synthetic_record(path, cases, launches=LAUNCHES, times_ns=times, parts_ns=parts, more=lost)
    )
