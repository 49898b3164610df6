"""Tables of a fit: the digits of what a line explains, and how far a model is off."""

import re
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from weft.analysis.fits.segments import Switch
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.report.fits import in_a_sentence, line_rows, prediction_rows, switch_in_words
from weft.sources.series import models_of

CASES = make_cases(tests=("ping_pong",), transports=("tcp",))


@pytest.mark.parametrize(
    ("half", "told"), [(0.1, "0.81 [0.71, 0.91]"), (1e-5, "0.81000 [0.80999, 0.81001]")]
)
def test_a_share_of_a_line_has_the_digits_that_its_interval_bears_out(
    half: float, told: str, tmp_path: Path
) -> None:
    [found] = models_of([weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))]).models[:1]
    share = Estimate(
        value=0.81, low=0.81 - half, high=0.81 + half, coverage=0.95, method="drawn", launches=5
    )
    lines = msgspec.structs.replace(found.line.least_squares, r_squared=share)
    rows = line_rows(msgspec.structs.replace(found.line, least_squares=lines))
    assert rows[2] == ("R²", told, "-")


@pytest.mark.parametrize(
    ("percent", "told"), [(0.01234, "0.0123 %"), (637.4, "637 %"), (1648.0, "1648 %")]
)
def test_the_error_of_a_model_is_no_power_of_ten(percent: float, told: str, tmp_path: Path) -> None:
    [found] = models_of([weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))]).models[:1]
    off = tuple(
        msgspec.structs.replace(one, median_error_percent=percent, largest_error_percent=percent)
        for one in found.predictions
    )
    [row, *_] = prediction_rows(msgspec.structs.replace(found, predictions=off))
    assert row[1] == told
    assert row[2].startswith(f"{told} at ")


def test_a_fit_of_one_launch_says_so(tmp_path: Path) -> None:
    one = synthetic_record(tmp_path / "r.jsonl", CASES, launches=1)
    [found] = models_of([weft.load(one)]).models
    assert line_rows(found.line)[0][1].endswith("GB/s, 1 launch")


NOT_TOLD = ": a change of slope, or none that is significant"


@pytest.mark.parametrize(
    ("low", "step", "high", "told"),
    [
        (1.2, 1.27, 1.34, "the time steps by +27 % [+20, +34]"),
        (2.2, 2.5, 2.75, "the time steps by +150 % [+120, +175]"),
        (0.6, 0.7, 0.8, "the time steps by -30 % [-40, -20]"),
        (0.9, 1.1, 1.3, f"the time steps by +10 % [-10, +30]{NOT_TOLD}"),
    ],
)  # fmt: skip
def test_a_switch_steps_by_so_much(low: float, step: float, high: float, told: str) -> None:
    times = Estimate(value=step, low=low, high=high, coverage=0.95, method="drawn", launches=9)
    switch = Switch(above_bytes=4096, at_bytes=8192, up_to_bytes=16384, step=times)
    assert switch_in_words(switch) == f"at 8 KiB (between 4 KiB and 16 KiB), {told}"


def test_a_sentence_has_latency_and_bandwidth_of_one_model(tmp_path: Path) -> None:
    def time_ns(case: Case, launch: int) -> list[float]:
        """One way 1 us and 1 GB/s, and from 64 KiB on 20 us more."""
        both_ns = 2 * (1000 + case.bytes + (20_000 if case.bytes >= 1 << 16 else 0))
        return [both_ns * LAUNCH_EFFECTS[launch]] * 9

    sizes = tuple(8 << at for at in range(0, 20, 2))
    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=sizes)
    record = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=time_ns)
    [found] = models_of([weft.load(record)]).models[:1]
    line, model = found.line.median_line, found.piecewise
    assert model is not None
    words = in_a_sentence(found)
    assert words.startswith("By the piecewise model: latency 1.0")
    # By 1 % of bandwidth the two differ, which a sentence's digits may not show.
    far = msgspec.structs.replace(
        line, bandwidth_bytes_per_s=line.bandwidth_bytes_per_s.mapped(lambda one: 3 * one)
    )
    found = msgspec.structs.replace(
        found, line=msgspec.structs.replace(found.line, median_line=far)
    )
    assert "GB/s" in words.rpartition("bandwidth")[2]
    assert in_a_sentence(found) == words
    alone = in_a_sentence(msgspec.structs.replace(found, piecewise=None))
    assert alone.startswith("By the median line: ")
    assert re.search(r"bandwidth (2.9|3.0)\d GB/s", alone)
