"""Tables for papers: the same cells as LaTeX and as Markdown. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.report.fits import (
    PREDICTION_HEAD,
    line_rows,
    loggp_rows,
    prediction_rows,
    segment_rows,
    whole_rows,
)
from weft.report.signatures import HEAD as SIGNATURE_HEAD
from weft.report.signatures import signature_rows
from weft.report.table import Table
from weft.report.tails import tail_tables
from weft.report.terminal import format_estimate
from weft.units import format_bytes
from weft.written import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fits.modelled import Modelled
    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run

_LATEX = (
    ("\\", r"\textbackslash{}"), ("&", r"\&"), ("%", r"\%"), ("$", r"\$"), ("#", r"\#"),
    ("_", r"\_"), ("{", r"\{"), ("}", r"\}"), ("~", r"\textasciitilde{}"),
    ("^", r"\textasciicircum{}"), ("µ", r"$\mu$"), ("±", r"$\pm$"), ("½", r"$_{1/2}$"),
    ("²", r"$^2$"), ("<", r"$<$"), (">", r"$>$"),
)  # fmt: skip


def figure_tables(run: Run, summaries: Sequence[CaseSummary]) -> list[Table]:
    """A row a message size, a column a test and way; tails where single operations are."""
    hosts = " and ".join(run.header.hosts)
    return [
        Table(
            name="figures",
            caption=f"Median over launches on {hosts}; {RULE}.",
            head=("message", *column_heads(run, summaries)),
            rows=tuple(size_rows(summaries)),
        ),
        *tail_tables(summaries),
    ]


def column_heads(run: Run, summaries: Sequence[CaseSummary]) -> list[str]:
    """The heads of the columns of `size_rows`: each test in each way that it was measured in."""
    return [f"{run.patterns[test].title}, {way}" for test, way in _columns(summaries)]


def size_rows(summaries: Sequence[CaseSummary]) -> list[tuple[str, ...]]:
    """A row a message size: the size, then the figure of each test and way."""
    cells = {(s.bytes, s.test, s.way): format_estimate(s) for s in summaries}
    columns = _columns(summaries)
    return [
        (format_bytes(size), *(cells.get((size, *column), "") for column in columns))
        for size in sorted({s.bytes for s in summaries})
    ]


def _columns(summaries: Sequence[CaseSummary]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((s.test, s.way) for s in summaries))


def model_tables(found: Modelled) -> list[Table]:
    """Lines, segments, parameters and errors of each series, then all signatures."""
    tables = []
    for one in found.models:
        tables.append(
            Table(
                name="line",
                caption=f"Straight lines, {one.name}, with 95 % intervals.",
                head=("", "least squares, as published", "median line"),
                rows=tuple(line_rows(one.line)),
            )
        )
        if one.piecewise is not None:
            tables.append(
                Table(
                    name="piecewise",
                    caption=f"Piecewise model, {one.name}: a line a protocol.",
                    head=("sizes", "time at 0 B", "bandwidth"),
                    rows=tuple(segment_rows(one.piecewise)),
                )
            )
            rows = whole_rows(one.piecewise)
            caption = f"What the piecewise model says, {one.name}."
            tables.append(Table(name="whole", caption=caption, head=("", ""), rows=tuple(rows)))
        if one.loggp is not None:
            caption = f"LogGP and PLogP, {one.name}."
            rows = loggp_rows(one.loggp)
            tables.append(Table(name="loggp", caption=caption, head=("", ""), rows=tuple(rows)))
        tables.append(
            Table(
                name="errors",
                caption=f"How far each model is off the medians, {one.name}.",
                head=PREDICTION_HEAD,
                rows=tuple(prediction_rows(one)),
            )
        )
    if found.signatures:
        tables.append(
            Table(
                name="signature",
                caption="Network signature: zero-length latency and saturation bandwidth.",
                head=SIGNATURE_HEAD,
                rows=tuple(signature_rows(found.signatures)),
            )
        )
    return tables


def to_latex(tables: Sequence[Table]) -> str:
    """Table environments with the rules of booktabs, labels `tab:weft-NAME-NUMBER`."""
    parts = ["% wants: \\usepackage{booktabs}"]
    for number, table in enumerate(tables, start=1):
        lines = [
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{_latex(table.caption)}}}",
            rf"\label{{tab:weft-{table.name}-{number}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
            r"\toprule",
        ]
        if any(table.head):
            lines += [_latex_row(table.head), r"\midrule"]
        lines += [_latex_row(row) for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _latex_row(row: Sequence[str]) -> str:
    return " & ".join(map(_latex, row)) + r" \\"


def _latex(text: str) -> str:
    """The text with every character that LaTeX reads as a command written out."""
    known = dict(_LATEX)
    return "".join(known.get(character, character) for character in text)


def to_markdown(tables: Sequence[Table]) -> str:
    """Pipe tables, each under its caption."""
    parts = []
    for table in tables:
        rules = ("---", *("---:" for _ in table.head[1:]))
        rows = [table.head, rules, *table.rows]
        lines = ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
        parts.append(f"{table.caption}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
