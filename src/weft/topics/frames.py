"""A record's tables by name, flat, as other programs read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.diagnosis.bisection import answer_of, rates_of
from weft.analysis.diagnosis.matrix import matrix_of
from weft.analysis.diagnosis.measured import measured_maps
from weft.analysis.stats.percentiles import PERCENTILES, TAILS
from weft.analysis.summary import CaseSummary, summarise
from weft.errors import WeftError
from weft.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

    from weft.record.run import Run

TABLES = ("samples", "batches", "host", "summary", "pairs")
_PERCENTILES = {
    "percentiles_latency_ns": "latency_ns",
    "percentiles_of_means_latency_ns": "latency_of_means_ns",
}


def table_of(run: Run, name: str) -> pl.DataFrame:
    """One of TABLES: a row a raw sample, a batch, a rank, a planned case or a pair of a map."""
    if name == "summary":
        return summary_table(summarise(run))
    if name == "pairs":
        return pairs_table(run)
    frame: pl.DataFrame = getattr(run, name)
    return frame


def summary_table(summaries: tuple[CaseSummary, ...]) -> pl.DataFrame:
    """A row a planned case; estimates and percentiles in a column each figure.

    The columns are the same for every record: null where a case has no such figure.
    """
    import polars as pl

    return pl.DataFrame([_flat(row) for row in summaries], infer_schema_length=None)


def pairs_table(run: Run) -> pl.DataFrame:
    """A row a directed pair that a map measured: its median over `visits`, and how much slower.

    `time_ns` is there and back, `bandwidth_bytes_per_s` the message's bytes over its own time, and
    `slower` the share beyond what is usual so far apart. Raises WeftError for no map.
    """
    import numpy as np
    import polars as pl

    frames = []
    maps = measured_maps(run)
    for one in maps:
        matrix = matrix_of(one.times, one.fabric)
        source, target = np.nonzero(matrix.visits)
        names = np.array(matrix.names)
        columns: dict[str, Any] = {
            "transport": [one.case.transport] * len(source),
            "bytes": [one.case.bytes] * len(source),
            "source": names[source].tolist(),
            "target": names[target].tolist(),
            "time_ns": (times_ns := matrix.time_ns[source, target]),
            "bandwidth_bytes_per_s": rates_of(one.case.bytes, times_ns, answer_of(one, maps)),
            "slower": matrix.slower[source, target],
            "visits": matrix.visits[source, target],
        }
        frames.append(pl.DataFrame(columns))
    if not frames:
        raise WeftError(f"{run.path} has no map", "measure one with weft map")
    return pl.concat(frames)


def _flat(summary: CaseSummary) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name in summary.__struct_fields__:
        value = getattr(summary, name)
        if name in ("latency_ns", "bandwidth_bytes_per_s"):
            for part, end in _parts_of(value).items():
                flat[_column(name, part)] = end
        elif name in _PERCENTILES:
            for percentile in PERCENTILES:
                column = f"{_PERCENTILES[name]}_p{percentile:g}"
                flat[column] = value.get(f"{percentile:g}")
        elif name == "tails_latency_ns":
            for tail in TAILS:
                parts = _parts_of(value.get(tail))
                for part in ("value", "low", "high"):
                    flat[_column(f"latency_ns_tail{tail}", part)] = parts[part]
        else:
            flat[name] = "; ".join(map(str, value)) if isinstance(value, tuple) else value
    return flat


def _column(figure: str, part: str) -> str:
    """The column of a figure's value has the figure's name, those of its interval go on behind."""
    return figure if part == "value" else f"{figure}_{part}"


def _parts_of(estimate: Estimate | None) -> dict[str, Any]:
    """A median as JSON has it; an end that there is not is null, as everything of none."""
    parts = msgspec.to_builtins(estimate) if estimate else {}
    return {name: _finite(parts.get(name)) for name in Estimate.__struct_encode_fields__}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and math.isinf(value) else value
