"""Which tables a record has for a file, and those of a paper as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.report.markup import to_latex, to_markdown
from weft.report.models import model_tables
from weft.sources.series import models_of
from weft.topics import TOPICS, results_of, topic_called
from weft.topics.frames import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run
    from weft.tables import Table

MODELS = "models"


def table_called(name: str, *, for_paper: bool) -> str:
    """The table of this name, the usual one of none: of a paper, or one of plain rows.

    Raises WeftError for one that there is not.
    """
    usual = [topic.name for topic in TOPICS if topic.is_usual]
    of_paper = dict.fromkeys([*usual, *(topic.name for topic in TOPICS), MODELS])
    known: Sequence[str] = tuple(of_paper) if for_paper else TABLES
    if name and name not in known:
        raise WeftError(f"there is no table {name}", f"type --table {' or '.join(known)}")
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
            f"type weft show {run.path} to see what it has",
        )
    return tables


def _of_models(run: Run) -> list[Table]:
    found = models_of([run])
    tables = model_tables(found)
    if not tables:
        why = found.refused[0] if found.refused else f"{run.path} has no latency"
        raise WeftError(why, f"type weft show {run.path} to see what it has")
    return tables
