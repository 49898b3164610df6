"""Whatever is drawn, the words of a figure say its interval: each end is read back from them."""

import math
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.estimate import Estimate
from weft.units import Shape, format_bandwidth, format_rate, format_time
from weft.wording import (
    DETERMINED,
    ENOUGH_FOR_HALF,
    parameter_in_words,
    step_of,
    with_ends,
    with_half,
)

UNITS = {
    format_time: {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9},
    format_bandwidth: {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9},
    format_rate: {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9},
}
NUMBER = r"([\d.]+)(?: ([^\d\[\],±=n ][^\d\[\],±= ]*|ns))?"
RANGE = re.compile(rf"{NUMBER} to {NUMBER}(?: n=(\d+))?")
ENDS = re.compile(rf"{NUMBER} \[{NUMBER}, {NUMBER}\](?: n=(\d+))?")
HALF = re.compile(rf"{NUMBER} ±([\d.]+)%")
WRITERS = pytest.mark.parametrize("write", [with_half, with_ends])


@st.composite
def figures(draw: st.DrawFn) -> Estimate:
    """A figure of 1 to 10^11 whose ends are up to a factor of 30 away, most of them far nearer."""
    value = 10 ** draw(st.floats(0.5, 11))
    down, up = (10 ** draw(st.floats(-4, 0)) * draw(st.sampled_from([0.1, 1, 1.47])) for _ in "ab")
    return Estimate(
        value=value, low=value * 10**-down, high=value * 10**up, coverage=0.95, method="drawn",
        launches=draw(st.sampled_from([2, 4, 5, 40])),
    )  # fmt: skip


def last_digit(number: str) -> float:
    """What the last digit of a number is worth, in its unit."""
    return 10.0 ** -len(number.partition(".")[2])


def is_written(end: float, number: str, unit: float, least: float) -> bool:
    """Whether a number is the end, rounded to its own last digit or to `least`."""
    off = abs(end - float(number) * unit)
    return off <= 0.5001 * max(last_digit(number) * unit, least)


@WRITERS
@pytest.mark.parametrize("shape", UNITS)
@given(figure=figures())
def test_each_end_is_read_back_from_the_words(
    write: Callable[[Estimate, Shape], str], shape: Shape, figure: Estimate
) -> None:
    words, units = write(figure, shape), UNITS[shape]
    spans_ten = figure.high > DETERMINED * figure.low
    assert bool(RANGE.fullmatch(words)) == spans_ten, words
    number = re.search(r"n=(\d+)$", words)
    is_few = figure.launches < ENOUGH_FOR_HALF
    assert (number and int(number[1])) == (figure.launches if is_few else None), words
    if half := HALF.fullmatch(words):
        assert write is with_half
        assert not is_few
        of_value = 100 * figure.relative_half_width
        assert 0 < float(half[3]) <= 100
        assert is_written(of_value, half[3], 1.0, 1e-3), (words, of_value)
        return
    step = step_of(figure)
    assert step is not None
    if spans_ten:
        found = RANGE.fullmatch(words)
        assert found
        low, low_unit, high, high_unit = found.groups()[:4]
        steps = [10 ** (math.floor(math.log10(end)) - 1) for end in (figure.low, figure.high)]
        # One that has none stands before the other's, or neither has one.
        low_unit = low_unit or high_unit
    else:
        found = ENDS.fullmatch(words)
        assert found, words
        unit, low, low_unit, high, high_unit = found.groups()[1:6]
        # Both have the figure's unit, or each has its own.
        if not (low_unit or high_unit):
            low_unit = high_unit = unit
        steps = [step, step]
    for end, text, unit, least in zip(
        (figure.low, figure.high), (low, high), (low_unit, high_unit), steps, strict=True
    ):
        assert is_written(end, text, units[unit or ""], least), (words, end)


@pytest.mark.parametrize("shape", UNITS)
@given(figure=figures())
def test_a_parameter_is_no_figure_exactly_where_its_interval_spans_a_factor_of_ten(
    shape: Shape, figure: Estimate
) -> None:
    words = parameter_in_words(figure, shape)
    spans_ten = figure.high > DETERMINED * figure.low
    assert words.startswith("not determined by") == spans_ten, words
