"""Rows of plain data as polars tables: an estimate is a column of values and two of its ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl


def table_of_rows(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """One row each. Of an estimate `latency_ns` there are `latency_ns`, `latency_ns_low` and
    `latency_ns_high`, null where there is no interval; its other fields have columns too.
    """
    import polars as pl

    return pl.DataFrame([_flat(row) for row in rows], infer_schema_length=None, strict=False)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, cell in row.items():
        if isinstance(cell, dict) and {"low", "high"} <= cell.keys():
            for part, inner in cell.items():
                flat[name if part == "value" else f"{name}_{part}"] = _finite(inner)
        else:
            flat[name] = _finite(cell)
    return flat


def _finite(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
