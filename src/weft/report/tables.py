"""A record's tables by name, as `weft export` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.summary import summarise
from weft.record.run import load

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def table_of(record: Path, name: str) -> pl.DataFrame:
    """The table `samples`, `batches`, `host` or `summary` of a record; flat columns only."""
    import polars as pl  # noqa: PLC0415 - not needed to start the program

    run = load(record)
    if name == "summary":
        return pl.DataFrame([_flat(row) for row in summarise(run)], infer_schema_length=None)
    frame: pl.DataFrame = getattr(run, name)
    return frame


def _flat(row: object) -> dict[str, object]:
    import msgspec  # noqa: PLC0415 - only here

    flat: dict[str, object] = {}
    for key, value in msgspec.to_builtins(row).items():
        if isinstance(value, dict):
            flat.update({f"{key}_{inner}": v for inner, v in value.items()})
        elif isinstance(value, list | tuple):
            flat[key] = "; ".join(map(str, value))
        else:
            flat[key] = value
    return flat
