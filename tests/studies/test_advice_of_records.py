"""What trend, layers, scaling, price and fit say would tell more, and that they rest on a session.

Each command that they advise is one that can be typed.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.builders import make_cases, synthetic_record, write_lines
from support.nights import nights
from support.studies import LOSS, record_of, weak_cases
from support.typed import request_of_command
from weft.analysis.compare.history import history
from weft.analysis.fits.linear import fit_line
from weft.analysis.fits.models import fit_models
from weft.analysis.layers import step_between
from weft.analysis.stats.launches import OTHER_DAYS, rests_on
from weft.analysis.stats.needed import to_be_beside
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.steps import sessions_for_step
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.record.run import Run
from weft.sources.series import series_of_record
from weft.topics import results_of
from weft.topics.scaling import Scaling

SIZES = make_cases(tests=("ping_pong",), transports=("tcp",))


def record(folder: Path, scatter: float, launches: int = 5) -> Run:
    """A ping-pong of 1 us and 1 ns a byte whose launches scatter."""
    draw = np.random.default_rng(7).standard_normal(launches)

    def times(case: Case, launch: int) -> Sequence[float]:
        slow = math.exp(scatter * draw[launch])
        return [(1000.0 + case.bytes) * slow * (1 + at / 1000) for at in range(9)]

    return weft.load(synthetic_record(folder / "r.jsonl", SIZES, launches=launches, times_ns=times))


def type_it(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one command of a line is a run."""
    [command] = re.findall(r"weft run --again \S+(?: --launches \d+ --budget \w+)?", line)
    request_of_command(command, monkeypatch)


def test_one_session_is_said_to_be_one_with_the_command_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(tmp_path, 0.01)
    [line] = rests_on(run)
    assert line.startswith(f"1 session of 5 launches: {OTHER_DAYS}; for another session, run at")
    type_it(line.replace(", and", " "), monkeypatch)


def test_a_trend_of_few_sessions_says_how_many_more_until_steps_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [advice] = history(nights(tmp_path, [1.0, 1.001])).advice
    assert "takes about 2 sessions more" in advice
    type_it(advice.replace(" at other", " "), monkeypatch)


def test_a_trend_without_a_step_says_how_many_sessions_would_show_one(tmp_path: Path) -> None:
    for name in ("wild", "stepped"):
        (tmp_path / name).mkdir()
    found = history(nights(tmp_path, [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01]))
    assert all(course.needed and course.needed.unit == "session" for course in found.courses)
    counts = {course.needed.count for course in found.courses if course.needed}
    assert f"takes about {int(min(counts))} sessions more" in found.advice[0]
    # Few that scatter by a quarter know their level too badly for a step of 5 %.
    wild = history(nights(tmp_path / "wild", [1.0, 1.3, 0.8, 1.25, 0.75]))
    assert "more than any number of sessions" in wild.advice[0]
    stepped = history(nights(tmp_path / "stepped", [1.0, 1.001, 0.999, 1.33, 1.331, 1.329]))
    assert not stepped.advice


@given(st.floats(1e-4, 0.2), st.integers(4, 60), st.floats(0.01, 0.5), st.floats(1.0, 5.0))
@settings(deadline=None)
def test_a_step_takes_no_fewer_sessions_the_smaller_it_is(
    scatter: float, before: int, shift: float, more: float
) -> None:
    base = sessions_for_step(scatter, before, shift)
    assert sessions_for_step(more * scatter, before, shift) >= base
    assert sessions_for_step(scatter, before, shift / more) >= base


def test_a_layer_that_cannot_be_told_says_how_many_rounds_would() -> None:
    """Rounds of 10 us whose difference of 0.1 us scatters by 1 us."""
    below = over_launches([10_000.0, 10_900.0, 9_100.0, 10_400.0, 9_600.0], positive=True)
    rounds = [dict(enumerate([10_000.0, 10_900.0, 9_100.0, 10_400.0, 9_600.0])), {}]
    rounds[1] = {at: time + (900.0 if at % 2 else -700.0) for at, time in rounds[0].items()}
    step = step_between(8, below, below).in_rounds(rounds[0], rounds[1])
    assert step.verdict == "cannot tell"
    assert (step.added_ns.launches, step.added_ns.unit) == (5, "launch")
    counts = [step.needed(precision) for precision in (0.01, 0.5)]
    assert counts[0] is not None
    assert counts[1] is not None
    assert counts[0].count >= counts[1].count
    told = {at: time + 5000.0 + at for at, time in rounds[0].items()}
    assert step_between(8, below, below).in_rounds(rounds[0], told).needed(0.01) is None


@pytest.mark.parametrize("above_ns", [4_000.0, 20_000.0])
def test_the_least_difference_that_a_layer_is_told_by_is_a_share_of_the_layer_below(
    above_ns: float,
) -> None:
    """The rounds of both differ by as good as nothing, whatever each takes by itself."""
    at_10_us = over_launches([9_900.0, 10_000.0, 10_100.0], positive=True)
    above = at_10_us.mapped(lambda time: time * above_ns / 10_000)
    added = over_launches([-300.0, -100.0, 0.0, 100.0, 300.0], positive=False)
    apart = step_between(8, at_10_us, above)
    step = msgspec.structs.replace(apart, by_itself_ns=added, verdict="cannot tell")
    assert step.needed(0.2) == to_be_beside(added, 0.0, 2_000.0)
    assert step.needed(0.2) != to_be_beside(added, 0.0, 0.2 * above_ns)


def test_scaling_without_a_verdict_says_what_would_give_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOSS, 8, 0.1)
    monkeypatch.setattr("support.studies.LAUNCH_EFFECTS", (0.8, 1.0, 1.2, 1.1, 0.9))
    run = record_of(tmp_path, weak_cases(extents=(8,)))
    topic = Scaling()
    rows = topic.rows(results_of(run, summarise(run)))
    assert [cost.verdict for cost in rows.costs] == ["cannot tell"]
    assert rows.costs[0].needed is not None
    found = topic.findings(rows)
    [told] = [line for line in found if "takes about" in line]
    assert f"about {int(rows.costs[0].needed.count):,} launches" in told
    type_it(told.replace(", and", " "), monkeypatch)
    assert any(OTHER_DAYS in line for line in found)


def test_a_fit_says_that_it_rests_on_one_session(tmp_path: Path) -> None:
    [(series, _)] = series_of_record(record(tmp_path, 0.01))
    assert any(OTHER_DAYS in note for note in fit_line(series).notes)


def resumed(folder: Path, factors: Sequence[float]) -> Run:
    """A record of three launches a session, each session slower by its factor."""
    run = record(folder, 0.001, 3 * len(factors))
    lines = run.lines
    launches = [msgspec.structs.replace(one, session=one.launch // 3) for one in lines.launches]
    batches = [
        msgspec.structs.replace(
            one, ticks=tuple(round(tick * factors[one.launch // 3]) for tick in one.ticks)
        )
        for one in lines.batches
    ]
    assert lines.footer is not None
    path = folder / "resumed.jsonl"
    return weft.load(write_lines(path, [lines.header, *launches, *batches, lines.footer]))


def test_figures_and_fits_of_several_sessions_are_over_the_sessions(tmp_path: Path) -> None:
    """Launches of a session agree to 0.1 %, sessions differ by 10 %: three of them, not nine."""
    run = resumed(tmp_path, (0.9, 1.0, 1.1))
    for summary in summarise(run):
        assert summary.latency_ns is not None
        assert (summary.latency_ns.launches, summary.latency_ns.unit) == (3, "session")
        assert summary.latency_ns.relative_half_width > 0.1
        assert not summary.settled
    [(series, _)] = series_of_record(run)
    fit = fit_line(series)
    for line in (fit.least_squares, fit.median_line):
        for parameter in (line.latency_ns, line.slope_ns_per_byte):
            assert (parameter.launches, parameter.unit) == (3, "session")
            assert parameter.low < 0.9 * parameter.value < 1.1 * parameter.value < parameter.high
    model = fit_models(series).piecewise
    if model is not None:
        assert model.segments[0].slope_ns_per_byte.unit == "session"


def test_cases_of_one_session_of_a_resumed_record_keep_their_launches(tmp_path: Path) -> None:
    run = record(tmp_path, 0.01)
    for summary in summarise(run):
        assert summary.latency_ns is not None
        assert (summary.latency_ns.launches, summary.latency_ns.unit) == (5, "launch")
