"""`weft export`: a record's tables as CSV, Parquet or JSON, and for papers as LaTeX or Markdown."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import only_output_option
from weft.cli.printed import say
from weft.cli.typed import refuse_typed
from weft.wording import counted

_EXAMPLES = """Examples:

weft export run.jsonl.zst --csv samples.csv

weft export run.jsonl.zst --table summary --parquet summary.parquet

weft export map.jsonl.zst --table pairs --json pairs.json

weft export run.jsonl.zst --table models --latex models.tex

weft export run.jsonl.zst --methods methods.tex"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("export", epilog=_EXAMPLES)(export)


def export(
    context: typer.Context,
    record: Annotated[Path, typer.Argument(help="Export this record.")],
    csv: Annotated[
        Path | None, typer.Option(callback=only_output_option, help="Write CSV to this file.")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(callback=only_output_option, help="Write Parquet to this file.")
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            callback=only_output_option, help="Write JSON, rows in its form, to this file."
        ),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(callback=only_output_option, help="Write a LaTeX table to this file."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(callback=only_output_option, help="Write a Markdown table to this file."),
    ] = None,
    methods: Annotated[
        Path | None,
        typer.Option(
            callback=only_output_option,
            help="Write the methods paragraph of a paper to this file (.tex: LaTeX), and which of"
            " the twelve rules of Hoefler and Belli the record keeps.",
        ),
    ] = None,
    table: Annotated[
        str,
        typer.Option(
            help="Choose the table. CSV, Parquet, JSON: samples (default), batches, host, summary,"
            " pairs (of a map)."
            " LaTeX, Markdown: figures (default), models, or another of weft show --table."
        ),
    ] = "",
) -> None:
    """Write a record's raw samples or another table as CSV, Parquet, JSON, LaTeX or Markdown.

    A file called - is standard output.
    """
    from weft.outputs import STANDARD_OUTPUT
    from weft.studies.export import export as written
    from weft.studies.export import export_methods

    if methods is not None:
        others = ("csv", "parquet", "json", "latex", "markdown", "table")
        refuse_typed(context, *others, why="--methods writes a paragraph")
        export_methods(record, methods)
        say(f"{methods}: the methods paragraph and twelve rules", err=True)
        return
    targets = {"csv": csv, "parquet": parquet, "json": json, "latex": latex, "markdown": markdown}
    one = written(record, targets, table)
    words = f"{one.path}: {counted(one.rows, 'row')} of {one.table}"
    say(words, err=one.path == STANDARD_OUTPUT)
