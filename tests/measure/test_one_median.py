"""What stops a run and what sums it up take the same median of the same launches."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

import weft
from support.builders import make_batch, make_clock, make_header, make_launch, write_lines
from support.odd_records import OddRecord, odd_records
from support.virtual_ranks import Machine, footer_of, measure, programs_of
from weft.analysis.compare.pool import pool
from weft.analysis.stats.trend import trends_of
from weft.analysis.summary import summarise
from weft.launch.protocol import Answer, Bye
from weft.measure.state import restore
from weft.plan.case import Case
from weft.report.notes import ending_in_words
from weft.topics.exchange import exchanges_of
from weft.topics.registration import registrations_of
from weft.topics.series import median_over
from weft.topics.streams import streams_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.record.model import Line

CASES = tuple(Case(test="ping_pong", transport="tcp", bytes=size) for size in (0, 8, 1024, 65536))


class TwoModes(Machine):
    """Half of a batch's samples take longer, by unlike amounts in each launch.

    So the upper one of the two middle samples scatters where their mean does not, or the reverse.
    """

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        answer = super().run(case, wait_s)
        count = len(answer.ticks) - answer.warmup
        kept = count - count % 2 + answer.warmup
        move = (self.launches % 5) * int(case["bytes"] > 0) / 50
        usual = answer.ticks[0]
        # The mean of the middle two stays, or moves with the size.
        above = round(usual * (1.2 + move))
        below = round(usual * (0.8 - move * (case["bytes"] < 65536)))
        ticks = tuple(
            below if at < answer.warmup + (kept - answer.warmup) // 2 else above
            for at in range(kept)
        )
        return msgspec.structs.replace(answer, ticks=ticks)


class Reclocked(Machine):
    """The tick of a launch turns out to be another one at its end, by the longer calibration."""

    def finish(self, _: float = 0) -> Bye:
        tick_ns = 1 + 0.03 * (self.launches % 3)
        return Bye(clock=make_clock(tick_ns=tick_ns, baseline_ns=10**10))


@pytest.mark.parametrize("ranks", [Machine, TwoModes, Reclocked])
def test_a_run_stops_on_what_its_summary_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ranks: type[Machine]
) -> None:
    """ "Every case is precise: 3 of 4 cases are within ±1 %": the two had a median of their own."""
    sink, _ = measure(monkeypatch, CASES, 20, 0.0, ranks=ranks)
    footer = footer_of(sink)
    header = make_header(CASES, launches=5, precision=0.01)
    run = weft.load(write_lines(tmp_path / "a.jsonl", [header, *sink]))
    unsettled = tuple(summary.case for summary in summarise(run) if not summary.settled)
    assert footer.unsettled == unsettled
    assert (footer.outcome == "precise") == (not unsettled)
    if ranks is TwoModes:
        assert 0 < len(unsettled) < len(CASES)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(odd_records())
def test_a_record_that_is_taken_up_again_says_the_same(odd: OddRecord) -> None:
    """Restore, summary and pool, of any record."""
    with tempfile.TemporaryDirectory() as folder:
        run = weft.load(odd.write(Path(folder) / "a.jsonl"))
    plan = run.header.plan
    states = {s.case.key: s for s in restore(plan, programs_of(plan.cases), run).states}
    pooled = pool([run])
    for summary in summarise(run):
        state, own = states[summary.case], pooled[summary.case]
        assert state.is_settled(plan) == summary.settled
        assert len(state.medians_ns) == summary.launches == own.launches
        if summary.launches and min(state.medians_ns) > 0:
            [paces] = own.paces
            share = next(iter(paces.values())) / state.medians_ns[0]
            expected = [time * share for time in state.medians_ns]
            assert list(paces.values()) == pytest.approx(expected, rel=1e-9)


PARTS = {
    "ping_pong": (),
    "hot_spot_send": ("rank1", "rank2"),
    "registration": ("deregister",),
    "sendrecv": ("rank1",),
}


def test_batches_of_one_launch_are_one_sample_everywhere(tmp_path: Path) -> None:
    """Three samples of 1 and five from 3 to 7 have the median 3.5; by batches it is 1 or 5."""
    cases = tuple(
        Case(test=test, transport="tcp", bytes=8, point=2 if "hot" in test else None)
        for test in PARTS
    )
    lines: list[Line] = [make_header(cases)]
    order = 0
    for launch, effect in enumerate((0.99, 1.0, 1.02)):
        lines.append(make_launch(launch, "tcp"))
        for case in cases:
            for shares in ((1, 1, 1), (3, 4, 5, 6, 7)):
                times = [1000 * effect * share for share in shares]
                parts = dict.fromkeys(PARTS[case.test], times)
                lines.append(make_batch(case, launch, order, times, parts_ns=parts))
                order += 1
    run = weft.load(write_lines(tmp_path / "a.jsonl", lines))
    plan, summaries = run.header.plan, summarise(run)
    expected = [3465.0, 3500.0, 3570.0]
    for state in restore(plan, programs_of(cases), run).states:
        assert list(state.medians_ns) == pytest.approx(expected)
    for summary in summaries:
        figure = summary.latency_ns or summary.bandwidth_bytes_per_s
        assert summary.launches == 3
        assert figure is not None
    ping_pong = summaries[0].latency_ns
    assert ping_pong is not None
    assert ping_pong.value == pytest.approx(1750)
    for own in pool([run]).values():
        [paces] = own.paces
        assert [pace / paces[1] for pace in paces.values()] == pytest.approx([0.99, 1.0, 1.02])
    [trend] = trends_of(run)
    assert trend.launches == 3
    assert trend.change == pytest.approx(0.0303, abs=1e-3)
    assert median_over(run, run.measured_by_case[cases[0].key], run.time_ns).value == pytest.approx(
        3500
    )
    [stream] = streams_of(run, summaries)
    assert stream.time_ns.value == pytest.approx(3500)
    [memory] = registrations_of(run, summaries)
    assert memory.deregister_ns.value == pytest.approx(3500)
    [exchange] = exchanges_of(run)
    assert exchange.launches == 3
    assert exchange.greatest_ns.value == pytest.approx(3500)


def test_a_run_never_says_that_every_case_is_precise_where_some_are_not(tmp_path: Path) -> None:
    """One that is not supported, one whose tail is its figure, and two that are precise."""
    from support.builders import LAUNCH_EFFECTS, lost_batch, synthetic_record

    cases = (*CASES[:3], Case(test="offered_load", transport="tcp", bytes=8, point=90))

    def times(case: Case, launch: int) -> list[float]:
        if case == CASES[0]:
            return []
        far = 0.2 * launch if case.point else 0.0
        return [1000 * (LAUNCH_EFFECTS[launch] + far)] * 20

    lost = lost_batch(CASES[0], 0, 900, "unsupported", "a reason")
    run = weft.load(synthetic_record(tmp_path / "a.jsonl", cases, times_ns=times, more=[lost]))
    said = ending_in_words(run, summarise(run))
    assert said == (
        "The run is done: 2 of 4 cases are within ±1 % over 5 launches of one session; 1 has all"
        " its launches and a wider interval, 1 could not be measured."
    )
    whole = weft.load(synthetic_record(tmp_path / "b.jsonl", CASES))
    assert ending_in_words(whole, summarise(whole)) == (
        "Every case is precise: 4 of 4 cases are within ±1 % over 5 launches of one session."
    )
