"""The columns of the tables that a run gives, with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.plan.case import Case

# What a case differs in from others, as columns of every table that has its samples.
AXES = ("case", "test", "transport", "bytes", "ranks", "queue_depth", "point", "variant")
SAMPLE_COLUMNS = (
    *(*AXES, "launch", "order", "index", "warmup"),
    *("ops_per_sample", "ticks", "time_ns", "latency_ns", "bandwidth_bytes_per_s"),
)


def axes_of(case: Case) -> dict[str, Any]:
    """The AXES of a case."""
    return {"case": case.key, **{name: getattr(case, name) for name in AXES[1:]}}


def axes_schema() -> dict[str, Any]:
    """The types of AXES."""
    import polars as pl

    words = dict.fromkeys(("case", "test", "transport", "variant"), pl.Categorical)
    numbers = {"bytes": pl.Int64, "ranks": pl.Int32, "queue_depth": pl.Int32, "point": pl.Int64}
    return {name: {**words, **numbers}[name] for name in AXES}


def facts_schema() -> dict[str, Any]:
    """Of what the samples of a batch have in common."""
    import polars as pl

    return {
        **axes_schema(),
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


def leaves_of(facts: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Leaves of nested facts, named by their way there."""
    for key, value in facts.items():
        if isinstance(value, dict):
            yield from leaves_of(value, f"{prefix}{key}_")
        elif isinstance(value, list):
            yield f"{prefix}{key}", msgspec.json.encode(value).decode()
        else:
            yield f"{prefix}{key}", value
