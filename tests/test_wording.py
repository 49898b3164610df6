"""One rule for a figure and its interval: in a terminal, on a page, in a paper, in JSON."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from support.printed import result_of
from support.shown import paper_tables, render_page, render_tables, size_charts
from support.studies import record_of, weak_cases
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sides import side_of_run
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.parameters import of_one_launch, over_launches
from weft.analysis.summary import summarise
from weft.charts import Chart, ChartAxis, Track
from weft.cli.main import app
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.record.run import Run
from weft.report.comparison import comparison_tables
from weft.report.drawing import draw
from weft.report.inline import plot
from weft.report.markup import to_latex, to_markdown
from weft.report.table import console
from weft.sources.limits import read_limits
from weft.topics import charts_of, results_of
from weft.units import (
    format_bandwidth,
    format_change,
    format_computed_bytes,
    format_flops,
    format_percent,
    format_rate,
    format_ratio,
    format_share,
    format_time,
)
from weft.wording import (
    counted,
    ends,
    is_determined,
    parameter_in_words,
    step_of,
    verb_of,
    with_ends,
    with_half,
)

CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp",))
TIMES = [1000.0, 1010.0, 990.0, 1005.0, 995.0]


@pytest.mark.parametrize(
    ("launches", "half", "both"),
    [
        (1, "1.00 µs, 1 launch", "1.00 µs, 1 launch"),
        (2, "1.09 µs [1.06, 1.12] n=2", "1.09 µs [1.06, 1.12] n=2"),
        (5, "1.00 µs ±1.1%", "1.00 µs [990 ns, 1.01 µs]"),
    ],
)
def test_the_rule(launches: int, half: str, both: str) -> None:
    times = [1090.0, 1095.0] if launches == 2 else TIMES[:launches]
    for figure in (
        median_of_launches(times),
        over_launches(times, positive=True) if launches > 1 else of_one_launch(1000.0),
    ):
        assert with_half(figure, format_time) == half
        assert with_ends(figure, format_time) == both


def test_half_the_width_may_stand_in_the_figures_own_unit() -> None:
    figure = median_of_launches(TIMES)
    half = f"{(figure.high - figure.low) / 2:.0f}"
    assert with_half(figure, format_time, in_unit=True) == f"1.00 µs ±{half} ns"


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (980.0, 1040.0, "1.00 µs ±3.0%"),
        (960.0, 1020.0, "1.00 µs ±3.0%"),
        (980.0, 1041.0, "1.00 µs [980 ns, 1.04 µs]"),
        (1000.0, 1041.0, "1.00 µs [1.00, 1.04]"),
    ],
)
def test_one_number_is_for_both_ends_up_to_twice_as_far(
    low: float, high: float, shown: str
) -> None:
    assert with_half(figure_of(1000.0, low, high), format_time) == shown


def test_what_a_table_shows_of_two_modes_covers_as_its_interval_does() -> None:
    """Four launches of ten are 20 % slower; the true median is the faster mode's upper end.

    By half the width for both ends 82 % of 3,000 figures of 12 launches covered it.
    """
    random = np.random.default_rng(47)
    noise = np.exp(0.003 * random.standard_normal((400, 12)))
    times = 1000 * noise * np.where(random.random(noise.shape) < 0.4, 1.2, 1.0)
    # The quantile 0.5 / 0.6 of the faster mode.
    true = 1000 * math.exp(0.003 * 0.9674)
    covered = 0
    for own in times:
        figure = median_of_launches(own.tolist())
        low, high = figure.low, figure.high
        if "±" in with_half(figure, format_time):
            half = (high - low) / 2
            low, high = figure.value - half, figure.value + half
        covered += low <= true <= high
    assert covered >= 0.90 * len(times)


def test_ends_keep_units_that_are_not_the_figures_own() -> None:
    wide = median_of_launches([1000.0, 100_000.0])
    assert with_half(wide, format_time) == "50 µs [not known] n=2"
    some = median_of_launches([1000.0, 1100.0])
    assert with_half(some, format_time) == "1.1 µs [570 ns, 1.9 µs] n=2"
    assert ends(-math.inf, math.inf, format_time) == "1 launch"
    assert ends(-5.0, 1.0, "{:g}".format) == "[-5, 1]"
    assert ends(1.0, math.inf, "{:g}".format) == "[1, no upper bound known]"


def figure_of(value: float, low: float, high: float, launches: int = 9) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, coverage=0.95, method="given", launches=launches
    )


def test_an_end_that_is_nowhere_near_its_figure_is_no_bound() -> None:
    lost = figure_of(32.3e9, 5.13e-200, 40.1e9)
    assert with_ends(lost, format_bandwidth) == "32 GB/s [no lower bound known, 40 GB/s]"
    assert with_half(lost, format_bandwidth) == with_ends(lost, format_bandwidth)
    up = figure_of(100.0, 90.0, 2e6)
    assert with_half(up, format_time) == "100 ns [90 ns, no upper bound known]"
    assert with_ends(figure_of(1.0, 1e-9, 1e9), format_time) == "1.0 ns [not known]"
    assert with_ends(figure_of(-3.0, -5.0, 1.0), "{:g}".format) == "-3 [-5, 1]"


def test_one_end_alone_says_something_near_its_figure_only() -> None:
    """A thousandth of what was measured is no lower bound that anyone asks for."""
    lost = figure_of(2.3e9, 2.5e6, 2.4e12, launches=2)
    assert with_half(lost, format_bandwidth) == "2.3 GB/s [not known] n=2"
    near = figure_of(2.3e9, 2.5e8, 2.4e12, launches=2)
    assert with_half(near, format_bandwidth) == "2.3 GB/s [250 MB/s, no upper bound known] n=2"
    above = figure_of(100.0, -math.inf, 1001.0)
    assert with_half(above, format_time) == "100 ns [not known]"
    # Both ends are a range, and what spans a factor of ten is no figure.
    both = figure_of(2.3e9, 2.5e7, 1e10, launches=2)
    assert with_half(both, format_bandwidth) == "25 MB/s to 10 GB/s n=2"
    # What may be negative has no order of magnitude.
    assert with_ends(figure_of(-3.0, -50.0, math.inf), "{:g}".format) == (
        "-3 [-50, no upper bound known]"
    )


def test_what_is_known_to_less_than_itself_has_its_range() -> None:
    assert with_half(figure_of(4.0, 1.0, 9.5), format_time) == "4.0 ns [1.0, 9.5]"
    assert with_half(figure_of(4.0, 1.0, 8.9), format_time) == "4.0 ns ±99%"


def test_what_spans_a_factor_of_ten_is_a_range_and_no_figure() -> None:
    for write in (with_half, with_ends):
        assert write(figure_of(4.0, 1.0, 10.1), format_time) == "1.0 to 10 ns"
        assert write(figure_of(4e3, 150, 57e3, launches=2), format_time) == "150 ns to 57 µs n=2"
        assert "[" in write(figure_of(4e3, 1.2e3, 12e3, launches=2), format_time)
    # Half its width is less than itself, and yet nobody knows its order of magnitude.
    assert with_half(figure_of(5.0, 0.5, 9.0), format_time) == "0.50 to 9.0 ns"
    assert with_ends(figure_of(5.39, 0.49, 58.99), format_ratio) == "0.490 to 59.0"
    assert with_half(figure_of(5.0, 0.5, 9.0), format_percent, in_unit=True) == "5.0 % ±4.2 %"


def test_a_parameter_of_unknown_order_of_magnitude_is_no_figure() -> None:
    wide, narrow = figure_of(5e9, 1e9, 1.1e10), figure_of(5e9, 1e9, 9e9)
    assert parameter_in_words(narrow, format_bandwidth) == "5.0 GB/s [1.0, 9.0]"
    assert parameter_in_words(wide, format_bandwidth, "larger messages") == (
        "not determined by these sizes: measure larger messages"
    )
    few = figure_of(5e9, 1e9, 1.1e10, launches=2)
    assert parameter_in_words(few, format_bandwidth) == (
        "not determined by 2 launches: measure at least 5"
    )


POSITIVE = st.floats(1e-300, 1e300)


@given(POSITIVE, POSITIVE, POSITIVE, st.sampled_from([0, 1, 2, 5, 40]))
def test_no_figure_and_no_end_is_a_row_of_zeros(
    one: float, two: float, three: float, launches: int
) -> None:
    low, value, high = sorted((one, two, three))
    figure = figure_of(value, low, high, launches)
    for shape in (format_time, format_bandwidth, format_rate):
        for words in (with_ends(figure, shape), with_half(figure, shape)):
            assert not re.search(r"0\.000", words)
            assert "inf" not in words
            # Plus-minus is never more than the figure.
            for share in re.findall(r"±([\d.]+)%", words):
                assert float(share) <= 100
        if high > 10 * low and launches != 1:
            assert parameter_in_words(figure, shape).startswith("not determined by")


def record(folder: Path, launches: int) -> Run:
    def apart(case: Case, launch: int) -> Sequence[float]:
        return [time * (1 + 0.05 * launch) for time in usual_times_ns(case, launch)]

    path = folder / f"{launches}.jsonl"
    return weft.load(synthetic_record(path, CASES, launches=launches, times_ns=apart))


def everywhere(run: Run, other: Run, folder: Path) -> dict[str, str]:
    """The figures of a run as every way out writes them."""
    summaries = summarise(run)
    limit = folder / "limits.toml"
    limit.write_text('[[limit]]\ntest = "ping_pong"\nlatency_at_most = "1 s"\n')
    sides = [side_of_run(one, summarise(one), str(one.path)) for one in (run, other)]
    tables = paper_tables(run, summaries)
    shown = {}
    for name, part in (
        ("terminal", render_tables(run, summaries)),
        ("compare", comparison_tables(compare(sides))),
    ):
        screen = console()
        with screen.capture() as capture:
            screen.print(part)
        shown[name] = capture.get()
    charts = size_charts([(run, summaries)])
    return {
        **shown,
        "page": render_page([(run, summaries)]).split("<script>")[0].replace("\xa0", " "),
        "latex": to_latex(tables),
        "markdown": to_markdown(tables),
        "check": "; ".join(c.why for c in against_limits(pool([run]), read_limits(limit))),
        "charts": " ".join(text for c in charts for track in c.tracks for text in track.texts),
        "fit": CliRunner().invoke(app, ["fit", str(run.path)]).output,
    }


@pytest.mark.usefixtures("undrawn")
def test_one_launch_is_a_figure_and_its_number_everywhere(tmp_path: Path) -> None:
    run = record(tmp_path, 1)
    for place, text in everywhere(run, record(tmp_path, 3), tmp_path).items():
        assert re.search(r"[µn]s(\$)?, 1 launch|/s, 1 launch", text), place
        assert not re.search(r"(±|pm\$ ?)[\d.]+ ?\\?%", text.replace("±1 %", "")), place
        assert "inf" not in text.replace("information", ""), place


@pytest.mark.usefixtures("undrawn")
def test_two_to_four_launches_are_low_high_and_n_everywhere(tmp_path: Path) -> None:
    run = record(tmp_path, 3)
    for place, text in everywhere(run, record(tmp_path, 5), tmp_path).items():
        assert re.search(r"\[[^]]+, [^]]+\] n=3", text), place


def test_in_json_one_launch_has_no_ends(tmp_path: Path) -> None:
    run = record(tmp_path, 1)
    output = CliRunner().invoke(app, ["show", str(run.path), "--json"]).output
    for row in result_of(output):
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            if name in row:
                assert (row[name]["low"], row[name]["high"], row[name]["launches"]) == (
                    None,
                    None,
                    1,
                )
        assert "relative_half_width" not in row


def test_a_point_of_one_launch_has_no_error_bar(tmp_path: Path) -> None:
    run = record(tmp_path, 1)
    for chart in size_charts([(run, summarise(run))]):
        for track in chart.tracks:
            assert track.bars() == ([0.0] * len(track.y), [0.0] * len(track.y))
        assert "Infinity" not in json.dumps(plot(chart))
        assert draw(chart, ["svg"])


def test_an_interval_that_says_nothing_has_no_bar_and_a_line_below_the_chart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.studies.LAUNCH_EFFECTS", (1.0, 100.0))
    run = record_of(tmp_path, weak_cases(extents=(8,)), launches=2)
    charts = [
        one for one in charts_of([results_of(run, summarise(run))]) if "efficiency" in one.name
    ]
    assert charts
    for chart in charts:
        for track in chart.tracks:
            assert track.bars() == ([0.0] * len(track.y), [0.0] * len(track.y))
        assert chart.words.endswith("A point without a bar: interval not known.")


def test_a_known_interval_has_its_bar_and_no_such_line() -> None:
    known = Track(label="a", x=(1.0,), y=(2.0,), low=(1.0,), high=(3.0,))
    # A difference may be nearly nothing, and is known.
    small = Track(label="b", x=(1.0,), y=(2.0,), low=(1e-6,), high=(3.0,), is_signed=True)
    assert known.bars() == ([1.0], [1.0])
    assert small.bars() == ([2.0 - 1e-6], [1.0])
    axis = ChartAxis("x")
    chart = Chart(name="c", title="", alt="", x=axis, y=axis, tracks=(known, small), note="n")
    assert chart.words == "n"


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [(0, "case", "0 cases"), (1, "case", "1 case"), (2, "case", "2 cases"),
     (1, "launch", "1 launch"), (5, "launch", "5 launches"), (3, "more row", "3 more rows"),
     (4, "series", "4 series"), (999, "node", "999 nodes"), (4096, "node", "4,096 nodes")],
)  # fmt: skip
def test_what_is_counted_has_its_number(number: int, noun: str, words: str) -> None:
    assert counted(number, noun) == words


@pytest.mark.parametrize(
    ("number", "whole", "verb", "words"),
    [
        (0, 1, "are", "is"),
        (1, 1, "are", "is"),
        (1, 5, "are", "is"),
        (0, 5, "are", "are"),
        (3, 5, "have", "have"),
        (1, 0, "have", "has"),
        (1, 0, "were", "was"),
        (0, 0, "were", "were"),
        (1, 4, "show", "shows"),
        (2, 0, "need", "need"),
    ],
)
def test_a_verb_is_that_of_its_number(number: int, whole: int, verb: str, words: str) -> None:
    assert verb_of(number, verb, whole) == words


def test_a_bandwidth_without_end_is_not_determined() -> None:
    """That of three noisy sizes whose line does not rise; it broke the page of a run."""
    flat = Estimate(value=math.inf, low=1e9, high=math.inf, coverage=0.95, method="", launches=3)
    assert parameter_in_words(flat, format_bandwidth, "larger messages") == (
        "not determined by 3 launches: measure at least 5"
    )


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_parameter_without_end_is_no_figure_even_without_an_interval(value: float) -> None:
    """Nothing says that one without an interval is not known, but the value itself does."""
    alone = figure_of(value, -math.inf, math.inf, launches=1)
    assert not is_determined(alone)
    assert parameter_in_words(alone, format_bandwidth) == (
        "not determined by 1 launch: measure at least 5"
    )
    known = figure_of(5e9, -math.inf, math.inf, launches=1)
    assert parameter_in_words(known, format_bandwidth) == "5.00 GB/s, 1 launch"


@given(
    st.floats(1e-3, 1e12),
    st.floats(1e-6, 0.9),
    st.floats(1e-6, 5.0),
    st.sampled_from([2, 5, 40]),
)
def test_digits_are_those_that_the_interval_bears_out(
    value: float, down: float, up: float, launches: int
) -> None:
    figure = figure_of(value, value * (1 - down), value * (1 + up), launches)
    step, half = step_of(figure), (figure.high - figure.low) / 2
    assert step is not None
    digits = math.floor(math.log10(value)) - round(math.log10(step)) + 1
    assert 2 <= digits <= (4 if half < 0.002 * value else 3)
    # The last digit is no finer than a hundredth of half the width, and rounding moves the figure
    # by no more than a fifth of that width, unless the fewest or the most digits say otherwise.
    assert step > 0.01 * half or digits == 2
    assert step / 2 < 0.2 * half or digits >= 3
    for shape in (format_time, format_bandwidth, format_rate, format_percent, format_flops):
        assert len(shape(value, step).split()[0]) <= 12


@given(st.floats(1e-3, 9e5), st.floats(1e-3, 9e5), st.sampled_from([None, 0.01, 1.0]))
def test_a_larger_figure_is_never_written_as_a_smaller_one(
    one: float, two: float, step: float | None
) -> None:
    low, high = sorted((one, two))
    for shape, units in ((format_time, TIMES_OF), (format_bandwidth, RATES_OF)):
        texts = (shape(low, step), shape(high, step))
        first, second = (read(text.split()[0]) * units[text.split()[1]] for text in texts)
        assert first <= second * (1 + 1e-9), texts


@pytest.mark.parametrize(
    ("low", "high", "known"),
    [(1.0, 10.0, True), (1.0, 10.1, False), (-1.0, 2.0, False), (-10.0, -1.0, True),
     (0.0, 1.0, False), (5.0, 5.0, True), (1.0, math.inf, False), (-math.inf, math.inf, True)],
)  # fmt: skip
def test_a_parameter_is_determined_within_a_factor_of_ten(
    low: float, high: float, *, known: bool
) -> None:
    assert is_determined(figure_of(5.0, low, high)) is known


TIMES_OF = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
RATES_OF = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}


def read(text: str) -> float:
    """The number as a reader takes it."""
    return float(text)


@pytest.mark.parametrize(
    ("low", "high", "half"),
    [(95.0, 105.0, "100 ns ±5.0%"), (88.0, 112.0, "100 ns ±12%"),
     (99.98, 100.02, "100.0 ns ±0.020%"), (60.0, 140.0, "100 ns ±40%"),
     (-50.0, 160.0, "100 ns [-50, 160]")],
)  # fmt: skip
def test_half_a_width_has_the_digits_that_say_something(low: float, high: float, half: str) -> None:
    assert with_half(figure_of(100.0, low, high), format_time) == half


def test_a_computed_size_and_a_ratio_have_their_own_units() -> None:
    assert format_computed_bytes(12595.0, 100.0) == "12.30 KiB"
    assert format_computed_bytes(85.4, 1.0) == "85 B"
    assert format_computed_bytes(3.0 * 2**20) == "3.00 MiB"
    assert [format_ratio(one) for one in (0.9994, 1.0, 12.34567)] == ["0.999", "1.000", "12.35"]
    assert format_ratio(0.5, 1.0) == "0.50"
    assert format_change(-3.25, 0.1) == "-3.2 %"
    assert format_share(0.982) == "98.2 %"
