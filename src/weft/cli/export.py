"""`weft export`: a record's tables as CSV or Parquet, and for papers as LaTeX or Markdown."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import only_output_option
from weft.errors import WeftError
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO


_EXAMPLES = """Examples:

weft export run.jsonl.zst --csv samples.csv

weft export run.jsonl.zst --table summary --parquet summary.parquet

weft export run.jsonl.zst --table models --latex models.tex"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("export", epilog=_EXAMPLES)(export)


def export(
    record: Annotated[Path, typer.Argument(help="Export this record.")],
    csv: Annotated[
        Path | None, typer.Option(callback=only_output_option, help="Write CSV to this file.")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(callback=only_output_option, help="Write Parquet to this file.")
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(callback=only_output_option, help="Write a LaTeX table to this file."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(callback=only_output_option, help="Write a Markdown table to this file."),
    ] = None,
    table: Annotated[
        str,
        typer.Option(
            help="Choose the table. CSV, Parquet: samples (default), batches, host, summary."
            " LaTeX, Markdown: models, or one of weft show --table."
        ),
    ] = "",
) -> None:
    """Write a record's raw samples or another table as CSV, Parquet, LaTeX or Markdown.

    A file called - is standard output.
    """
    from weft.outputs import STANDARD_OUTPUT, write_output
    from weft.record.run import load
    from weft.studies.export import in_words, table_called
    from weft.topics.frames import table_of

    targets = [path for path in (csv, parquet, latex, markdown) if path is not None]
    if len(targets) != 1:
        raise WeftError(
            "weft export writes one file",
            "type --csv FILE, --parquet FILE, --latex FILE or --markdown FILE",
        )
    target = targets[0]
    for_paper = latex is not None or markdown is not None
    table = table_called(table, for_paper=for_paper)
    run = load(record)
    if for_paper:
        text, rows = in_words(run, table, as_latex=latex is not None)
        write_output(target, text)
    else:
        frame = table_of(run, table)
        rows = frame.height
        _write(frame.write_csv if csv else frame.write_parquet, target)
    typer.echo(f"{target}: {counted(rows, 'row')} of {table}", err=target == STANDARD_OUTPUT)


def _write(fill: "Callable[[IO[bytes]], object]", target: Path) -> None:
    import polars as pl

    from weft.outputs import output_file

    try:
        with output_file(target) as file:
            fill(file)
    except pl.exceptions.PolarsError as error:
        raise WeftError(f"cannot write {target}: {error}", "type another path") from None
