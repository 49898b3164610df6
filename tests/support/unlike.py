"""A record of every topic in which no two figures are alike: what stands in a wrong place shows.

Every case, launch, rank and part has a time of its own, drawn from a seed. Samples are skewed, with
outliers; launches differ in the clock's tick and in their number of samples, cases in their number
of launches, hosts in what they are, and the lattices have no two extents alike.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec

import weft
from support.builders import (
    HOST,
    lost_batch,
    make_batch,
    make_clock,
    make_footer,
    make_header,
    pattern,
    usual_time_ns,
    write_lines,
)
from support.every_topic import STREAMS, VARIED, cases_of_every_topic
from support.laid_out import card
from support.lattices import lattice_of
from support.records_of_any_kind import PARTS
from weft.applications.lattice import Lattice
from weft.host.manifest import collect
from weft.plan.case import Case
from weft.record.model import Launch, LaunchEnd, RankFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weft.record.model import Batch, Line
    from weft.record.run import Run

ROUNDS = 5
HOSTS = ("alpha", "beta", "gamma")
# Ranks of a launch and what is told of it, by transport.
RANKS = {"tcp": 5, "mpi": 4, "ucx": 3, "tcp:turn": 2, **dict.fromkeys(VARIED, 2)}
# The tick in ns of each round: a common one, coarser and finer ones.
TICKS_NS = (0.4, 1.0, 0.3125, 2.5, 0.7)
LATTICES = (Lattice(extents=(4, 6, 8, 10), sums=2), Lattice(extents=(6, 8, 10, 12), sums=2))
_COPY_BYTES = 1 << 28
# An overhead is a small part of an operation, a wait a large one: shares are drawn about these.
_SHARES: dict[str, dict[str, float]] = {
    **PARTS,
    "receive_overlap": {"alone": 0.6, "work": 0.55, "call": 0.9},
    "send_overlap": {"alone": 0.6, "work": 0.5},
    "burst": {"single": 0.3},
    "paused_burst": {"single": 0.3},
    "milc": {"pack": 0.1, "local": 0.4, "wait": 0.2, "remote": 0.15, "sum": 0.05},
}


def cases_unlike() -> tuple[Case, ...]:
    """Those of every topic, and what they lack: delays, copies, more ranks on other lattices."""
    usual = tuple(case for case in cases_of_every_topic() if case.test != "milc")
    delays = ("burst", "paused_burst", "late_receive", "receive_overlap")
    return (
        *usual,
        *(
            Case(test=test, transport=over, bytes=size, point=100 if "overlap" in test else None)
            for test in delays
            for over in ("tcp", "mpi")
            for size in (8, 65536)
        ),
        Case(test="copy", transport="tcp", bytes=_COPY_BYTES),
        *(Case(test="offered_load", transport="mpi", bytes=64, point=at) for at in (40, 80, 120)),
        *(
            Case(test="milc", transport="mpi", bytes=4, ranks=ranks, application=lattice.options)
            for lattice in LATTICES
            for ranks in (1, 2, 4)
        ),
    )


def _drawn(*words: object) -> random.Random:
    return random.Random("/".join(map(str, words)))  # noqa: S311 - noise, no secret


def _middle_ns(case: Case, round_: int) -> float:
    """The time of an operation in a launch: far from any other case's, near its other launches'."""
    of_case = _drawn(case.key).uniform(1, 4) * (lattice_of(case).sites if case.application else 1)
    by_axis = 3.0 if case.wait == "block" else 0.7 if case.pages == "huge" else 1.0
    # The order that the paper's figure 9 expects: who polls its own memory is told first.
    by_axis *= 0.2 if case.test == "put_ping_pong" else 1.0
    further = 1 + (case.point or 0) / 90 + case.schedule.count / 300
    of_launch = _drawn(case.key, round_).lognormvariate(0, 0.01)
    return usual_time_ns(case) * of_case * by_axis * further * of_launch


def _samples_ns(case: Case, round_: int) -> list[float]:
    """Skewed samples about the middle, each hundredth of them far above."""
    number = (1150 if case.test == "offered_load" else 37) + 4 * round_
    draw = _drawn(case.key, round_, "samples")
    middle = _middle_ns(case, round_)
    # Above saturation each message waits for all before it.
    waits = 0.05 if case.test == "offered_load" and (case.point or 0) >= 100 else 0.0
    return [
        middle
        * (0.97 + draw.lognormvariate(-3.5, 0.8))
        * (9 if draw.random() < 0.01 else 1 + waits * at)
        for at in range(number)
    ]


def _shares(case: Case) -> dict[str, float]:
    """What each further series is of the samples, before it is drawn apart."""
    if case.test in STREAMS:
        return {f"rank{peer}": 1.0 for peer in range(1, 1 + (case.point or 0))}
    if case.test == "sendrecv":
        return {f"rank{rank}": 1.1 for rank in range(1, case.ranks)}
    own = dict(_SHARES.get(case.test, {}))
    if case.test == "host_overhead":
        own |= {f"rank1.{name}": share for name, share in own.items()}
    if case.test == "milc":
        for rank in range(1, case.ranks):
            own |= {f"rank{rank}": 1.02}
            own |= {f"rank{rank}.{name}": share for name, share in _SHARES["milc"].items()}
    return own


def _parts_ns(case: Case, round_: int, times: Sequence[float]) -> dict[str, list[float]]:
    return {
        name: [time * share * of_case * draw.uniform(0.99, 1.01) for time in times]
        for name, share in _shares(case).items()
        for of_case in [0.8 + 0.4 * _drawn(case.key, name).random()]
        for draw in [_drawn(case.key, round_, name)]
    }


def _manifest(root: Path, at: int, name: str) -> dict[str, Any]:
    """A host like no other, with a card whose link came up in a way of its own."""
    folder = root / name
    folder.mkdir()
    cards = collect(card(folder, now=((16, 8, 5)[at], (16, 8, 4)[at])), {})["interfaces"]
    cpus = list(range(0, 8 + 4 * at, 2))
    return {
        **HOST,
        "host": name,
        "cpu": {
            "model": f"CPU of {name}",
            "cores": 4 + 2 * at,
            "allowed_cpus": cpus,
            # Two threads of a core share its caches.
            "caches": [
                {"level": level, "kind": kind, "size_bytes": (size << 10) * (1 + at),
                 "shared_cpus": cpus[:shared]}
                for level, kind, size, shared in (
                    (1, "Data", 48, 2), (1, "Instruction", 32, 2), (2, "Unified", 1280, 2),
                    (3, "Unified", 6144, 4),
                )
            ],
        },
        "memory": {"total_bytes": 2**34 + at * 2**30},
        "interfaces": [{**one, "driver": "mlx5_core"} for one in cards],
    }  # fmt: skip


def _launch(number: int, round_: int, transport: str) -> Launch:
    ranks = RANKS[transport]
    return Launch(
        launch=number,
        transport=transport,
        started_utc=f"2026-01-02T03:{10 + number}:06+00:00",
        mpi="Open MPI v4.1.4",
        ranks=tuple(
            RankFacts(
                rank=rank, host=HOSTS[rank % len(HOSTS)], pid=100 + rank, cpu=2 * rank, numa=0
            )
            for rank in range(ranks)
        ),
        clock=make_clock(TICKS_NS[round_]),
        details={
            "interface": "eth5",
            "connect_ns": str(round(1e6 * ranks * _drawn(transport, round_).uniform(1, 1.1))),
        },
        load_average=0.25 + round_,
        round=round_,
        session=round_ // 3,
    )


def _batch(case: Case, launch: int, round_: int, order: int) -> Batch:
    times = _samples_ns(case, round_)
    batch = make_batch(
        case,
        launch,
        order,
        times,
        ops_per_sample=1 if pattern(case.test).every_operation else 8 - round_,
        warmup=2 + round_,
        tick_ns=TICKS_NS[round_],
        parts_ns=_parts_ns(case, round_, times),
        cpu_shares=[_drawn(case.key, round_, rank).uniform(0.2, 0.9) for rank in range(case.ranks)],
    )
    is_app = case.application is not None
    return msgspec.structs.replace(
        batch,
        queue_held=case.queue_depth - 3 * (1 + round_ % 2) if case.test == "stream" else None,
        sent_bytes=case.ranks * 4000 if is_app and case.ranks > 1 else 0,
        sent_messages=case.ranks * 7 if is_app and case.ranks > 1 else 0,
        application={"residual": 1e-7 * (1 + order / 1000)} if is_app else {},
    )


def unlike_lines(root: Path, suite: str = "") -> Iterator[Line]:
    """The record's lines; a host's files are laid out in the folder."""
    cases = cases_unlike()
    header = make_header(cases, variations=VARIED, launches=ROUNDS, suite=suite)
    hosts = {name: _manifest(root, at, name) for at, name in enumerate(HOSTS)}
    yield msgspec.structs.replace(header, hosts=hosts)
    number = order = 0
    for round_ in range(ROUNDS):
        for transport in RANKS:
            yield _launch(number, round_, transport)
            for case in (one for one in cases if one.transport == transport):
                # A quarter of the plain cases were precise enough before the last round.
                if round_ == ROUNDS - 1 and case.test == "ping_pong" and case.bytes == 8:
                    continue
                yield _batch(case, number, round_, order)
                order += 1
            clock = make_clock(TICKS_NS[round_], baseline_ns=3_000_000_000)
            yield LaunchEnd(launch=number, status="ok", clock=clock)
            number += 1
    failed = next(case for case in cases if case.test == "ping_ping")
    yield lost_batch(failed, 0, order, "failed", "a reason")
    yield make_footer(order + 1)


def unlike_record(root: Path, suite: str = "") -> Run:
    """The record `unlike.jsonl` in a new folder."""
    root.mkdir(parents=True, exist_ok=True)
    return weft.load(write_lines(root / "unlike.jsonl", unlike_lines(root, suite)))
