"""Every interval as it stands in the record's summary: drawn, exported, written, ends in place."""

import re

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import weft
from support.builders import OPS_PER_SAMPLE, TICKS_NS, make_cases, synthetic_record
from support.drawn import page_plots, svg_bars, svg_points
from support.shown import render_page, size_charts
from weft.analysis.summary import CaseSummary, summarise
from weft.cli.main import app
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.record.run import Run
from weft.report.drawing import draw
from weft.units import parse_bandwidth, parse_time

SIZES = (0, 100, 4096, 100_000, 1 << 20)
# Lopsided: the median is the third, near the low end.
EFFECTS = (0.99, 1.3, 1.0, 0.995, 1.1)


def lopsided(case: Case, round_: int) -> list[float]:
    middle = (2000 + 0.1 * case.bytes) * EFFECTS[round_]
    return [middle * (1 + step / 1e4) for step in range(-100, 101)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("shown") / "r.jsonl"
    cases = make_cases(("ping_pong", "stream"), ("tcp",), SIZES)
    return weft.load(synthetic_record(path, cases, times_ns=lopsided))


@pytest.fixture(scope="module")
def summaries(run: Run) -> tuple[CaseSummary, ...]:
    return summarise(run)


def estimates(summaries: tuple[CaseSummary, ...], test: str) -> list[Estimate]:
    own = sorted((s for s in summaries if s.test == test), key=lambda s: s.bytes)
    found = [s.latency_ns if test == "ping_pong" else s.bandwidth_bytes_per_s for s in own]
    assert all(found)
    return [one for one in found if one is not None]


UNITS = {"ping_pong": 1e-3, "stream": 1e-6}


def test_the_intervals_are_lopsided_or_nothing_here_would_notice(
    summaries: tuple[CaseSummary, ...],
) -> None:
    for test in UNITS:
        for one in estimates(summaries, test):
            down, up = one.value - one.low, one.high - one.value
            assert max(up, down) > 5 * min(up, down)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("test", UNITS)
def test_a_pages_bars_reach_from_the_low_end_to_the_high_end(
    run: Run, summaries: tuple[CaseSummary, ...], test: str
) -> None:
    [trace] = page_plots(render_page([(run, summaries)]))[test]["tracks"]
    wanted = estimates(summaries, test)
    unit = UNITS[test]
    y = np.array(trace["y"])
    assert y == pytest.approx([one.value * unit for one in wanted])
    assert y - trace["down"] == pytest.approx([one.low * unit for one in wanted])
    assert y + trace["up"] == pytest.approx([one.high * unit for one in wanted])
    assert trace["x"][-4:] == [float(size) for size in SIZES[-4:]]


@pytest.mark.parametrize("test", UNITS)
def test_a_drawings_bars_reach_from_the_low_end_to_the_high_end(
    run: Run, summaries: tuple[CaseSummary, ...], test: str
) -> None:
    [figure] = [one for one in size_charts([(run, summaries)]) if one.name == test]
    text = draw(figure, ("svg",))[0].decode()
    wanted = estimates(summaries, test)
    unit = UNITS[test]
    assert [y for _, y in svg_points(text)] == pytest.approx(
        [one.value * unit for one in wanted], rel=1e-4
    )
    lows, highs = zip(*svg_bars(text), strict=True)
    assert lows == pytest.approx([one.low * unit for one in wanted], rel=1e-4)
    assert highs == pytest.approx([one.high * unit for one in wanted], rel=1e-4)
    # A log axis has no zero: that point stands left of all others.
    sizes = [size for size in SIZES if size or test == "ping_pong"]
    places = [x for x, _ in svg_points(text)]
    assert places[-4:] == pytest.approx([float(size) for size in sizes[-4:]], rel=1e-3)


def test_the_summary_as_csv_has_the_ends_and_percentiles_of_the_samples(
    run: Run, summaries: tuple[CaseSummary, ...]
) -> None:
    path = run.path.with_name("summary.csv")
    words = ["export", str(run.path), "--csv", str(path), "--table", "summary"]
    assert CliRunner().invoke(app, words).exit_code == 0
    rows = {row["case"]: row for row in pl.read_csv(path, infer_schema_length=None).to_dicts()}
    for summary in summaries:
        row = rows[summary.case]
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            estimate = getattr(summary, name)
            if estimate is not None:
                known = (estimate.value, estimate.low, estimate.high)
                for part, value in zip(("", "_low", "_high"), known, strict=True):
                    assert row[f"{name}{part}"] == pytest.approx(value)
        if summary.latency_ns is None:
            continue
        case = run.cases[summary.case]
        ticks_ns = [TICKS_NS[at % len(TICKS_NS)] / OPS_PER_SAMPLE for at in range(len(EFFECTS))]
        halves = sorted(
            round(value / tick_ns) * tick_ns / 2
            for round_, tick_ns in enumerate(ticks_ns)
            for value in lopsided(case, round_)
        )
        for percentile in (5, 25, 75, 95):
            place = percentile / 100 * (len(halves) - 1)
            below, share = int(place), place % 1
            truth = halves[below] * (1 - share) + halves[below + 1] * share
            assert row[f"latency_of_means_ns_p{percentile}"] == pytest.approx(truth, rel=1e-9)


def read(text: str) -> float:
    parse = parse_bandwidth if "/s" in text else parse_time
    return parse(text)


@pytest.mark.parametrize("kind", ["latex", "markdown"])
def test_models_for_a_paper_have_their_low_end_first(run: Run, kind: str) -> None:
    path = run.path.with_name(f"models.{kind}")
    words = ["export", str(run.path), f"--{kind}", str(path), "--table", "models"]
    assert CliRunner().invoke(app, words).exit_code == 0
    text = path.read_text().replace(r"$\mu$", "µ")
    number = r"([\d.]+)(?: ([kMGnµm]?(?:B/s|s)))?"
    found = re.findall(rf"([\d.]+) ([kMGnµm]?(?:B/s|s)) \[{number}, {number}\]", text)
    assert len(found) >= 4
    for value, unit, low, low_unit, high, high_unit in found:
        ends = [read(f"{low} {low_unit or unit}"), read(f"{high} {high_unit or unit}")]
        middle = read(f"{value} {unit}")
        assert ends[0] <= middle <= ends[1], (value, unit, low, high)
        assert ends[0] < ends[1], (value, unit, low, high)
