"""The table of a record's figures, which says its medians and intervals in words when printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from weft.analysis.stats.intervals import CONFIDENCE
from weft.estimate import Estimate
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import counted, with_ends

if TYPE_CHECKING:
    from weft.units import Shape


_SHOWN: dict[str, Shape] = {
    "latency_ns": format_time,
    "bandwidth_bytes_per_s": format_bandwidth,
}
_PLACE = ("transport", "test", "bytes", "variant", "status", "launches")
_NEEDED = {*_PLACE, *(f"{name}{end}" for name in _SHOWN for end in ("", "_low", "_high"))}
_MOST_ROWS = 40


class Figures(pl.DataFrame):
    """A polars table with a row per case; printed it shows the medians with their intervals.

    What polars makes of it (a filter, a join) is a polars table as any other; `Figures(table)`
    prints a filtered one in the same way.
    """

    def __repr__(self) -> str:
        """Transport, test and size, and the figures in words; all columns are in the table.

        A table that lost one of these columns is printed as polars does.
        """
        if not set(self.columns) >= _NEEDED:
            return repr(pl.DataFrame(self))
        lines: list[tuple[str, ...]] = [
            ("transport", "test", "size", "variant", "latency", "bandwidth")
        ]
        lines += [_line(row) for row in self.head(_MOST_ROWS).iter_rows(named=True)]
        used = [at for at in range(len(lines[0])) if any(line[at] for line in lines[1:])]
        widths = [max(len(line[at]) for line in lines) for at in used]
        shown = [
            "  ".join(line[at].ljust(width) for at, width in zip(used, widths, strict=True))
            for line in lines
        ]
        more = self.height - _MOST_ROWS
        shown += [f"and {counted(more, 'more row')}"] if more > 0 else []
        return "\n".join(line.rstrip() for line in shown)

    __str__ = __repr__

    def _repr_html_(self, **_: Any) -> str:
        """What a notebook shows: the same, as text."""
        import html

        return f"<pre>{html.escape(repr(self))}</pre>"


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    figures = [_in_words(row, name, shape) for name, shape in _SHOWN.items()]
    if row["status"] != "ok":
        figures = [row["status"].replace("_", " "), ""]
    size = format_bytes(row["bytes"])
    return (row["transport"], row["test"], size, row["variant"], *figures)


def _in_words(row: dict[str, Any], name: str, shape: Shape) -> str:
    if row[name] is None:
        return ""
    ends = {end: row[f"{name}_{end}"] for end in ("low", "high")}
    known = Estimate(
        value=row[name],
        low=float("-inf") if ends["low"] is None else ends["low"],
        high=float("inf") if ends["high"] is None else ends["high"],
        coverage=CONFIDENCE,
        method="",
        launches=row["launches"],
    )
    return with_ends(known, shape)
