"""Bandwidth while the sender computes: the share at which it falls comes out of a made record."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

import weft
from support.builders import synthetic_record
from weft.plan.case import Case
from weft.topics import results_of
from weft.topics.availability import (
    Availability,
    availabilities_of,
    crossing,
    drops_in_words,
    falling,
)
from weft.topics.compute_loop import ComputeLoop, drifts_of

ALONE_NS = 1000.0
POINTS = (0, 20, 40, 60, 80, 90, 95, 100, 105, 110, 120, 150, 200)
SAMPLES = 101


class Sender:
    """A stream that needs `overhead` of its time from the host, and no more than that."""

    def __init__(self, overhead: float, *, overlaps: bool = True, rate: float = 1.0) -> None:
        self.overhead = overhead
        self.overlaps = overlaps
        self.rate = rate

    def noise(self, case: Case, round_: int, what: str) -> list[float]:
        draw = Random(f"{case.key}/{round_}/{what}")  # noqa: S311 - noise, no secret
        launch = draw.gauss(1, 0.002)
        return [launch * draw.gauss(1, 0.01) for _ in range(SAMPLES)]

    def work(self, case: Case) -> float:
        return ALONE_NS * (case.point or 0) / 100

    def whole(self, case: Case) -> float:
        busy = self.work(case) + ALONE_NS * self.overhead
        return max(ALONE_NS, busy) if self.overlaps else ALONE_NS + self.work(case)

    def times(self, case: Case, round_: int) -> list[float]:
        return [self.whole(case) * f for f in self.noise(case, round_, "whole")]

    def parts(self, case: Case, round_: int) -> dict[str, list[float]]:
        slower = np.linspace(1, self.rate, SAMPLES).tolist()
        work = [
            self.work(case) * f * s
            for f, s in zip(self.noise(case, round_, "work"), slower, strict=True)
        ]
        alone = [ALONE_NS * f for f in self.noise(case, round_, "alone")]
        return {"alone": alone, "work": work}


def record_of(folder: Path, sender: Sender, points: tuple[int, ...] = POINTS) -> weft.Run:
    cases = tuple(
        Case(test="busy_stream", transport="tcp", bytes=65536, point=point) for point in points
    )
    path = synthetic_record(
        folder / "r.jsonl", cases, launches=6, times_ns=sender.times, parts_ns=sender.parts
    )
    return weft.load(path)


def curve_of(folder: Path, sender: Sender) -> Availability:
    (curve,) = availabilities_of(record_of(folder, sender))
    return curve


def test_the_share_at_which_the_bandwidth_falls(tmp_path: Path) -> None:
    # Falls to 0.95 where work and overhead take 1 / 0.95 of the stream: all but 0.95 * 0.1.
    curve = curve_of(tmp_path, Sender(overhead=0.1))
    at = curve.drop_at_percent
    assert at is not None
    assert at.low <= 100 * (1 - 0.95 * 0.1) <= at.high
    assert at.high - at.low < 2
    assert [point.work_percent for point in curve.points] == list(POINTS)
    assert curve.points[-1].computing_percent.value == pytest.approx(100 * 2 / 2.1, rel=0.01)
    assert curve.points[-1].kept_percent.value == pytest.approx(100 / 2.1, rel=0.01)
    (sentence,) = drops_in_words([curve])
    assert "tcp, 64 KiB: the bandwidth falls by 5% when the sender computes 90." in sentence


def test_a_stream_that_hides_nothing_falls_at_once(tmp_path: Path) -> None:
    at = curve_of(tmp_path, Sender(overhead=1, overlaps=False)).drop_at_percent
    assert at is not None
    # Between the points 0 and 20 the curve of the share is taken as a line.
    assert at.value == pytest.approx(100 * 0.05, rel=0.1)


def test_a_stream_that_never_falls_says_up_to_where(tmp_path: Path) -> None:
    run = record_of(tmp_path, Sender(overhead=0), points=(0, 50, 90))
    (curve,) = availabilities_of(run)
    assert curve.drop_at_percent is None
    assert curve.note.startswith("no drop of 5% up to 9")


def test_launches_that_disagree_about_a_drop_cannot_tell(tmp_path: Path) -> None:
    sender = Sender(overhead=0)

    def half(case: Case, round_: int) -> list[float]:
        return [time * (1.2 if round_ % 2 and case.point else 1) for time in sender.times(case, 0)]

    cases = tuple(
        Case(test="busy_stream", transport="tcp", bytes=8, point=point) for point in (0, 50, 90)
    )
    path = synthetic_record(
        tmp_path / "r.jsonl", cases, launches=6, times_ns=half, parts_ns=sender.parts
    )
    (curve,) = availabilities_of(weft.load(path))
    assert curve.drop_at_percent is None
    assert curve.note == "where it drops by 5% is not known: 3 of 6 launches show it"


def test_a_compute_loop_that_slows_down_is_told(tmp_path: Path) -> None:
    run = record_of(tmp_path, Sender(overhead=0.1, rate=1.2))
    results = results_of(run, ())
    (sentence,) = ComputeLoop().findings(results.of(ComputeLoop()))
    assert "the compute loop's rate drifted by up to" in sentence
    steady = tmp_path / "steady"
    steady.mkdir()
    assert drifts_of(record_of(steady, Sender(overhead=0.1))) == ()


def test_the_greatest_drift_of_a_compute_loop_counts_whichever_way_it_goes(tmp_path: Path) -> None:
    """Slower by a tenth at one point, faster by three at the other."""
    sender = Sender(overhead=0.1)

    def parts(case: Case, round_: int) -> dict[str, list[float]]:
        sender.rate = 1.1 if case.point == 50 else 0.7
        return sender.parts(case, round_)

    cases = tuple(
        Case(test="busy_stream", transport="tcp", bytes=8, point=point) for point in (50, 90)
    )
    path = synthetic_record(
        tmp_path / "r.jsonl", cases, launches=6, times_ns=sender.times, parts_ns=parts
    )
    (row,) = drifts_of(weft.load(path))
    assert (row.drifted, row.batches) == (12, 12)
    # Between the middles of the first and the last tenth, over the median.
    assert row.most == pytest.approx(0.9 * 0.3 / 0.85, abs=0.03)


def test_chance_at_one_point_is_no_drop() -> None:
    assert falling([1.0, 0.94, 0.98, 0.5]) == [1.0, 0.96, 0.96, 0.5]
    assert crossing([(0.0, 1.0), (0.2, 0.94), (0.4, 0.98), (0.8, 0.9)]) == pytest.approx(
        0.4 + 0.4 * 0.01 / 0.06
    )
    assert crossing([(0.0, 1.0), (0.5, 0.96)]) is None
    assert crossing([(0.1, 0.9), (0.5, 0.8)]) == 0.1


def test_a_single_point_is_no_curve(tmp_path: Path) -> None:
    assert availabilities_of(record_of(tmp_path, Sender(overhead=0.1), points=(50,))) == ()
