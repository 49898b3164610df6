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

    from weft.record.run import Run
    from weft.tables import Table

_EXAMPLES = """Examples:

weft export run.jsonl.zst --csv samples.csv

weft export run.jsonl.zst --table summary --parquet summary.parquet

weft export run.jsonl.zst --table models --latex models.tex"""
_MODELS = "models"


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
    from weft.topics import TOPICS
    from weft.topics.frames import TABLES, table_of

    targets = [path for path in (csv, parquet, latex, markdown) if path is not None]
    if len(targets) != 1:
        raise WeftError(
            "weft export writes one file",
            "type --csv FILE, --parquet FILE, --latex FILE or --markdown FILE",
        )
    target = targets[0]
    usual = [topic.name for topic in TOPICS if topic.is_usual]
    for_paper = dict.fromkeys([*usual, *(topic.name for topic in TOPICS), _MODELS])
    known = tuple(for_paper) if latex or markdown else TABLES
    table = table or known[0]
    if table not in known:
        raise WeftError(f"there is no table {table}", f"type --table {' or '.join(known)}")
    run = load(record)
    if latex or markdown:
        text, rows = _words(run, table, as_latex=latex is not None)
        write_output(target, text)
    else:
        frame = table_of(run, table)
        rows = frame.height
        _write(frame.write_csv if csv else frame.write_parquet, target)
    typer.echo(f"{target}: {counted(rows, 'row')} of {table}", err=target == STANDARD_OUTPUT)


def _words(run: "Run", table: str, *, as_latex: bool) -> tuple[str, int]:
    """The tables for a paper as text, and how many rows they have. Raises WeftError for none."""
    from weft.report.markup import to_latex, to_markdown

    tables = _models(run) if table == _MODELS else _of_topic(run, table)
    text = to_latex(tables) if as_latex else to_markdown(tables)
    return text, sum(len(one.rows) for one in tables)


def _of_topic(run: "Run", name: str) -> "list[Table]":
    from weft.analysis.summary import summarise
    from weft.topics import results_of, topic_called

    topic = topic_called(name)
    results = results_of(run, summarise(run))
    tables = results.labelled(topic.for_paper(results.of(topic)))
    if not tables:
        raise WeftError(
            f"{run.path} has no measured case for the table {name}",
            f"type weft show {run.path} to see what it has",
        )
    return tables


def _models(run: "Run") -> "list[Table]":
    from weft.report.models import model_tables
    from weft.sources.series import models_of

    found = models_of([run])
    tables = model_tables(found)
    if not tables:
        why = found.refused[0] if found.refused else f"{run.path} has no latency"
        raise WeftError(why, f"type weft show {run.path} to see what it has")
    return tables


def _write(fill: "Callable[[IO[bytes]], object]", target: Path) -> None:
    import polars as pl

    from weft.outputs import output_file

    try:
        with output_file(target) as file:
            fill(file)
    except pl.exceptions.PolarsError as error:
        raise WeftError(f"cannot write {target}: {error}", "type another path") from None
