"""A limits file: the requirements of an acceptance test or a CI, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec

from weft.analysis.compare.bounds import Kind, Limit
from weft.analysis.network_counters import COUNTED_KINDS, CountedKind
from weft.errors import WeftError
from weft.fabric.peaks import parse_link
from weft.names import as_typed
from weft.record.reader import begins_as_record
from weft.sources.named import split_records, split_source
from weft.sources.toml_files import read_toml
from weft.units import MOST_SIZES, parse_bandwidth, parse_bytes, parse_time
from weft.wording import counted, in_a_row

_EXAMPLE = 'write [[limit]], then test = "ping_pong", sizes = "8", latency_at_most = "2 us"'
MOST_LIMITS = 10_000
_BOUNDS: tuple[Kind, ...] = get_args(Kind)
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
    limit: tuple[_Row, ...] = ()
    require_none: tuple[CountedKind, ...] = ()


def read_limits(path: Path) -> tuple[Limit, ...]:
    """The limits of a TOML file. Raises WeftError for what is unknown, missing or ambiguous."""
    return read_requirements(path)[0]


def read_requirements(path: Path) -> tuple[tuple[Limit, ...], tuple[CountedKind, ...]]:
    """The limits of a TOML file, and the kinds of events that hosts may not count.

    Raises WeftError as `read_limits`.
    """
    _check_no_record(path)
    file = read_toml(path, _File, {"limit": _Row}, _fix_for)
    if not file.limit and not file.require_none:
        raise WeftError(f"{path} has no limit", _EXAMPLE)
    if len(file.limit) > MOST_LIMITS:
        raise WeftError(f"{path} has over {MOST_LIMITS:,} limits", "write ranges of sizes instead")
    rows = enumerate(file.limit, 1)
    limits = tuple(_limit(f"{path}, limit {number}", row) for number, row in rows)
    return limits, file.require_none


def _check_no_record(path: Path) -> None:
    """Raises WeftError for records, which weft check takes where it takes limits."""
    words = split_records(str(path))
    names = [Path(split_source(word)[0]) for word in words]
    if any(name.is_file() and begins_as_record(name) for name in names):
        raise WeftError(
            f"{path} is {'a record' if len(words) == 1 else 'of records'}, and limits are a .toml",
            f"run weft check RECORD --against {as_typed(path)} to hold a record against it, or"
            f" weft check --make-limits {as_typed(words[0])} -o limits.toml to make limits of it",
        )
    if len(words) > 1:
        raise WeftError(
            f"{path} names {counted(len(words), 'file')}, and limits are of one",
            f"use one of them: {as_typed(words[0])}",
        )


def _fix_for(field: str) -> str:
    """How a field is written."""
    if field in ("", "limit"):
        return _EXAMPLE
    if field == "require_none":
        return f'write a list of {in_a_row(COUNTED_KINDS, "and")}: require_none = ["errors"]'
    return f'write it as text: {field} = "{_EXAMPLES.get(field, "8")}"'


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
    if text.count(",") >= MOST_SIZES:
        raise WeftError(f"{place} has over {MOST_SIZES:,} sizes", "write ranges: 1KiB..4MiB")
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
