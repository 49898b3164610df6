"""How a figure is written with its interval: one rule for terminal, pages, papers and sentences.

One launch has no interval over launches: the figure and "1 launch". With 2 to 4 launches the
interval is wide and asymmetric: [low, high] and their number n. From 5 on the half-width follows
the figure, or [low, high] in sentences and fits.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from weft.units import format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.estimate import Estimate

# From so many launches on an interval is narrow and symmetric enough for a plus-minus.
ENOUGH_FOR_HALF = 5
# An interval of something positive whose ends differ by this factor says nothing, and neither does
# an end that is so far from its figure.
WIDEST = 1000
# A parameter whose interval spans this factor is none: its order of magnitude is not known.
DETERMINED = 10
NO_LOWER, NO_UPPER = "no lower bound known", "no upper bound known"
# What follows a figure: "[3.9, 4.3] n=3", "±1.2%", "±12 ns", ", 1 launch".
_INTERVAL = re.compile(r"( (\[[^]]*\]( n=\d+)?|±\S+( \S+)?)|,? 1 (launch|session))$")
# The rule as it stands under a table.
RULE = (
    "± is the half-width of the 95 % interval; with 2 to 4 launches or sessions [low, high] and"
    " their number n"
)
WHOLE_PERCENT = 100.0
# A share over the whole by more than this is no noise.
ABOUT_WHOLE = 0.02


def with_half(
    figure: Estimate, shape: Callable[[float], str], half: Callable[[float], str] | None = None
) -> str:
    """A figure for a table: "4.07 µs ±1.2%", "4.07 µs [3.9, 4.3] n=3", "4.07 µs, 1 launch".

    `half` writes half the width in the figure's own unit, for what may be zero. What is known to
    less than itself has its range.
    """
    is_wide = half is None and figure.relative_half_width > 1
    if figure.launches < ENOUGH_FOR_HALF or is_wide:
        return with_ends(figure, shape)
    if half is None:
        return f"{shape(figure.value)} ±{figure.relative_half_width:.1%}"
    return f"{shape(figure.value)} ±{half((figure.high - figure.low) / 2)}"


def with_ends(figure: Estimate, shape: Callable[[float], str]) -> str:
    """A figure for a sentence: "4.07 µs [3.9, 4.3]", with n below five launches."""
    middle = shape(figure.value)
    if figure.launches == 1:
        return f"{middle}, 1 {figure.unit}"
    number = f" n={figure.launches}" if 0 < figure.launches < ENOUGH_FOR_HALF else ""
    return f"{middle} {_ends(figure.low, figure.high, shape, middle, figure.value)}{number}"


def ends(low: float, high: float, shape: Callable[[float], str], value: float | None = None) -> str:
    """An interval alone: "[3.9 µs, 4.3 µs]"; "1 launch" where there is none.

    With the figure's `value` an end that is too far from it is no bound.
    """
    if math.isinf(low) and math.isinf(high):
        return "1 launch"
    return _ends(low, high, shape, "", value)


def _ends(
    low: float, high: float, shape: Callable[[float], str], middle: str, value: float | None
) -> str:
    """The ends, without their unit where both have the figure's; no digits where it is unknown."""
    texts = [shape(end) if math.isfinite(end) else "" for end in (low, high)]
    if math.isinf(low) or (value is not None and 0 < WIDEST * low < value):
        texts[0] = NO_LOWER
    if math.isinf(high) or (value is not None and 0 < WIDEST * value < high):
        texts[1] = NO_UPPER
    is_wide = 0 < WIDEST * low < high < math.inf
    if texts == [NO_LOWER, NO_UPPER] or (
        is_wide and NO_LOWER not in texts and NO_UPPER not in texts
    ):
        return "[not known]"
    unit = middle.rpartition(" ")[2] if " " in middle else ""
    if unit and all(text.endswith(f" {unit}") for text in texts):
        texts = [text.removesuffix(f" {unit}") for text in texts]
    return f"[{texts[0]}, {texts[1]}]"


def parameter_in_words(
    figure: Estimate, shape: Callable[[float], str], measure: str = "more sizes"
) -> str:
    """A fitted parameter for a sentence; one without end, or of unknown order of magnitude, is no
    figure: the bandwidth of a line that does not rise is infinite.

    `measure` says what would determine it: "larger messages".
    """
    is_wide = figure.is_bounded and 0 < DETERMINED * figure.low < figure.high
    if not is_wide and math.isfinite(figure.value):
        return with_ends(figure, shape)
    if 0 < figure.launches < ENOUGH_FOR_HALF:
        few = counted(figure.launches, figure.unit)
        return f"not determined by {few}: measure at least {ENOUGH_FOR_HALF}"
    return f"not determined by these sizes: measure {measure}"


def without_interval(cell: str) -> str:
    """A cell as these functions write it, line by line, without what follows the figure."""
    return "\n".join(_INTERVAL.sub("", line) for line in cell.split("\n"))


def half_in_its_unit(figure: Estimate | None, shape: Callable[[float], str]) -> str:
    """A figure that may be zero with half its interval in its own unit: "4.07 µs ±12 ns"."""
    if figure is None:
        return "-"
    return with_half(figure, shape, lambda half: shape(round(half, 2)))


def half_or_none(figure: Estimate | None, shape: Callable[[float], str]) -> str:
    """As `with_half`; "-" where nothing was measured."""
    return "-" if figure is None else with_half(figure, shape)


def middle_or_none(figure: Estimate | None, shape: Callable[[float], str]) -> str:
    """A figure without its interval; "-" where nothing was measured."""
    return "-" if figure is None else shape(figure.value)


def percent(value: float) -> str:
    """A share with one digit behind the point: "99.5 %"."""
    return f"{value:.1f} %"


def share_or_unknown(figure: Estimate | None) -> str:
    """A share of a whole with half its interval, in per cent; one that says nothing is "not known".

    No more than the whole can be meant, and an interval wider than the whole holds every answer.
    """
    if figure is None:
        return "-"
    is_wide = figure.is_bounded and figure.high - figure.low > WHOLE_PERCENT
    # Noise about the whole is the whole, and is shown.
    is_over = figure.value > WHOLE_PERCENT * (1 + ABOUT_WHOLE)
    return "not known" if is_wide or is_over else half_in_its_unit(figure, percent)


def signed_time(nanoseconds: float) -> str:
    """A time that may be below zero, as an intercept may."""
    return f"-{format_time(-nanoseconds)}" if nanoseconds < 0 else format_time(nanoseconds)


def over(transport: str, variant: str) -> str:
    """A transport, and the options that differ from the usual: "tcp q16"."""
    return f"{transport} {variant}".rstrip()


def at(transport: str, test: str, size: int, variant: str = "") -> str:
    """Where a figure was measured: "tcp, ping_pong, 8 B q16"."""
    return f"{transport}, {test}, {format_bytes(size)} {variant}".rstrip()


def over_the_peak(link: str) -> str:
    """What a bandwidth over its link's peak says."""
    return f"over the peak of {link}: the traffic did not go over this link alone"


def status_in_words(status: str) -> str:
    """A status as a person reads it."""
    return status.replace("_", " ")


def counted(number: int, noun: str, form: str = "d") -> str:
    """So many of something: "1 case", "0 cases", "2 launches"; `form` "," is "1,024 nodes"."""
    if number == 1 or noun.endswith("s"):
        return f"{number:{form}} {noun}"
    ending = "es" if noun.endswith(("ch", "sh", "x")) else "s"
    return f"{number:{form}} {noun}{ending}"


def verb_of(number: int, verb: str, whole: int = 0) -> str:
    """The verb of so many, written as of several: "is" for 1 and "are"; "0 of 1 case is".

    `whole` is how many there are in all, where the number is of a part of them.
    """
    if 1 not in (number, whole):
        return verb
    return {"are": "is", "have": "has", "were": "was"}.get(verb, f"{verb}s")


def options_given(named: Mapping[str, str]) -> tuple[str, ...]:
    """What to type for the options that have a value, each before it."""
    return tuple(word for name, value in named.items() if value for word in (name, value))


def never_left_its_host(title: str, consequence: str) -> str:
    """What is said of figures without a link in them, and what follows for an answer."""
    return f"{title} never left its host: no link is in its figures, so {consequence}"


def in_a_row(names: Sequence[str], last: str) -> str:
    """Names in a sentence, with `last` before the last one: "a", "a and b", "a, b or c"."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def counted_cases(cases: Sequence[str]) -> str:
    """How many cases, with one as an example: "5 cases (tcp/stream/8 first)"."""
    return cases[0] if len(cases) == 1 else f"{counted(len(cases), 'case')}, first {cases[0]}"
