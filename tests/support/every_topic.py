"""One synthetic record in which every topic has something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import weft
from support.builders import LAUNCH_EFFECTS, lost_batch, synthetic_record, usual_time_ns
from support.lattices import lattice_of
from support.records_of_any_kind import PARTS
from weft.applications.lattice import Lattice
from weft.plan.case import Case, Schedule
from weft.plan.variations import Variation

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.run import Run

SAMPLES = 41
# So many that a percentile of a load has samples beyond it.
SAMPLES_OF_A_LOAD = 1200
LATTICES = tuple(Lattice(extents=(extent,) * 4, sums=2) for extent in (4, 8))
STREAMS = ("hot_spot_send", "hot_spot_receive", "message_rate")
# How much longer an operation takes for an option of its case.
_SLOWER: dict[str, float] = {"block": 3.0, "huge": 0.8}


_BOTH = ("tcp", "mpi")
_SIZES = (8, 65536)
VARIED = {
    one.label: one
    for one in (Variation(of="ucx", options={"ucx.rendezvous": value}) for value in ("1", "2"))
}


def _plan() -> list[tuple[str, tuple[str, ...], tuple[int, ...], dict[str, Any]]]:
    """Tests, the transports and sizes of each, and their options."""
    usual = ("ping_pong", "ping_ping", "stream", "bidirectional_stream", "host_overhead")
    others = ("register_ping_pong", "registration")
    puts = ("put_ping_pong", "put_notify_ping_pong", "put_latency")
    reused = [Schedule(kind="reuse", count=256, reuse_percent=share) for share in (0, 100)]
    turned = [Schedule(kind="turn", count=count) for count in (1, 64)]
    return [
        *((test, _BOTH, _SIZES, {}) for test in (*usual, *others)),
        *((test, ("ucx",), _SIZES, {}) for test in puts),
        ("ping_pong", _BOTH, _SIZES, {"wait": "block"}),
        ("ping_pong", ("tcp:turn",), _SIZES, {}),
        ("ping_pong", tuple(VARIED), _SIZES, {}),
        *(("ping_pong", ("tcp",), _SIZES, {"pages": pages}) for pages in ("small", "huge")),
        *(("ping_pong", ("tcp",), (4096,), {"schedule": one}) for one in reused),
        *(("stream", _BOTH, _SIZES, {"queue_depth": depth}) for depth in (1, 16, 256)),
        *(("stream", ("tcp",), (65536,), {"schedule": one}) for one in turned),
        *((test, _BOTH, _SIZES, {"ranks": 4}) for test in ("sendrecv", "random_pairs")),
        *((t, _BOTH, _SIZES, {"ranks": 4, "point": at}) for t in STREAMS for at in (1, 2)),
        *(("offered_load", _BOTH, (8,), {"point": at}) for at in (50, 90, 100)),
        *(("send_overlap", _BOTH, _SIZES, {"point": at}) for at in (50, 100, 200)),
        *(("busy_stream", _BOTH, (65536,), {"point": at}) for at in (0, 100, 200)),
        *(
            ("milc", ("mpi",), (4,), {"ranks": n, "application": one.options})
            for one in LATTICES
            for n in (1, 2)
        ),
    ]


def cases_of_every_topic() -> tuple[Case, ...]:
    """Two transports and sizes of each test, with options beside the usual ones."""
    return tuple(
        Case(test=test, transport=transport, bytes=size, **options)
        for test, transports, sizes, options in _plan()
        for transport in transports
        for size in sizes
    )


def _times(case: Case, launch: int) -> list[float]:
    number = SAMPLES_OF_A_LOAD if case.test == "offered_load" else SAMPLES
    slower = _SLOWER.get(case.wait, 1.0) * _SLOWER.get(case.pages, 1.0)
    if case.application:
        slower *= lattice_of(case).sites * (1 + case.ranks / 4)
    slower *= 1 + case.schedule.count / 1000 + (case.point or 0) / 150
    middle = usual_time_ns(case) * slower * LAUNCH_EFFECTS[launch]
    return [middle * (1 + 0.02 * ((at * 7919) % number / number - 0.5)) for at in range(number)]


def _parts(case: Case, launch: int) -> dict[str, list[float]]:
    own = PARTS.get(case.test, {})
    if case.test in STREAMS:
        own = {f"rank{peer}": 1 + 0.1 * peer for peer in range(1, 1 + (case.point or 0))}
    if case.test == "milc":
        own = {"pack": 0.1, "local": 0.5, "wait": 0.2, "remote": 0.1, "sum": 0.1}
    if case.test == "sendrecv":
        own = {f"rank{rank}": 1 + 0.05 * rank for rank in (1, 2, 3)}
    return {name: [share * time for time in _times(case, launch)] for name, share in own.items()}


def record_of_every_topic(path: Path, suite: str = "", launches: int = 5) -> Run:
    """The record at this path; of a suite it is laid out as one. One of its cases failed."""
    cases = cases_of_every_topic()
    failed = next(case for case in cases if case.test == "ping_ping")
    return weft.load(
        synthetic_record(
            path,
            cases,
            times_ns=_times,
            parts_ns=_parts,
            cpu_shares=lambda case, _: (1.0, 0.4 if case.wait else 1.0),
            more=[lost_batch(failed, 0, 9000, "failed", "a reason")],
            suite=suite,
            launches=launches,
            variations=VARIED,
        )
    )
