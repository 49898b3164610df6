"""The network signature of known lines and of published platforms."""

from pathlib import Path

import numpy as np
import pytest

import weft
from support.builders import make_cases, synthetic_record
from weft.analysis.fits.signature import signature_of
from weft.analysis.fits.sweeps import series_of_times
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.report.signatures import signature_chart
from weft.sources.series import series_of, series_of_record


def test_the_marks_are_the_empty_message_and_the_asymptote() -> None:
    sizes = np.array([0, 64, 1024, 16384, 262144, 4194304])
    found = signature_of(series_of_times("line", sizes, 7000 + 1.25 * sizes))
    assert found.zero_length_ns.value == pytest.approx(7000)
    assert found.saturation_bytes_per_s.value == pytest.approx(800e6)
    assert not found.notes
    at = {point.bytes: point for point in found.points}
    assert at[1024].time_ns.value == pytest.approx(8280)
    assert at[1024].bandwidth_bytes_per_s.value == pytest.approx(1024 / 8280e-9)


def test_marks_that_were_not_measured_are_told() -> None:
    sizes = np.array([8, 16, 32, 64, 128, 1024])
    found = signature_of(series_of_times("short", sizes, 7000 + 1.25 * sizes))
    assert found.zero_length_ns.value == pytest.approx(7000)
    assert "extrapolated from 8 B" in found.notes[0]
    assert "saturation is extrapolated" in found.notes[1]


def test_published_platforms_keep_their_published_marks() -> None:
    peaks = {"escher": (4290, 958.5e6), "red-squall": (2100, 875.9e6), "callisto": (6170, 728.9e6)}
    for name, (latency, peak) in peaks.items():
        [(series, stream)] = series_of(name)
        assert stream is None
        found = signature_of(series)
        assert found.zero_length_ns.value == latency
        assert found.saturation_bytes_per_s.value == pytest.approx(peak, rel=0.01)


def test_both_ways_count_both_ways() -> None:
    [(series, _)] = series_of("escher", "sendrecv")
    found = signature_of(series)
    assert found.saturation_bytes_per_s.value == pytest.approx(1857.3e6, rel=0.01)
    assert found.points[-1].bandwidth_bytes_per_s.value == pytest.approx(1857.3e6)


def test_the_chart_has_a_curve_and_two_marks_each() -> None:
    found = [signature_of(series_of(name)[0][0]) for name in ("escher", "callisto")]
    chart = signature_chart(found)
    assert [track.label for track in chart.tracks] == ["Escher, ping_pong", "Callisto, ping_pong"]
    assert [(mark.axis, mark.group) for mark in chart.marks] == [
        ("x", 0), ("y", 0), ("x", 1), ("y", 1),
    ]  # fmt: skip
    # An empty message has no place on a logarithmic axis of bandwidths.
    assert len(chart.tracks[0].x) == len(found[0].points) - 1
    assert chart.tracks[0].x[0] == pytest.approx(4.42)


def test_the_charts_units_are_microseconds_and_megabytes_of_ten_to_the_six() -> None:
    found = signature_of(series_of("escher")[0][0])
    chart = signature_chart([found])
    assert (chart.x.label, chart.y.label) == ("transfer time in µs", "bandwidth in MB/s")
    marks = {mark.axis: mark.at for mark in chart.marks}
    assert marks["x"] == pytest.approx(found.zero_length_ns.value / 1e3)
    assert marks["y"] == pytest.approx(found.saturation_bytes_per_s.value / 1e6)
    shown = [point for point in found.points if point.bytes]
    [track] = chart.tracks
    assert track.x == pytest.approx([point.time_ns.value / 1e3 for point in shown])
    rates = [point.bandwidth_bytes_per_s.value / 1e6 for point in shown]
    assert track.y == pytest.approx(rates)


def test_a_time_is_known_to_half_a_tick_of_the_clock(tmp_path: Path) -> None:
    # Six sizes, all launches alike: what is left of the interval is the clock's.
    cases = make_cases(tests=("ping_pong",), sizes=(8, 64, 512, 4096, 32768, 262144))
    path = synthetic_record(
        tmp_path / "r.jsonl", cases, times_ns=lambda case, _: [3000.0 + case.bytes] * 20
    )
    run = weft.load(path)
    [(series, _)] = series_of_record(run, "ping_pong", cases[0].transport)
    found = {point.bytes: point.time_ns for point in signature_of(series).points}
    for row in summarise(run):
        if row.transport == cases[0].transport:
            assert row.latency_ns is not None
            assert found[row.bytes].low == pytest.approx(row.latency_ns.low)
            assert found[row.bytes].low < found[row.bytes].value


def test_what_has_no_signature_is_refused() -> None:
    with pytest.raises(WeftError, match="without a table"):
        series_of("fermilab-topspin")
    with pytest.raises(WeftError, match="no test called"):
        series_of("escher", "stream")
    short = series_of_times("few", np.array([1, 2]), np.array([1.0, 2.0]))
    with pytest.raises(WeftError, match="at least 6"):
        signature_of(short)
