"""How a budget is shared, on ranks that live in virtual time: the right answer is known."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest

import weft
from support.builders import OVERHEAD_TICKS, make_cases, make_header, pattern, write_lines
from support.virtual_ranks import (
    END_S,
    START_S,
    Machine,
    Sink,
    footer_of,
    launches_of,
    measure,
    timed_s,
)
from weft.analysis.stats.launches import next_session_of
from weft.analysis.summary import summarise
from weft.launch.protocol import Answer, LaunchError
from weft.plan.case import Case
from weft.plan.cases import SIZES
from weft.plan.pattern import Footprint
from weft.plan.simulated import Kind, SimulatedPlatform
from weft.record.model import Batch, Footer, Launch
from weft.units import parse_seconds, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from weft.record.model import Line

    Effect = Callable[[Mapping[str, Any], int], float]

ALL = (0, *(2**power for power in range(23)))
USUAL = make_cases(transports=("mpi", "tcp"), sizes=ALL)
THREE = make_cases(transports=("mpi", "tcp", "ucx"), sizes=ALL)


FEW = make_cases(transports=("mpi", "tcp", "ucx", "ofi"), sizes=parse_sizes(SIZES))


@pytest.mark.parametrize("overhead_s", [0.0, 0.005, 0.01])
def test_all_asked_launches_fit_whatever_a_case_costs_besides(
    monkeypatch: pytest.MonkeyPatch, overhead_s: float
) -> None:
    sink, left_s = measure(monkeypatch, FEW, 60, overhead_s)
    assert set(launches_of(sink).values()) == {5}
    assert footer_of(sink).outcome == "precise"
    assert 0 <= left_s < 30


@pytest.mark.parametrize(("cases", "budget_s"), [(FEW, 60), (FEW, 20), (USUAL, 60), (THREE, 40)])
def test_most_of_any_budget_goes_into_samples(
    monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...], budget_s: float
) -> None:
    """Launches differ, so that no interval is narrow enough before the time is over."""

    def effect(case: Mapping[str, Any], launch: int) -> float:
        return 1.0 + (launch * int(case["bytes"]) % 7) / 50

    sink, left_s = measure(monkeypatch, cases, budget_s, overhead_s=0.005, effect=effect)
    assert {case.key for case in cases} == set(launches_of(sink))
    assert timed_s(sink) >= 0.6 * (budget_s - min(left_s, 0))
    assert -1 < left_s < 0.1 * budget_s


def test_no_case_is_left_without_a_figure_because_of_a_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four launches and 96 cases take less than is guessed of them before the start."""
    sink, left_s = measure(monkeypatch, FEW, 5, overhead_s=0.001)
    assert {case.key for case in FEW} == set(launches_of(sink))
    assert set(launches_of(sink).values()) == {1}
    assert left_s > -1


@pytest.mark.parametrize("budget_s", [0.5, 2, 3.5, 5, 8, 12, 20])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_case_has_a_second_launch_before_all_had_one(
    monkeypatch: pytest.MonkeyPatch, budget_s: float, seed: int
) -> None:
    """A round of four transports takes 3.2 s and more."""
    cases = make_cases(("ping_pong",), ("mpi", "tcp", "ucx", "ofi"), (8, 1 << 20))
    sink, left_s = measure(monkeypatch, cases, budget_s, overhead_s=0.05, seed=seed)
    order = [batch.case for batch in sink if isinstance(batch, Batch) and batch.role == "measure"]
    first = order[: len(cases)]
    assert len(set(first)) == len(first)
    # The last launch begins within the budget.
    assert left_s > -(START_S + 2 * 0.05 + END_S + 1)


@pytest.mark.parametrize("late_s", [20, 25])
def test_nothing_starts_if_nothing_of_the_budget_is_left(
    monkeypatch: pytest.MonkeyPatch, late_s: float
) -> None:
    cases = make_cases(("ping_pong",), ("mpi", "tcp"), (8, 1 << 20))
    sink, left_s = measure(monkeypatch, cases, 20, overhead_s=0.05, late_s=late_s)
    assert [line for line in sink if isinstance(line, Launch | Batch)] == []
    assert footer_of(sink).outcome == "budget"
    assert left_s == 20 - late_s
    assert "nothing of the budget is left; for all use --budget" in sink.predicted[-1]


def test_nothing_starts_after_a_run_said_that_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow(Machine):
        def __enter__(self) -> Machine:
            self.now += 5.0
            return super().__enter__()

    cases = make_cases(("ping_pong",), ("mpi", "tcp"), (8, 1 << 20))
    sink, left_s = measure(monkeypatch, cases, 5, overhead_s=0.001, ranks=Slow)
    # The first launch took the budget, and measured one case.
    assert len([line for line in sink if isinstance(line, Launch)]) == 1
    assert -2 < left_s < 0
    assert launches_of(sink).total() == 1
    assert "nothing of the budget is left; for all use --budget" in sink.predicted[-1]


@pytest.mark.parametrize("launches", [1, 2, 3])
def test_a_fixed_number_of_launches_is_started_exactly(
    monkeypatch: pytest.MonkeyPatch, launches: int
) -> None:
    """However wide the intervals are, and however much of the budget is left."""

    def effect(_: Mapping[str, Any], launch: int) -> float:
        return 1 + 0.5 * (launch % 5)

    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64, 1024, 4 << 20))
    sink, left_s = measure(
        monkeypatch, cases, 300, 0.05, effect, launches=launches, fixed_launches=True
    )
    started = Counter(line.transport for line in sink if isinstance(line, Launch))
    assert started == {"mpi": launches, "tcp": launches}
    assert set(launches_of(sink).values()) == {launches}
    assert left_s > 200
    assert footer_of(sink).outcome == "precise"
    assert len(footer_of(sink).unsettled) == len(cases)


class LongToStart(Machine):
    """Ranks that are there when the budget is over."""

    def __enter__(self) -> Machine:
        self.now += 58.0
        return super().__enter__()


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_ranks_that_come_when_the_budget_is_over_measure_the_smallest_case(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The first that was drawn had 512 peers, and did not end in the seconds that were left."""
    cases = tuple(
        Case(test="hot_spot_receive", transport="tcp", bytes=size, ranks=1024, point=point)
        for size in (8192, 8)
        for point in (512, 1)
    )
    star = Footprint(ranks=1, ranks_per_point=1, is_star=True)
    known = msgspec.structs.replace(pattern("hot_spot_receive"), footprint=star)
    monkeypatch.setattr("support.virtual_ranks.PATTERNS", (known,))
    sink, _ = measure(monkeypatch, cases, 50, overhead_s=0.1, seed=seed, ranks=LongToStart)
    assert set(launches_of(sink)) == {"tcp/hot_spot_receive/8/1024ranks/at1"}


def test_a_launch_that_was_lost_tells_how_long_the_next_one_takes_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second was guessed for it still, and a budget was advised that is none."""

    class Stuck(LongToStart):
        def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
            self.now += wait_s
            raise LaunchError("timeout", f"{case['test']} did not end in {wait_s:g} s")

    cases = make_cases(("ping_pong",), ("tcp",), (8, 1 << 20))
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.1, ranks=Stuck)
    match = re.search(r"--budget (\w+),", sink.predicted[-1])
    assert match is not None
    assert parse_seconds(match[1]) > 5 * 58


def test_a_case_that_the_budget_cut_off_tells_the_budget_with_which_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 12 s there are 11.4 s behind the start, and 2 s beyond: of 52 s 38.6 are missing."""

    class Hanging(Machine):
        def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
            self.now += wait_s
            raise LaunchError("timeout", f"{case['test']} took over {wait_s:.1f} s")

    monkeypatch.setattr("weft.measure.one_case.timeout_s", lambda *_: 32.0)
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    sink, _ = measure(monkeypatch, cases, 12, overhead_s=0.1, ranks=Hanging)
    reason = next(line.reason for line in sink if isinstance(line, Batch))
    words = "ping_pong took over 13.4 s, and the budget of 12 s ended; use --budget"
    assert reason == f"{words} 60s"


@pytest.mark.parametrize("kind", get_args(Kind))
def test_messages_are_compared_on_every_simulated_platform_but_a_predicted_one(
    monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    platform = SimulatedPlatform(name="p", kind=kind, nodes=2)
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    sink, _ = measure(monkeypatch, cases, 10, overhead_s=0.1, simulated=platform)
    assert any(verify for _, verify in sink.checks) is (kind != "predicted")


def test_what_is_left_after_the_asked_launches_goes_where_the_intervals_are_widest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def effect(case: Mapping[str, Any], launch: int) -> float:
        noise = {64: 0.2, 4 << 20: 0.04}.get(case["bytes"], 0.0)
        return 1 + noise * (launch % 5)

    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64, 1024, 4 << 20))
    sink, _ = measure(monkeypatch, cases, 150, overhead_s=0.002, effect=effect)
    counts: dict[int, list[int]] = {}
    for key, count in launches_of(sink).items():
        counts.setdefault(int(key.split("/")[2]), []).append(count)
    assert set(counts[8] + counts[1024]) == {5}
    assert min(counts[64]) > max(counts[4 << 20]) >= 5


def test_resume_adds_what_is_missing_and_then_gains_precision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def effect(_: Mapping[str, Any], launch: int) -> float:
        return 1 + 0.05 * (7919 * launch % 101) / 101

    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64, 1024, 4 << 20))
    lines: list[Line] = [make_header(cases)]
    widths = []
    for session, budget_s in enumerate((6, 60, 60)):
        before = weft.load(write_lines(tmp_path / f"{session}.jsonl", lines))
        sink, _ = measure(monkeypatch, cases, budget_s, 0.005, effect, before if session else None)
        lines += [line for line in sink if not isinstance(line, Footer)]
        whole = weft.load(write_lines(tmp_path / f"{session}-whole.jsonl", lines))
        assert bool(whole.missing) is (session == 0)
        assert len(whole.launches) == len([line for line in lines if isinstance(line, Launch)])
        widths.append([row.relative_half_width or math.inf for row in summarise(whole)])
    assert sum(widths[2]) < sum(widths[1])


def test_what_is_done_of_all_is_counted_by_case_and_launch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, _ = measure(monkeypatch, THREE, 60, overhead_s=0.02)
    done, of = zip(*sink.counts, strict=True)
    assert set(of) == {5 * len(THREE)}
    assert list(done) == sorted(done)
    # In the first launch a case after the other, and each batch at most one more.
    assert (min(done[0], 1), done[-1]) == (done[0], sum(launches_of(sink).values()))
    assert max(after - before for before, after in pairwise(done)) == 1


def test_a_budget_that_will_not_do_is_said_before_the_start_with_one_that_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, _ = measure(monkeypatch, THREE, 20, overhead_s=0.02)
    assert max(launches_of(sink).values()) < 5
    before, after = sink.predicted
    assert after.startswith("after the first launches: ")
    assert f"{len(THREE)} cases with 5 launches" in before
    match = re.search(r"--budget (\w+),", after)
    assert match is not None
    enough, _ = measure(monkeypatch, THREE, parse_seconds(match[1]), overhead_s=0.02)
    assert set(launches_of(enough).values()) == {5}
    assert len(enough.predicted) < 2


def test_a_known_number_of_samples_needs_no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = tuple(
        Case(test="ping_pong", transport="tcp", bytes=size << 20, single=True)
        for size in range(16, 513, 16)
    )
    sink, _ = measure(monkeypatch, cases, 600, overhead_s=0.1, samples=2)
    assert not [b for b in sink if isinstance(b, Batch) and b.role == "calibrate"]
    assert set(launches_of(sink).values()) == {5}


def test_every_launch_of_a_case_is_checked_and_very_long_messages_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = make_cases(["ping_pong"], ["tcp"], [8, 1 << 20, 16 << 20, 17 << 20, 64 << 20])
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.005)
    assert set(launches_of(sink).values()) == {5}
    checks = Counter(size for size, verify in sink.checks if verify)
    assert checks == {8: 5, 1 << 20: 5, 16 << 20: 5, 17 << 20: 1, 64 << 20: 1}


def test_neighbours_spare_most_calibrations(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, _ = measure(monkeypatch, USUAL, 60, overhead_s=0.005)
    looks = [b for b in sink if isinstance(b, Batch) and b.role == "calibrate"]
    assert len(looks) < len(USUAL) / 3
    least = 100 * OVERHEAD_TICKS
    batches = [b for b in sink if isinstance(b, Batch) and b.role == "measure"]
    assert min(min(batch.ticks) for batch in batches) >= least


def test_where_time_is_short_each_transport_gets_its_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, left_s = measure(monkeypatch, THREE, 12, overhead_s=0.03)
    launched = [line.transport for line in sink if isinstance(line, Launch)]
    assert set(launched) == {"mpi", "tcp", "ucx"}
    counts = launches_of(sink)
    by_transport = Counter(key.partition("/")[0] for key in counts.elements())
    assert min(by_transport.values()) > 0.5 * max(by_transport.values())
    assert set(counts.values()) == {1}
    assert footer_of(sink).outcome == "budget"
    # No launch or case is broken off: the last of each is what may come after the end.
    assert left_s > -(START_S + END_S + 2)


def test_cases_run_on_their_own_number_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    two = make_cases(transports=("mpi", "tcp"), sizes=(8, 64))
    five = tuple(
        Case(test="hot_spot_send", transport=transport, bytes=8, ranks=5, point=point)
        for transport in ("mpi", "tcp")
        for point in (1, 4)
    )
    sink, _ = measure(monkeypatch, (*two, *five), 60, overhead_s=0.005)
    ranks = {line.launch: len(line.ranks) for line in sink if isinstance(line, Launch)}
    asked = {case.key: case.ranks for case in (*two, *five)}
    batches = [line for line in sink if isinstance(line, Batch)]
    assert {ranks[batch.launch] - asked[batch.case] for batch in batches} == {0}
    assert set(launches_of(sink).values()) == {5}


def test_what_a_transport_cannot_do_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64))

    def refuse(_: Machine, case: Mapping[str, Any], __: float) -> Answer:
        return Answer(id=case["id"], status="unsupported", reason="it cannot wait by block")

    monkeypatch.setattr(Machine, "run", refuse)
    monkeypatch.setattr(Sink, "trouble", lambda _, text: reported.append(text))
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.0)
    assert sorted(reported) == ["mpi: it cannot wait by block", "tcp: it cannot wait by block"]
    lost = [line for line in sink if isinstance(line, Batch)]
    assert {batch.case for batch in lost} == {case.key for case in cases}


def test_the_way_on_has_time_to_find_the_hosts_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """64 hosts in the lab took more than the budget to say what they are, and so they did again."""
    sink, _ = measure(monkeypatch, FEW, 30, 0.005, late_s=90)
    record = weft.load(write_lines(tmp_path / "r.jsonl", [make_header(FEW), *sink]))
    assert footer_of(sink).outcome == "budget"
    [advised] = re.findall(r" --budget (\S+)$", next_session_of(record).finished)
    assert parse_seconds(advised) > 90


@pytest.mark.parametrize("overhead_s", [3.0, 30.0])
def test_the_way_on_takes_what_the_run_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, overhead_s: float
) -> None:
    """Of 1,024 ranks a run said 14 h, and the command that it ended with went on for 2 h."""
    sink, _ = measure(monkeypatch, THREE, 12, overhead_s)
    [said] = re.findall(r"^after the first launches: .* take about (\S+),", sink.predicted[-1])
    record = weft.load(write_lines(tmp_path / "r.jsonl", [make_header(THREE), *sink]))
    assert next_session_of(record).finished.endswith(f" --budget {said}")
    # What ended otherwise lacks nothing.
    sink, _ = measure(monkeypatch, FEW, 60, 0.005)
    assert (footer_of(sink).outcome, footer_of(sink).lacking_s) == ("precise", 0)


def test_when_launches_begin_and_the_run_ends_is_known_to_the_millisecond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By whole seconds a map of half a minute was known to 4 %."""
    sink, _ = measure(monkeypatch, FEW[:1], 60, 0.0)
    begun = [line.started_utc for line in sink if isinstance(line, Launch)]
    for time in (*begun, footer_of(sink).finished_utc):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", time)
