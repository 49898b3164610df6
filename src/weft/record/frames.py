"""The columns of the tables that a run gives, with their types."""

from __future__ import annotations

from typing import Any

SAMPLE_COLUMNS = (
    *("case", "test", "transport", "bytes", "launch", "order", "index", "warmup"),
    *("ops_per_sample", "ticks", "time_ns", "latency_ns", "bandwidth_bytes_per_s"),
)


def facts_schema() -> dict[str, Any]:
    """Of what the samples of a batch have in common."""
    import polars as pl

    return {
        "case": pl.Categorical,
        "test": pl.Categorical,
        "transport": pl.Categorical,
        "bytes": pl.Int64,
        "launch": pl.Int32,
        "order": pl.Int32,
        "warmup": pl.Int32,
        "ops_per_sample": pl.Int32,
        "ns_per_tick": pl.Float64,
        "divisor": pl.Float64,
        "moved_bytes": pl.Float64,
    }


def batches_schema() -> dict[str, Any]:
    """Of the batches without their ticks."""
    import polars as pl

    return {
        "case": pl.Categorical,
        "launch": pl.Int32,
        "order": pl.Int32,
        "role": pl.String,
        "status": pl.String,
        "reason": pl.String,
        "ops_per_sample": pl.Int32,
        "samples": pl.Int64,
        "warmup": pl.Int32,
        "verified_bytes": pl.Int64,
        "elapsed_ns": pl.Int64,
    }
