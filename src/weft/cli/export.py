"""`weft export`: a record's tables as CSV or Parquet."""

from pathlib import Path
from typing import Annotated

import typer

from weft.errors import WeftError

TABLES = ("samples", "batches", "host", "summary")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("export", epilog="Example:  weft export run.jsonl --csv samples.csv")(export)


def export(
    record: Annotated[Path, typer.Argument(help="The record of a run.")],
    csv: Annotated[Path | None, typer.Option(help="Write this CSV file.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write this Parquet file.")] = None,
    table: Annotated[str, typer.Option(help="samples, batches, host or summary.")] = "samples",
    force: Annotated[bool, typer.Option(help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a record's raw samples, or another of its tables, for other programs."""
    from weft.report.tables import table_of  # noqa: PLC0415 - polars is slow to start

    target = csv or parquet
    if target is None or (csv and parquet):
        raise WeftError("export wants one file to write", "type --csv FILE or --parquet FILE")
    if table not in TABLES:
        raise WeftError(f"there is no table {table}", f"choose one of {', '.join(TABLES)}")
    if target.exists() and not force:
        raise WeftError(f"{target} exists", "choose another name or add --force")
    frame = table_of(record, table)
    try:
        if csv:
            frame.write_csv(target)
        else:
            frame.write_parquet(target)
    except OSError as error:
        raise WeftError(f"cannot write {target}: {error}", "choose another place") from None
    typer.echo(f"{target}: {frame.height} rows of {table}")
