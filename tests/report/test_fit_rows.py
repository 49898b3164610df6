"""Tables of a fit: the digits of what a line explains, and how far a model is off."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import make_cases, synthetic_record
from weft.estimate import Estimate
from weft.report.fits import line_rows, prediction_rows
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
