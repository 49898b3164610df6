"""`weft export`: a record's tables as CSV or Parquet."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.errors import WeftError

if TYPE_CHECKING:
    import polars as pl

_EXAMPLES = """Examples:

weft export run.jsonl.zst --csv samples.csv

weft export run.jsonl.zst --table summary --parquet summary.parquet"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("export", epilog=_EXAMPLES)(export)


def export(
    record: Annotated[Path, typer.Argument(help="The record of a run.")],
    csv: Annotated[Path | None, typer.Option(help="Write this CSV file.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write this Parquet file.")] = None,
    table: Annotated[str, typer.Option(help="samples, batches, host or summary.")] = "samples",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a record's raw samples, or another of its tables, for other programs."""
    from weft.analysis.tables import TABLES, table_of  # noqa: PLC0415 - start-up
    from weft.record.run import load  # noqa: PLC0415

    target = csv or parquet
    if target is None or (csv and parquet):
        raise WeftError("export wants one file to write", "type --csv FILE or --parquet FILE")
    if table not in TABLES:
        raise WeftError(f"there is no table {table}", f"choose one of {', '.join(TABLES)}")
    if target.exists() and record.exists() and target.samefile(record):
        raise WeftError(f"{target} is the record itself", "choose another name")
    if target.is_file() and not force:
        raise WeftError(f"{target} exists", "choose another name or add --force")
    frame = table_of(load(record), table)
    _write(frame, target, as_csv=csv is not None)
    typer.echo(f"{target}: {frame.height} rows of {table}")


def _write(frame: "pl.DataFrame", target: Path, *, as_csv: bool) -> None:
    """Put the whole file in place or none: an old one is replaced only at the end.

    Only a regular file is ever replaced; a pipe or a device is written to, as it stands.
    """
    import polars as pl  # noqa: PLC0415 - start-up

    target = target.resolve()
    is_special = target.exists() and not target.is_file()
    written = target if is_special else target.with_name(target.name + ".partial")
    try:
        try:
            with written.open("wb") as file:
                if as_csv:
                    frame.write_csv(file)
                else:
                    frame.write_parquet(file)
            if not is_special:
                written.replace(target)
        finally:
            if not is_special:
                written.unlink(missing_ok=True)
    except (OSError, pl.exceptions.PolarsError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise WeftError(f"cannot write {target}: {why}", "choose another place") from None
