"""How a figure is written with its interval: one rule for terminal, pages, papers and sentences.

It has as many digits as its interval bears out, and the interval's ends as many as it; where the
interval spans more than a factor of ten, it is no figure but the range from end to end. One launch
has no interval over launches: the figure and "1 launch". With 2 to 4 launches the interval is wide
and asymmetric: [low, high] and their number n. From 5 on the half-width follows the figure, or
[low, high] in sentences and fits.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

import msgspec

from weft.units import digit_worth, format_bytes, format_number, format_percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.estimate import Estimate
    from weft.units import Shape

# How a case's variant says its ranks, which stand first in it, and its place on the test's axis.
_RANKS, _POINT = re.compile(r"(\d+)ranks"), re.compile(r"at(\d+)")
# From so many launches on an interval is narrow and symmetric enough for a plus-minus.
ENOUGH_FOR_HALF = 5
# An interval of something positive whose ends differ by this factor says nothing, and neither does
# an end that is so far from its figure; then the other says something within the factor below.
WIDEST = 1000
# A parameter whose interval spans this factor is none: its order of magnitude is not known.
DETERMINED = 10
NO_LOWER, NO_UPPER = "no lower bound known", "no upper bound known"
# What a parameter's cell says where its interval says nothing.
UNDETERMINED = "not determined"
# What a share's cell says there.
UNKNOWN = "not known"
# What stands in place of a difference that the scatter could have made.
NOT_SIGNIFICANT = "not significant"
# What stands there where nothing says how far it could have.
NO_INTERVAL: Final = "no interval"
# As the Particle Data Group rounds: to the second digit of half an interval's width where that
# begins below 3.55, else to the first.
SECOND_DIGIT_BELOW = 3.55
# Whatever the interval, a figure has so many digits; the fourth where half the width is a small
# part of the figure.
FEWEST_DIGITS, MOST_DIGITS = 2, 4
FOURTH_BELOW = 0.002
# Half a width over its figure: whole per cents from the first on, one decimal from the second, and
# none is written as less than the last.
WHOLE_FROM, DECIMAL_FROM, LEAST_SHARE = 0.0995, 0.00095, 1e-5
# Both ends are written where one is so many times as far from the figure as the other. Of 5 to 40
# launches in two modes one number for both covered the median in 57 to 96 % of trials; by this rule
# it is within one point of the interval's own coverage.
LONGER = 2.0
# What follows a figure: "[3.9, 4.3] n=3", "±1.2%", "±12 ns", ", 1 launch".
_INTERVAL = re.compile(r"( (\[[^]]*\]( n=\d+)?|±\S+( \S+)?)|,? 1 (launch|session))$")
# The rule as it stands under a table.
RULE = (
    "± is the half-width of the 95 % interval; [low, high] are its ends where one is over twice as"
    " far away as the other, and with 2 to 4 launches or sessions, n"
)
WHOLE_PERCENT = 100.0
# Tests without messages, which are planned with a size of 0.
WITHOUT_SIZE = frozenset({"barrier"})
# Characters of where something was found: "queue depth: tcp, stream, 64 KiB".
LONGEST_PLACE = 64
# Hosts or records that a heading or a sentence names.
MOST_NAMED = 4
# A share over the whole by more than this is no noise.
ABOUT_WHOLE = 0.02


def step_of(figure: Estimate) -> float | None:
    """What the last digit of a figure is worth by its interval; None where there is no interval."""
    half = figure.high / 2 - figure.low / 2
    if not 0 < half < math.inf or figure.value == 0:
        return None
    worth = digit_worth(half, 1)
    if half < SECOND_DIGIT_BELOW * worth:
        worth = digit_worth(half, 2)
    most = MOST_DIGITS if half < FOURTH_BELOW * abs(figure.value) else MOST_DIGITS - 1
    least = digit_worth(figure.value, most)
    return min(max(worth, least), digit_worth(figure.value, FEWEST_DIGITS))


def with_half(figure: Estimate, shape: Shape, *, in_unit: bool = False) -> str:
    """A figure for a table: "4.07 µs ±1.2%", "4.07 µs [3.90, 4.30] n=3", "4.07 µs, 1 launch".

    `in_unit` writes half the width in the figure's own unit, for what may be zero. What is known to
    less than itself has its ends, and so has an interval of which one end is farther away.
    """
    is_wide = not in_unit and (figure.relative_half_width > 1 or is_range(figure))
    has_ends = is_wide or not figure.is_bounded or _is_one_sided(figure)
    if figure.launches < ENOUGH_FOR_HALF or has_ends:
        return with_ends(figure, shape)
    middle = shape(figure.value, step_of(figure))
    if not in_unit:
        return f"{middle} ±{_share_in_words(figure.relative_half_width)}"
    half = figure.high / 2 - figure.low / 2
    return f"{middle} ±{shape(half, digit_worth(half, FEWEST_DIGITS) if half else None)}"


def _is_one_sided(figure: Estimate) -> bool:
    """Whether one end is over twice as far from the figure as the other."""
    nearer, farther = sorted((figure.value - figure.low, figure.high - figure.value))
    return farther > LONGER * nearer


def _share_in_words(share: float) -> str:
    """Half a width over its figure: "12%", "1.2%", "0.03%"."""
    if share >= WHOLE_FROM:
        return f"{share:.0%}"
    if share == 0 or share >= DECIMAL_FROM:
        return f"{share:.1%}"
    return f"{format_number(100 * max(share, LEAST_SHARE), digit_worth(100 * share, 1))}%"


def with_ends(figure: Estimate, shape: Shape) -> str:
    """A figure for a sentence: "4.07 µs [3.90, 4.30]", with n below five launches.

    One of which not even the order of magnitude is known is its range: "1.2 to 57 µs n=2".
    """
    step = step_of(figure)
    middle = shape(figure.value, step)
    if figure.launches == 1:
        return f"{middle}, 1 {figure.unit}"
    number = f" n={figure.launches}" if 0 < figure.launches < ENOUGH_FOR_HALF else ""
    if is_range(figure):
        return f"{_range(figure.low, figure.high, shape)}{number}"
    return f"{middle} {_ends(figure.low, figure.high, shape, middle, figure.value, step)}{number}"


def is_range(figure: Estimate) -> bool:
    """Whether both ends of what is positive are known, and its order of magnitude is not."""
    return figure.is_bounded and 0 < DETERMINED * figure.low < figure.high <= WIDEST * figure.low


def _range(low: float, high: float, shape: Shape) -> str:
    """From one end to the other, the unit once where both have the same."""
    least, most = (shape(end, digit_worth(end, FEWEST_DIGITS)) for end in (low, high))
    unit = most.rpartition(" ")[2] if " " in most else ""
    if unit and " " not in least:
        # A plain number before "1.0 k" would be read as thousands too.
        return f"{least} to {format_number(high, digit_worth(high, FEWEST_DIGITS))}"
    return f"{least.removesuffix(f' {unit}') if unit else least} to {most}"


def ends(low: float, high: float, shape: Shape, value: float | None = None) -> str:
    """An interval alone: "[3.90 µs, 4.30 µs]"; "1 launch" where there is none.

    With the figure's `value` an end that is too far from it is no bound.
    """
    if math.isinf(low) and math.isinf(high):
        return "1 launch"
    return _ends(low, high, shape, "", value)


def between(middle: str, low: float, high: float, shape: Shape) -> str:
    """What is no estimate, with its interval: the figure as it is written, then the ends."""
    return f"{middle} {_ends(low, high, shape, middle, None)}"


def _ends(
    low: float,
    high: float,
    shape: Shape,
    middle: str,
    value: float | None,
    step: float | None = None,
) -> str:
    """The ends, without their unit where both have the figure's; no digits where it is unknown."""
    texts = [shape(end, step) if math.isfinite(end) else "" for end in (low, high)]
    if math.isinf(low) or (value is not None and 0 < WIDEST * low < value):
        texts[0] = NO_LOWER
    if math.isinf(high) or (value is not None and 0 < WIDEST * value < high):
        texts[1] = NO_UPPER
    has_lower, has_upper = texts[0] != NO_LOWER, texts[1] != NO_UPPER
    if has_lower and has_upper:
        says_nothing = 0 < WIDEST * low < high
    else:
        says_nothing = has_lower == has_upper or not _is_near(low if has_lower else high, value)
    if says_nothing:
        return "[not known]"
    unit = middle.rpartition(" ")[2] if " " in middle else ""
    if unit and all(text.endswith(f" {unit}") for text in texts):
        texts = [text.removesuffix(f" {unit}") for text in texts]
    return f"[{texts[0]}, {texts[1]}]"


def _is_near(end: float, value: float | None) -> bool:
    """Whether the only end of an interval says something: the order of magnitude of its figure."""
    if value is None or value <= 0:
        return True
    return value <= DETERMINED * end and end <= DETERMINED * value


def is_determined(figure: Estimate) -> bool:
    """Whether a parameter's order of magnitude is known: its interval spans no factor of ten.

    One that holds zero spans any factor. Without an interval nothing says that it is not known.
    """
    if not math.isfinite(figure.value):
        return False
    if not figure.is_bounded or figure.low == figure.high:
        return math.isinf(figure.low) == math.isinf(figure.high)
    least, most = sorted((abs(figure.low), abs(figure.high)))
    return figure.low * figure.high > 0 and most <= DETERMINED * least


def parameter_in_words(figure: Estimate, shape: Shape, measure: str = "more sizes") -> str:
    """A fitted parameter for a sentence; one without end, or of unknown order of magnitude, is no
    figure: the bandwidth of a line that does not rise is infinite.

    `measure` says what would determine it: "larger messages".
    """
    if is_determined(figure):
        return with_ends(figure, shape)
    if 0 < figure.launches < ENOUGH_FOR_HALF:
        few = counted(figure.launches, figure.unit)
        return f"{UNDETERMINED} by {few}: measure at least {ENOUGH_FOR_HALF}"
    return f"{UNDETERMINED} by these sizes: measure {measure}"


def without_interval(cell: str) -> str:
    """A cell as these functions write it, line by line, without what follows the figure."""
    return "\n".join(_INTERVAL.sub("", line) for line in cell.split("\n"))


def half_in_its_unit(figure: Estimate | None, shape: Shape) -> str:
    """A figure that may be zero with half its interval in its own unit: "4.07 µs ±12 ns"."""
    return "-" if figure is None else with_half(figure, shape, in_unit=True)


def half_or_none(figure: Estimate | None, shape: Shape) -> str:
    """As `with_half`; "-" where nothing was measured."""
    return "-" if figure is None else with_half(figure, shape)


def middle_or_none(figure: Estimate | None, shape: Shape) -> str:
    """A figure without its interval; "-" where nothing was measured."""
    return "-" if figure is None else shape(figure.value, step_of(figure))


def share_or_unknown(figure: Estimate | None, *, may_exceed: bool = False) -> str:
    """A share of a whole with half its interval, in per cent; one that says nothing is "not known".

    No more than the whole can be meant, but where it `may_exceed` it, as the processor's time of
    several threads does. An interval wider than the whole holds every answer. Less than nothing is
    "none", or where that is not sure a range from nothing on.
    """
    if figure is None:
        return "-"
    is_wide = figure.is_bounded and figure.high - figure.low > WHOLE_PERCENT
    # Noise about the whole is the whole, and is shown.
    is_over = not may_exceed and figure.value > WHOLE_PERCENT * (1 + ABOUT_WHOLE)
    if is_wide or is_over or (figure.value < 0 and not figure.is_bounded):
        return UNKNOWN
    if figure.value < 0:
        return _up_to(figure)
    is_cut = figure.launches < ENOUGH_FOR_HALF and figure.low < 0
    shown = msgspec.structs.replace(figure, low=0.0) if is_cut and figure.is_bounded else figure
    return half_in_its_unit(shown, format_percent)


def _up_to(share: Estimate) -> str:
    """A share whose figure is below nothing: "none", "0 to 12 %", "0 to 12 % n=3"."""
    if share.high <= 0:
        return "none"
    number = f" n={share.launches}" if 0 < share.launches < ENOUGH_FOR_HALF else ""
    return f"0 to {format_percent(share.high, digit_worth(share.high, FEWEST_DIGITS))}{number}"


def over(transport: str, variant: str, point: str = "") -> str:
    """A transport, and the options that differ from the usual: "tcp q16", "mpi, 4 ranks, spin"."""
    words = options_in_words(variant, point)
    return f"{transport} {variant}".rstrip() if words == variant else f"{transport}, {words}"


def options_in_words(variant: str, point: str = "") -> str:
    """The options of a case, whose ranks stand first and are counted: "4 ranks, spin, 2 peers".

    `point` says what its place on the test's own axis is; without it, "point 2".
    """
    ranks, place, direction = "", "", ""
    others = []
    for option in variant.split("/"):
        if found := _RANKS.fullmatch(option):
            ranks = counted(int(found[1]), "rank") if int(found[1]) else "unknown ranks"
        elif found := _POINT.fullmatch(option):
            place = point or f"point {found[1]}"
        elif option == "back":
            direction = "direction back"
        else:
            others.append(option)
    return ", ".join(filter(None, (ranks, "/".join(others), place, direction)))


def at(transport: str, test: str, size: int, variant: str = "") -> str:
    """Where a figure was measured: "tcp, ping_pong, 8 B q16"."""
    return f"{transport}, {test}, {format_bytes(size)} {variant}".rstrip()


def over_the_peak(link: str) -> str:
    """What a bandwidth over its link's peak says."""
    return f"over the peak of {link}: the traffic did not go over this link alone"


def status_in_words(status: str) -> str:
    """A status as a person reads it."""
    return status.replace("_", " ")


def counted(number: int, noun: str) -> str:
    """So many of something: "1 case", "0 cases", "2 launches", "1,024 nodes"."""
    if number == 1 or noun.endswith("s"):
        return f"{number:,} {noun}"
    ending = "es" if noun.endswith(("ch", "sh", "x")) else "s"
    return f"{number:,} {noun}{ending}"


def verb_of(number: int, verb: str, whole: int = 0) -> str:
    """The verb of so many, written as of several: "is" for 1 and "are"; "0 of 1 case is".

    `whole` is how many there are in all, where the number is of a part of them.
    """
    if 1 not in (number, whole):
        return verb
    return {"are": "is", "do": "does", "have": "has", "were": "was"}.get(verb, f"{verb}s")


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


def in_ranges(names: Sequence[str]) -> str:
    """All names, those that count on as a range: "n0, n2-n4"."""
    runs: list[list[str]] = []
    before: tuple[str, int, int] | None = None
    for name in names:
        stem = name.rstrip("0123456789")
        digits = name[len(stem) :]
        own = (stem, len(digits), int(digits)) if digits else None
        if own and before and own == (before[0], own[1], before[2] + 1):
            runs[-1].append(name)
        else:
            runs.append([name])
        before = own
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)


def few_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def size_in_words(test: str, count: int) -> str:
    """A message's size, bytes, as a table has it; "-" of a test that has no messages."""
    return "-" if test in WITHOUT_SIZE else format_bytes(count)


def hosts_in_words(hosts: Iterable[str]) -> str:
    """A few hosts by name, many as `few_or_ends`."""
    names = list(hosts)
    return in_a_row(names, "and") if 0 < len(names) <= MOST_NAMED else few_or_ends(names, "host")


def few_or_ends(names: Sequence[str], noun: str) -> str:
    """A few by name, many by how many they are and the first and the last: "9 hosts, a to i"."""
    all_of = f"{counted(len(names), noun)}, {names[0]} to {names[-1]}" if names else ""
    return all_of if len(names) > MOST_NAMED else " and ".join(names)


def said_once(findings: Sequence[str]) -> list[str]:
    """Sentences that say the same of several places, once, with all of these before it.

    A place stands before the last colon whose words repeat: "mpi, stream: Q = 64 binds". What is
    longer than a place is a sentence that says something of its own.
    """
    parted = (line.rpartition(": ") for line in findings)
    places = who_says(
        (place, words) if len(place) <= LONGEST_PLACE else ("", f"{place}: {words}")
        for place, _, words in parted
    )
    return [f"{_together(own)}: {words}" if any(own) else words for words, own in places.items()]


def _together(places: Sequence[str]) -> str:
    """Places in one phrase; what they begin with is said once."""
    first, colon, _ = places[0].partition(": ")
    head = f"{first}: " if colon and all(one.startswith(f"{first}: ") for one in places) else ""
    names = [one.removeprefix(head) for one in dict.fromkeys(places)]
    return head + "; ".join(names)


def who_says(said: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Each text once, in the order of the first, with the names of all that it is said of."""
    names: dict[str, list[str]] = {}
    for name, words in said:
        names.setdefault(words, []).append(name)
    return names


def counted_cases(cases: Sequence[str]) -> str:
    """How many cases, with one as an example: "5 cases (tcp/stream/8 first)"."""
    return cases[0] if len(cases) == 1 else f"{counted(len(cases), 'case')}, first {cases[0]}"


def not_answering(hosts: Sequence[str]) -> str:
    """That hosts have died, or cannot be reached."""
    return f"{', '.join(hosts)} {'does' if len(hosts) == 1 else 'do'} not answer any more"
