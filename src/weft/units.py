"""Sizes, times and per cents as a user types and reads them."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BYTES = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
}
_SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "ms": 1e-3}
_NANOSECONDS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
_PER_SECOND = {
    "B/s": 1.0,
    "kB/s": 1e3,
    "MB/s": 1e6,
    "GB/s": 1e9,
    "KiB/s": 2.0**10,
    "MiB/s": 2.0**20,
    "GiB/s": 2.0**30,
    "Mbit/s": 1e6 / 8,
    "Gbit/s": 1e9 / 8,
}
# A small b is a bit: 1Gb is an eighth of 1GB.
_BITS = re.compile(r"([KMGkmg][Ii]?)?(b|bits?)")
_NUMBER = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([A-Za-z%]{0,9})\s*")
# Python refuses to make a number of thousands of digits; the largest double has 309.
MANY_DIGITS = re.compile(r"(?<![0-9])[0-9]{400}")
_FLOPS = {"MFlop/s": 1e6, "GFlop/s": 1e9, "TFlop/s": 1e12}
_FIGURE = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([A-Za-zµμ/]{0,9})\s*")
MOST_SIZES = 10_000
# A length of time up to the first is in seconds, over the second in whole hours.
SHORT_S, LONG_S = 120, 36_000
NETPIPE_PERTURBATION = 3
MOST_BYTES = 1 << 62


def parse_bytes(text: str) -> int:
    """Bytes from "8", "1KiB" (2^10), "1KB" (10^3). Raises WeftError, also for bits ("1Gb")."""
    match = _NUMBER.fullmatch(text)
    if match and (bits := _BITS.fullmatch(match[2])):
        of_bytes = f"{(bits[1] or '').upper().replace('I', 'i')}B"
        raise WeftError(
            f"'{text}' is in bits, and a size is in bytes",
            f"use {match[1]}{of_bytes}, where B is bytes, or an eighth of it for so many bits",
        )
    unit = _BYTES.get(match[2].upper(), 0) if match else 0
    value = float(match[1]) * unit if match else 0.0
    if match is None or not unit or value != int(value) or value > MOST_BYTES:
        raise WeftError(f"'{text}' is not a size in bytes", "use one like 8, 64KiB or 4MiB")
    return int(value)


def parse_sizes(text: str) -> tuple[int, ...]:
    """Sizes from a list of sizes and ranges, ascending, each once.

    "0..4MiB" is 0 and the powers of two in the range with its ends; "16MiB..2GiB:16MiB" goes in
    steps, and so does "16MiB..2GiB+16MiB"; "netpipe:1..4MiB:3" is NetPIPE's schedule with its
    perturbation. Raises WeftError.
    """
    sizes: set[int] = set()
    parts = text.split(",")
    if len(parts) > MOST_SIZES:
        raise WeftError(f"{len(parts):,} sizes are given", f"use at most {MOST_SIZES:,}")
    for part in parts:
        if part.strip().startswith("netpipe:"):
            sizes |= _netpipe(part.strip())
            continue
        if ".." not in part:
            sizes.add(parse_bytes(part))
            continue
        first_text, _, rest = part.partition("..")
        last_text, _, step_text = rest.replace("+", ":").partition(":")
        first, last = parse_bytes(first_text), parse_bytes(last_text)
        if first > last:
            raise WeftError(f"'{part}' runs backwards", f"use {last_text}..{first_text}")
        sizes |= _stepped(part, first, last, step_text) if step_text else _powers(first, last)
    return tuple(sorted(sizes))


def _netpipe(part: str) -> set[int]:
    """NetPIPE's sizes: two to an octave, from where it pays off each also a little less and more.

    As its main loop steps (NetPIPE 3.7.1): with the usual perturbation of 3 bytes 1, 2, 3, 4, 6, 8,
    12, 13, 16, 19, 21, 24, 27 and so on; the last may be over the end by the perturbation.
    """
    match = re.fullmatch(r"netpipe:([^.:]+(?:\.\d+)?[^.:]*)\.\.([^:]+)(?::(\d{1,6}))?", part)
    if match is None:
        raise WeftError(
            f"'{part}' is not a NetPIPE schedule", "use netpipe:0..4MiB or netpipe:1..4MiB:3"
        )
    first, last = parse_bytes(match[1]), parse_bytes(match[2])
    perturbation = int(match[3]) if match[3] else NETPIPE_PERTURBATION
    if first > last:
        raise WeftError(f"'{part}' runs backwards", "give the smaller size first")
    sizes = {0} if first == 0 else set()
    length = max(first, 1)
    step, number = (length // 2, 1) if length > 1 else (1, 0)
    while length <= last:
        if number > 2 and number % 2:
            step *= 2
        around = perturbation if 0 < perturbation < step - 1 else 0
        sizes |= {length - around, length, length + around}
        length += step
        number += 1
    return sizes


def _powers(first: int, last: int) -> set[int]:
    powers = {1 << exponent for exponent in range(last.bit_length())}
    return {first, last} | {size for size in powers if first <= size <= last}


def _stepped(part: str, first: int, last: int, step_text: str) -> set[int]:
    step = parse_bytes(step_text)
    if step == 0 or (last - first) // step > MOST_SIZES:
        raise WeftError(f"'{part}' has over {MOST_SIZES} sizes", "use a larger step")
    return set(range(first, last + 1, step))


def parse_seconds(text: str) -> float:
    """Seconds from "60", "60s", "2min", "1h", "1h30min". Raises WeftError."""
    parts = list(_NUMBER.finditer(text))
    is_whole = "".join(part[0] for part in parts) == text
    units = [_SECONDS.get(part[2], 0.0) for part in parts]
    # Of several parts each has its unit, the longest first.
    is_clear = len(parts) == 1 or (all(part[2] for part in parts) and _descend(units))
    seconds = sum(float(part[1]) * unit for part, unit in zip(parts, units, strict=True))
    if not is_whole or not is_clear or 0.0 in units or seconds == 0:
        raise WeftError(f"'{text}' is not a time", "use one like 60s, 2min or 1h30min")
    return seconds


def _descend(values: Sequence[float]) -> bool:
    return all(first > second for first, second in pairwise(values))


def format_duration(seconds: float) -> str:
    """A length of time as options take it, rounded up: 40s, 3min, 1h40min, 12h."""
    if seconds > LONG_S:
        return f"{math.ceil(seconds / 3600)}h"
    if seconds > 3600:
        hours, minutes = divmod(10 * math.ceil(seconds / 600), 60)
        return f"{hours}h{minutes}min" if minutes else f"{hours}h"
    if seconds > SHORT_S:
        return f"{math.ceil(seconds / 60)}min"
    step = 10 if seconds > 10 else 1
    return f"{math.ceil(seconds / step) * step}s"


def parse_percent(text: str) -> float:
    """A fraction from "1%", "0.5 %" or "5". Raises WeftError, also for "0.05" without a unit."""
    match = _NUMBER.fullmatch(text)
    if match is None or match[2] not in ("%", "") or not 0 < float(match[1]) <= 100:
        raise WeftError(f"'{text}' is not a per cent over 0 and up to 100", "use one like 1%")
    percent = float(match[1])
    if percent < 1 and not match[2]:
        raise WeftError(
            f"'{text}' may be {percent:.4g} % or {100 * percent:.4g} %",
            f"use {percent:.4g}% or {100 * percent:.4g}%",
        )
    return percent / 100


def format_bytes(count: int) -> str:
    """Bytes in the largest binary unit that keeps them whole: 0 B, 1 KiB, 1000 B, 4 MiB."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


# Less than the first is written as a power of ten, for of a long row of zeros nobody sees how many;
# and so is as much as the second.
LEAST, MOST = 1e-3, 1e6
USUAL_DIGITS = 3
# Of a ratio, whose distance from 1 decides.
RATIO_STEP, RATIO_DIGITS = 1e-3, 4
# Of an end far from its figure, and of one close to zero.
MOST_DIGITS, FEWEST_DIGITS = 6, 2
# A figure that is so close below a larger unit is rounded to one of it.
NEXT_UNIT = 0.9995
_TIMES = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
_BANDWIDTHS = (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0))
_RATES = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))
_ARITHMETIC = (("GFlop/s", 1e9), ("MFlop/s", 1e6))
_SIZES = (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10))


class Shape(Protocol):
    """Writes a figure in its unit; `step` is what its last digit is worth, None: three digits."""

    def __call__(self, value: float, step: float | None = None, /) -> str:
        """The figure in words."""
        ...


def digit_worth(value: float, digits: int) -> float:
    """What the last of so many significant digits of a value other than zero is worth."""
    return 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)


def format_number(value: float, step: float | None = None, /) -> str:
    """A number down to `step`, with two digits at least.

    Without a step three digits, and all those before the point.
    """
    if value == 0:
        return "0"
    lead = math.floor(math.log10(abs(value)))
    digits = max(USUAL_DIGITS, lead + 1)
    if step is not None:
        digits = lead - math.floor(math.log10(step) + 1e-9) + 1
    digits = min(max(digits, FEWEST_DIGITS), MOST_DIGITS)
    rounded = float(f"{value:.{digits - 1}e}")
    if not LEAST <= abs(rounded) < MOST:
        return f"{rounded:.2e}"
    if step is None:
        lead = math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(0, digits - 1 - lead)}f}"


def _in_unit(value: float, units: Sequence[tuple[str, float]], step: float | None) -> str:
    """The value in the largest unit of which it is one at least, else in the last."""
    unit, size = next(
        ((unit, size) for unit, size in units if abs(value) >= _least_of(size, step)), units[-1]
    )
    return f"{format_number(value / size, step and step / size)} {unit}".rstrip()


def _least_of(size: float, step: float | None) -> float:
    return size * NEXT_UNIT if step is None else size - min(step, size / 100) / 2


def format_time(nanoseconds: float, step: float | None = None, /) -> str:
    """A time in ns, µs, ms or s."""
    return _in_unit(nanoseconds, _TIMES, step)


def format_bandwidth(bytes_per_s: float, step: float | None = None, /) -> str:
    """A bandwidth in B/s, kB/s, MB/s or GB/s (powers of ten)."""
    return _in_unit(bytes_per_s, _BANDWIDTHS, step)


def format_rate(per_s: float, step: float | None = None, /) -> str:
    """A number per second with k, M or G (powers of ten)."""
    return _in_unit(per_s, _RATES, step)


def format_flops(flops_per_s: float, step: float | None = None, /) -> str:
    """A rate of arithmetic: "812 MFlop/s", "1.10 GFlop/s", "1250 GFlop/s"."""
    return _in_unit(flops_per_s, _ARITHMETIC, step)


def format_computed_bytes(count: float, step: float | None = None, /) -> str:
    """A size that was computed, in bytes or powers of two: "85 B", "12.3 KiB"."""
    if abs(count) < _SIZES[-1][1]:
        return f"{round(count)} B"
    return _in_unit(count, _SIZES, step)


def format_percent(percent: float, step: float | None = None, /) -> str:
    """Per cent with one digit after the point; a tie goes to the even digit, as in the tables."""
    if abs(percent) >= MOST:
        return f"{format_number(percent)} %"
    exact = Decimal(f"{percent:.9g}")  # Without the rounding errors of binary fractions.
    decimals = 1 if step is None else min(max(0, -math.floor(math.log10(step) + 1e-9)), 3)
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)} %"


def format_share(share: float, step: float | None = None, /) -> str:
    """A share of one in per cent: "98.2 %"."""
    return format_percent(100 * share, step and 100 * step)


def format_change(percent: float, step: float | None = None, /) -> str:
    """A change in per cent with its sign: "+14.4 %"; what rounds to nothing is "+0.0 %"."""
    text = format_percent(percent, step)
    is_less = text.startswith("-") and any(digit in text for digit in "123456789")
    return text if is_less else "+" + text.removeprefix("-")


def format_ratio(ratio: float, step: float | None = None, /) -> str:
    """A ratio to the thousandth, as verdicts ask for; coarser where that says nothing."""
    most = digit_worth(ratio, RATIO_DIGITS) if ratio else 0.0
    return format_number(ratio, max(RATIO_STEP, (step or 0.0) / 10, most))


def parse_time(text: str) -> float:
    """Nanoseconds from "900 ns", "2 us", "1.5ms". The unit is required. Raises WeftError."""
    return _parse_figure(text, _NANOSECONDS, "time", "2 us or 900 ns")


def parse_bandwidth(text: str) -> float:
    """Bytes/s from "10 GB/s", "950 MiB/s", "25 Gbit/s"; the unit is required. Raises WeftError."""
    return _parse_figure(text, _PER_SECOND, "bandwidth", "10 GB/s or 950 MiB/s")


def parse_flops(text: str) -> float:
    """Flops/s from "800 MFlop/s", "1.5GFlop/s"; the unit is required. Raises WeftError."""
    return _parse_figure(text, _FLOPS, "rate of arithmetic", "800MFlop/s")


def _parse_figure(text: str, units: Mapping[str, float], kind: str, example: str) -> float:
    match = _FIGURE.fullmatch(text)
    factor = units.get(match[2]) if match else None
    if match and factor is None and f"{match[2].removesuffix('b/s')}bit/s" in units:
        prefix = match[2].removesuffix("b/s")
        raise WeftError(
            f"'{text}' may be in bits or in bytes",
            f"use {match[1]}{prefix}bit/s or {match[1]}{prefix}B/s",
        )
    if match is None or factor is None or float(match[1]) == 0:
        raise WeftError(f"'{text}' is not a {kind}", f"use one like {example}")
    return float(match[1]) * factor
