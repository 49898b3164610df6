"""A limits file: the requirements of an acceptance test or a CI, read strictly."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec

from weft.analysis.compare.bounds import Kind, Limit
from weft.errors import WeftError
from weft.fabric.peaks import parse_link
from weft.units import parse_bandwidth, parse_bytes, parse_time

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLE = 'write [[limit]], then test = "ping_pong", sizes = "8", latency_at_most = "2 us"'
_BOUNDS: tuple[Kind, ...] = get_args(Kind)
_WORDS = ("test", "transport", "sizes", "variant", "link", *_BOUNDS)
_EXAMPLES: dict[str, str] = dict(zip(_BOUNDS, ("2 us", "10 GB/s", "85%"), strict=True))


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One [[limit]] as it is written: figures have their units."""

    test: str = ""
    transport: str = ""
    sizes: str = ""
    variant: str = ""
    link: str = ""
    latency_at_most: str = ""
    bandwidth_at_least: str = ""
    percent_of_peak_at_least: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limit: Annotated[tuple[_Row, ...], msgspec.Meta(min_length=1)]


def read_limits(path: Path) -> tuple[Limit, ...]:
    """The limits of a TOML file. Raises WeftError for what is unknown, missing or ambiguous."""
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None
    except msgspec.ValidationError as error:
        raise _refused(path, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WeftError(f"{path} is not TOML: {error}", f"{_EXAMPLE}, each on a line") from None
    return tuple(_limit(f"{path}, limit {number}", row) for number, row in enumerate(file.limit, 1))


def _refused(path: Path, found: str) -> WeftError:
    """What msgspec found, "Expected `str`, got `int` - at `$.limit[0].test`", for a person."""
    what, _, where = found.partition(" - at ")
    row = re.fullmatch(r"`\$\.limit\[(\d+)\](?:\.(\w+))?`", where)
    place = f"{path}, limit {int(row[1]) + 1}" if row else str(path)
    unknown = re.search(r"unknown field `([^`]*)`", what)
    if unknown and row is None:
        return WeftError(f"{place}: '{unknown[1]}' does not belong into a limits file", _EXAMPLE)
    if unknown:
        near = difflib.get_close_matches(unknown[1], _WORDS, n=1)
        fix = f"did you mean {near[0]}?" if near else f"write one of {', '.join(_WORDS)}"
        return WeftError(f"{place}: '{unknown[1]}' is unknown", fix)
    if row and row[2]:
        example = _EXAMPLES.get(row[2], "8")
        return WeftError(f"{place}: {row[2]} has no unit", f'write it as text: "{example}"')
    return WeftError(f"{path} has no limits", _EXAMPLE)


def _limit(place: str, row: _Row) -> Limit:
    bounds = {kind: text for kind in _BOUNDS if (text := getattr(row, kind))}
    if len(bounds) != 1:
        what = "has more than one bound" if bounds else "has no bound"
        raise WeftError(f"{place} {what}", f"write one of {', '.join(_BOUNDS)}")
    if not row.test:
        raise WeftError(f"{place} names no test", 'write test = "ping_pong"')
    [(kind, text)] = bounds.items()
    wanted, ranges = _sizes(place, row.sizes)
    return Limit(
        text=f"{kind.replace('_', ' ')} {text}",
        test=row.test.replace("-", "_"),
        transport=row.transport,
        wanted=wanted,
        ranges=ranges,
        variant=row.variant,
        kind=kind,
        bound=_bound(place, kind, text),
        link=_link(place, kind, row.link),
    )


def _sizes(place: str, text: str) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    wanted, ranges = [], []
    for part in (part for part in text.split(",") if part.strip()):
        first, dots, last = part.partition("..")
        try:
            if not dots:
                wanted.append(parse_bytes(part))
                continue
            low, high = parse_bytes(first), parse_bytes(last)
        except WeftError as error:
            raise WeftError(f"{place}: {error.what}", error.fix) from None
        if low > high:
            raise WeftError(f"{place}: '{part}' runs backwards", f"write {last}..{first}")
        ranges.append((low, high))
    return tuple(wanted), tuple(ranges)


def _bound(place: str, kind: str, text: str) -> float:
    try:
        if kind == "latency_at_most":
            return parse_time(text)
        if kind == "bandwidth_at_least":
            return parse_bandwidth(text)
    except WeftError as error:
        raise WeftError(f"{place}: {kind}: {error.what}", error.fix) from None
    number = text.strip().removesuffix("%").strip()
    try:
        percent = float(number)
    except ValueError:
        percent = 0.0
    if not 0 < percent <= 100 or "%" not in text:
        raise WeftError(f"{place}: {kind}: '{text}' is not a per cent", 'write one like "85%"')
    return percent


def _link(place: str, kind: str, text: str) -> str:
    if kind != "percent_of_peak_at_least":
        if text:
            raise WeftError(
                f"{place}: a link is only used with percent_of_peak_at_least", "remove link"
            )
        return ""
    if not text:
        raise WeftError(f"{place}: a per cent of peak needs its link", 'write link = "IB 4x FDR"')
    try:
        parse_link(text)
    except WeftError as error:
        raise WeftError(f"{place}: {error.what}", error.fix) from None
    return text
