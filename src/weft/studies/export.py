"""Which tables a record has for a file, and those of a paper as text."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.names import as_typed
from weft.outputs import json_form, output_file, write_output
from weft.report.markup import to_latex, to_markdown
from weft.report.methods import methods_latex, methods_of, methods_text
from weft.report.models import model_tables
from weft.sources.records import record_named
from weft.sources.series import models_of
from weft.topics import TOPICS, results_of, topic_called
from weft.topics.frames import TABLES, table_of
from weft.wording import in_a_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl

    from weft.record.run import Run
    from weft.tables import Table

MODELS = "models"
OF_PAPERS = ("latex", "markdown")
FORMATS = ("csv", "parquet", "json", *OF_PAPERS)
ROWS_OF_A_PIECE = 1 << 16


class TableFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written: how many rows of which table."""

    path: Path
    rows: int
    table: str


def export(record: Path, targets: Mapping[str, Path | None], table: str = "") -> TableFile:
    """Write a record's table to the one file that is named, by its format, one of FORMATS.

    Raises WeftError, also where none is named or several are.
    """
    named = {kind: path for kind, path in targets.items() if path is not None}
    if len(named) != 1:
        raise WeftError(
            "weft export writes one file",
            f"use {in_a_row([f'--{kind} FILE' for kind in FORMATS], 'or')}",
        )
    [(kind, path)] = named.items()
    table = table_called(table, for_paper=kind in OF_PAPERS)
    run = record_named(record)
    if kind in OF_PAPERS:
        text, rows = in_words(run, table, as_latex=kind == "latex")
        write_output(path, text)
    else:
        frame = table_of(run, table)
        rows = frame.height
        with output_file(path) as file:
            file.writelines(_FORMS[kind](frame))
    return TableFile(path=path, rows=rows, table=table)


def export_methods(record: Path, path: Path) -> None:
    """Write the methods paragraph of a record and the rules that it keeps. Raises WeftError."""
    run = record_named(record)
    found = methods_of(results_of(run, summarise(run)))
    write_output(path, methods_latex(found) if path.suffix == ".tex" else methods_text(found))


def _as_csv(frame: pl.DataFrame) -> Iterator[bytes]:
    """In pieces: a long table is never whole in memory, and a reader that ends is noticed."""
    yield frame.head(0).write_csv().encode()
    for rows in frame.iter_slices(ROWS_OF_A_PIECE):
        yield rows.write_csv(include_header=False).encode()


def _as_parquet(frame: pl.DataFrame) -> Iterator[bytes]:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    yield buffer.getvalue()


def _as_json(frame: pl.DataFrame) -> Iterator[bytes]:
    yield msgspec.json.encode(json_form("export", msgspec.Raw(frame.write_json().encode())))


# Polars gives text, and the file is written here: so every fault of a file is reported in one way.
_FORMS: dict[str, Callable[[pl.DataFrame], Iterator[bytes]]] = {
    "csv": _as_csv,
    "parquet": _as_parquet,
    "json": _as_json,
}


def table_called(name: str, *, for_paper: bool) -> str:
    """The table of this name, the usual one of none: of a paper, or one of plain rows.

    Raises WeftError for one that there is not.
    """
    usual = [topic.name for topic in TOPICS if topic.is_usual]
    of_paper = dict.fromkeys([*usual, *(topic.name for topic in TOPICS), MODELS])
    known: Sequence[str] = tuple(of_paper) if for_paper else TABLES
    if name and name not in known:
        raise WeftError(f"there is no table {name}", f"use --table {' or '.join(known)}")
    return name or known[0]


def in_words(run: Run, table: str, *, as_latex: bool) -> tuple[str, int]:
    """The tables for a paper as text, and how many rows they have. Raises WeftError for none."""
    tables = _of_models(run) if table == MODELS else _of_topic(run, table)
    text = to_latex(tables) if as_latex else to_markdown(tables)
    return text, sum(len(one.rows) for one in tables)


def _of_topic(run: Run, name: str) -> list[Table]:
    topic = topic_called(name)
    results = results_of(run, summarise(run))
    tables = results.labelled(topic.for_paper(results.of(topic)))
    if not tables:
        raise WeftError(
            f"{run.path} has no measured case for the table {name}",
            f"run weft show {as_typed(run.path)} to see what it has",
        )
    return tables


def _of_models(run: Run) -> list[Table]:
    found = models_of([run])
    tables = model_tables(found)
    if not tables:
        why = found.refused[0] if found.refused else f"{run.path} has no latency"
        raise WeftError(why, f"run weft show {as_typed(run.path)} to see what it has")
    return tables
