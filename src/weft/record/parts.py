"""The table of all series of a record: of each rank, and of each name that a test gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.record.frames import axes_of, axes_schema
from weft.record.ranks import rank_and_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from weft.plan.case import Case
    from weft.record.model import Batch


def parts_table(cases: Mapping[str, Case], batches: Iterable[tuple[Batch, float]]) -> pl.DataFrame:
    """A row per value of each series of the batches, each with what a tick is worth, ns.

    Run.parts says what the columns are.
    """
    import numpy as np
    import polars as pl

    frames = [pl.DataFrame(schema=_schema())]
    for batch, tick_ns in batches:
        case = axes_of(cases[batch.case])
        every = {"": batch.ticks, **batch.parts}
        for name, ticks in every.items():
            rank, part = rank_and_part(name)
            shared = {
                **case, "launch": batch.launch, "order": batch.order, "rank": rank, "part": part
            }  # fmt: skip
            index = np.arange(len(ticks))
            series = {
                "index": index,
                "warmup": index < batch.warmup,
                "ticks": np.asarray(ticks, dtype=np.float64),
                "time_ns": np.asarray(ticks) * tick_ns,
            }
            one = pl.DataFrame(series).with_columns(
                pl.lit(value, dtype=_schema()[key]).alias(key) for key, value in shared.items()
            )
            frames.append(one.select(list(_schema())).cast(_schema()))
    return pl.concat(frames)


def _schema() -> Any:
    import polars as pl

    return {
        **axes_schema(),
        "launch": pl.Int32,
        "order": pl.Int32,
        "index": pl.Int32,
        "warmup": pl.Boolean,
        "rank": pl.Int32,
        "part": pl.Categorical,
        "ticks": pl.Float64,
        "time_ns": pl.Float64,
    }
