"""What a message costs the host: the overheads that were put in come out of all three methods."""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

import weft
from support.builders import make_clock, pattern, synthetic_record
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.topics.overhead import overheads_of
from weft.topics.overlap import overlaps_of

SEND, RECEIVE, LATENCY, BYTE = 300.0, 250.0, 1800.0, 0.12
READ_NS = make_clock().overhead_ticks * make_clock().tick_ns
MESSAGES = pattern("burst").messages_per_burst
SIZES = (1, 1024, 65536)
SAMPLES = 21
LAUNCHES = (1.003, 0.997, 1.001, 0.999, 1.002, 0.998)
DELAYS = ("ping_pong", "burst", "paused_burst", "late_receive")


def noise(case: Case, round_: int, what: str) -> list[float]:
    """A factor about 1 a sample: within 1 % in a launch, whose median is off by up to 0.3 %."""
    steps = [2 * step / (SAMPLES - 1) - 1 for step in range(SAMPLES)]
    Random(f"{case.key}/{round_}/{what}").shuffle(steps)  # noqa: S311 - an order, no secret
    return [LAUNCHES[round_] * (1 + 0.01 * step) for step in steps]


def alone_ns(case: Case) -> float:
    return 2 * (LATENCY + SEND + RECEIVE) + case.bytes * BYTE


def cost_ns(case: Case) -> float:
    """The host's time in a transfer."""
    return RECEIVE if case.test == "receive_overlap" else SEND


def work_ns(case: Case) -> float:
    return alone_ns(case) * (case.point or 0) / 100


def parts(case: Case, round_: int) -> dict[str, list[float]]:
    """What the engine's benchmarks fill in beside their samples, each read of the clock in it."""
    if case.test == "host_overhead":
        exact = {"post_send": 200.0, "complete_send": 100.0}
        exact |= {"post_receive": 50.0, "complete_receive": 200.0}
        # Rank 1 is half as fast; its sends are done when they are posted.
        exact |= {
            f"rank1.{name}": 2 * value for name, value in exact.items() if "_send" not in name
        }
        exact["rank1.post_send"] = 600.0
        return {
            name: [READ_NS + value * factor for factor in noise(case, round_, name)]
            for name, value in exact.items()
        }
    if "overlap" not in case.test:
        return {}
    steady = noise(case, round_, "work")
    cost = noise(case, round_, "cost")
    reads = 2 if case.test == "receive_overlap" else 1
    found = {
        "alone": [READ_NS + alone_ns(case) * f for f in noise(case, round_, "alone")],
        "work": [READ_NS + work_ns(case) * f for f in steady],
    }
    if case.test != "put_overlap":
        found["call"] = [
            reads * READ_NS + work_ns(case) * f + cost_ns(case) * c
            for f, c in zip(steady, cost, strict=True)
        ]
    return found


def times(case: Case, round_: int) -> list[float]:
    single = 2 * (LATENCY + SEND + RECEIVE + (case.bytes - 1) * BYTE)
    if "overlap" in case.test:
        # All but the host's own time is hidden behind the work, as the work alone is measured.
        work = parts(case, round_)["work"]
        hidden = max(alone_ns(case) - cost_ns(case), work_ns(case)) - work_ns(case)
        return [own + hidden + cost_ns(case) for own in work]
    exact = {
        "host_overhead": 2 * single,
        "ping_pong": single,
        "burst": single + (MESSAGES - 1) * (700 + (case.bytes - 1) * BYTE),
        "paused_burst": single + (MESSAGES - 1) * (SEND + READ_NS),
        "late_receive": RECEIVE + READ_NS,
    }[case.test]
    return [exact * (1 + 1e-4 * ((sample + round_) % 3 - 1)) for sample in range(SAMPLES)]


def record_of(folder: Path, *tests: str, points: tuple[int, ...] = (100, 200)) -> weft.Run:
    cases = [
        Case(test=test, transport="tcp", bytes=size, point=point)
        for test in tests
        for size in SIZES
        for point in (points if "overlap" in test else (None,))
    ]
    path = synthetic_record(
        folder / "r.jsonl", tuple(cases), launches=6, times_ns=times, parts_ns=parts
    )
    return weft.load(path)


def holds(parameter: Estimate | None, truth: float) -> bool:
    """Whether the interval holds the truth and is narrow enough to mean something."""
    assert parameter is not None
    assert parameter.low == pytest.approx(parameter.high, abs=0.1 * truth)
    return parameter.low <= truth <= parameter.high


def test_three_methods_recover_the_overheads_side_by_side(tmp_path: Path) -> None:
    run = record_of(tmp_path, *DELAYS, "host_overhead", "send_overlap", "receive_overlap")
    every = overheads_of(run)
    rows = [row for row in every if row.rank == 0]
    assert [(row.side, row.bytes) for row in rows] == [
        (side, size) for side in ("send", "receive") for size in SIZES
    ]
    for row in rows:
        truth = SEND if row.side == "send" else RECEIVE
        assert holds(row.calls_ns, truth), row
        assert holds(row.beside_work_ns, truth), row
        assert row.delay_ns is not None
        assert row.delay_ns.value == pytest.approx(truth, rel=0.01)
        alone = 2 * (LATENCY + SEND + RECEIVE) + row.bytes * BYTE
        assert holds(row.availability_percent, 100 * (1 - truth / alone)), row
    assert holds(rows[0].post_ns, 200)
    assert holds(rows[0].complete_ns, 100)
    for row in every[len(rows) :]:
        assert row.rank == 1
        assert holds(row.calls_ns, 2 * (SEND if row.side == "send" else RECEIVE))
        assert row.delay_ns is None


def test_a_put_has_no_call_without_a_word_and_needs_none(tmp_path: Path) -> None:
    row, *_ = overheads_of(record_of(tmp_path, "put_overlap"))
    assert row.side == "put"
    assert holds(row.beside_work_ns, SEND)
    assert row.calls_ns is None
    assert row.delay_ns is None


def test_work_no_longer_than_the_transfer_gives_no_overhead(tmp_path: Path) -> None:
    assert overheads_of(record_of(tmp_path, "send_overlap", points=(50, 100))) == ()


def test_what_is_hidden_is_all_but_the_hosts_own_time(tmp_path: Path) -> None:
    rows = overlaps_of(record_of(tmp_path, "send_overlap", "put_overlap"))
    assert len(rows) == 2 * len(SIZES)
    for row in rows:
        alone = 2 * (LATENCY + SEND + RECEIVE) + row.bytes * BYTE
        assert holds(row.hidden_percent, 100 * (1 - SEND / alone)), row
        assert row.work_ns.value == pytest.approx(row.alone_ns.value, rel=0.02)


def test_transfers_in_each_others_way_are_below_zero_and_not_cut_off(tmp_path: Path) -> None:
    def slow(case: Case, round_: int) -> list[float]:
        return [3 * time for time in parts(case, round_)["alone"]]

    cases = (Case(test="put_overlap", transport="tcp", bytes=8, point=100),)
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=slow, parts_ns=parts)
    (row,) = overlaps_of(weft.load(path))
    assert row.hidden_percent.value == pytest.approx(-100, rel=0.02)


def test_one_launch_says_so(tmp_path: Path) -> None:
    cases = (Case(test="send_overlap", transport="tcp", bytes=8, point=200),)
    path = synthetic_record(tmp_path / "r.jsonl", cases, launches=1, times_ns=times, parts_ns=parts)
    (row,) = overheads_of(weft.load(path))
    assert row.beside_work_ns is not None
    assert "one launch" in row.beside_work_ns.method


def test_other_variants_are_rows_of_their_own(tmp_path: Path) -> None:
    usual = Case(test="send_overlap", transport="tcp", bytes=8, point=200)
    others = (usual, replace(usual, wait="block"), replace(usual, pages="huge"))
    path = synthetic_record(tmp_path / "r.jsonl", others, times_ns=times, parts_ns=parts)
    assert [row.variant for row in overheads_of(weft.load(path))] == ["", "block", "huge_pages"]


def test_rows_of_rank_0_come_first(tmp_path: Path) -> None:
    rows = [row for row in overheads_of(record_of(tmp_path, "host_overhead")) if row.calls_ns]
    of_size = [row.rank for row in rows if row.bytes == SIZES[0]]
    assert of_size == sorted(of_size)
    assert set(of_size) == {0, 1}
