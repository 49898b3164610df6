"""A record's tables by name, flat, as other programs read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weft.analysis.stats.intervals import Estimate
from weft.analysis.stats.percentiles import PERCENTILES, TAILS
from weft.analysis.summary import CaseSummary, summarise

if TYPE_CHECKING:
    import polars as pl

    from weft.record.run import Run

TABLES = ("samples", "batches", "host", "summary")
_PERCENTILES = {
    "percentiles_latency_ns": "latency_ns",
    "percentiles_of_means_latency_ns": "latency_of_means_ns",
}


def table_of(run: Run, name: str) -> pl.DataFrame:
    """One of TABLES: a row a raw sample, a batch, a rank or a planned case."""
    if name == "summary":
        return summary_table(summarise(run))
    frame: pl.DataFrame = getattr(run, name)
    return frame


def summary_table(summaries: tuple[CaseSummary, ...]) -> pl.DataFrame:
    """A row a planned case; estimates and percentiles in a column each figure.

    The columns are the same for every record: null where a case has no such figure.
    """
    import polars as pl

    return pl.DataFrame([_flat(row) for row in summaries], infer_schema_length=None)


def _flat(summary: CaseSummary) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name in summary.__struct_fields__:
        value = getattr(summary, name)
        if name in ("latency_ns", "bandwidth_bytes_per_s"):
            for part in Estimate.__struct_fields__:
                flat[f"{name}_{part}"] = _finite(getattr(value, part)) if value else None
        elif name in _PERCENTILES:
            for percentile in PERCENTILES:
                column = f"{_PERCENTILES[name]}_p{percentile:g}"
                flat[column] = value.get(f"{percentile:g}")
        elif name == "tails_latency_ns":
            for tail in TAILS:
                for part in ("median", "low", "high"):
                    end = getattr(value.get(tail), part, None)
                    flat[f"latency_ns_tail{tail}_{part}"] = _finite(end)
        else:
            flat[name] = "; ".join(map(str, value)) if isinstance(value, tuple) else value
    return flat


def _finite(value: Any) -> Any:
    """An end of an interval that there is not is null."""
    return None if isinstance(value, float) and math.isinf(value) else value
