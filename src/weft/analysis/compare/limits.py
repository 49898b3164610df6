"""A limits file: what an acceptance or a CI asks of a machine, read strictly."""

from __future__ import annotations

import difflib
import tomllib
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.errors import WeftError
from weft.fabric.peaks import parse_link
from weft.units import parse_bandwidth, parse_bytes, parse_time

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from weft.analysis.compare.pool import Pooled

_EXAMPLE = 'write [[limit]], then test = "ping_pong", sizes = "8", latency_at_most = "2 us"'
_BOUNDS = ("latency_at_most", "bandwidth_at_least", "percent_of_peak_at_least")
_WORDS = ("test", "transport", "sizes", "variant", "link", *_BOUNDS)


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One limit: for which cases, and the bound in ns, bytes/s or per cent of the link's peak.

    An empty transport or list of sizes means all. `wanted` are single sizes that must be there,
    `ranges` take what there is between their ends.
    """

    text: str
    test: str
    transport: str
    wanted: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    variant: str
    kind: Literal["latency_at_most", "bandwidth_at_least", "percent_of_peak_at_least"]
    bound: float
    link: str = ""

    def takes(self, pooled: Pooled) -> bool:
        """Whether a case is one that this limit is for."""
        case = pooled.case
        size = case.bytes
        fits = not (self.wanted or self.ranges) or size in self.wanted
        fits = fits or any(low <= size <= high for low, high in self.ranges)
        named = case.test == self.test and self.transport in ("", case.transport)
        # A limit that names no number of ranks is for any.
        return named and fits and self.variant in (case.variant, case.but_for("ranks").variant)

    def bound_for(self, pooled: Pooled) -> float:
        """The bound in ns or bytes/s."""
        if self.kind != "percent_of_peak_at_least":
            return self.bound
        return parse_link(self.link).peak_bytes_per_s(pooled.directions) * self.bound / 100


def read_limits(path: Path) -> tuple[Limit, ...]:
    """The limits of a TOML file. Raises WeftError for what it does not say clearly."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WeftError(f"{path} is no TOML: {error}", f"{_EXAMPLE}, each on a line") from None
    unknown = [name for name in tables if name != "limit"]
    if unknown:
        raise WeftError(f"{path}: '{unknown[0]}' is no part of a limits file", _EXAMPLE)
    rows = tables.get("limit")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise WeftError(f"{path} has no limits", _EXAMPLE)
    return tuple(_limit(f"{path}, limit {number}", row) for number, row in enumerate(rows, 1))


def _limit(place: str, row: dict[str, Any]) -> Limit:
    for name, value in row.items():
        if name not in _WORDS:
            near = difflib.get_close_matches(name, _WORDS, n=1)
            mend = f"did you mean {near[0]}?" if near else f"there are {', '.join(_WORDS)}"
            raise WeftError(f"{place}: '{name}' is unknown", mend)
        if not isinstance(value, str):
            example = {"latency_at_most": "2 us", "bandwidth_at_least": "10 GB/s"}.get(name, "8")
            example = "85%" if name == "percent_of_peak_at_least" else example
            raise WeftError(f"{place}: {name} has no unit", f'write it as text: "{example}"')
    kinds = [name for name in _BOUNDS if name in row]
    if len(kinds) != 1:
        what = "has more than one bound" if kinds else "has no bound"
        raise WeftError(f"{place} {what}", f"give one of {', '.join(_BOUNDS)}")
    if not row.get("test"):
        raise WeftError(f"{place} names no test", 'write test = "ping_pong"')
    [kind] = kinds
    wanted, ranges = _sizes(place, row.get("sizes", ""))
    return Limit(
        text=f"{kind.replace('_', ' ')} {row[kind]}",
        test=row["test"].replace("-", "_"),
        transport=row.get("transport", ""),
        wanted=wanted,
        ranges=ranges,
        variant=row.get("variant", ""),
        kind=kind,  # type: ignore[arg-type] # one of _BOUNDS
        bound=_bound(place, kind, row[kind]),
        link=_link(place, kind, row.get("link", "")),
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
            raise WeftError(f"{place}: {error.what}", error.mend) from None
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
        raise WeftError(f"{place}: {kind}: {error.what}", error.mend) from None
    number = text.strip().removesuffix("%").strip()
    try:
        percent = float(number)
    except ValueError:
        percent = 0.0
    if not 0 < percent <= 100 or "%" not in text:
        raise WeftError(f"{place}: {kind}: '{text}' is no per cent", 'write one like "85%"')
    return percent


def _link(place: str, kind: str, text: str) -> str:
    if kind != "percent_of_peak_at_least":
        if text:
            raise WeftError(f"{place}: a link is only of use for a per cent of its peak", "drop it")
        return ""
    if not text:
        raise WeftError(f"{place}: a per cent of peak wants its link", 'write link = "IB 4x FDR"')
    try:
        parse_link(text)
    except WeftError as error:
        raise WeftError(f"{place}: {error.what}", error.mend) from None
    return text
