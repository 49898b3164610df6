"""Tables for papers: the same cells as LaTeX and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.tables import Table

_LATEX = (
    ("\\", r"\textbackslash{}"), ("&", r"\&"), ("%", r"\%"), ("$", r"\$"), ("#", r"\#"),
    ("_", r"\_"), ("{", r"\{"), ("}", r"\}"), ("~", r"\textasciitilde{}"),
    ("^", r"\textasciicircum{}"), ("µ", r"$\mu$"), ("±", r"$\pm$"), ("½", r"$_{1/2}$"),
    ("²", r"$^2$"), ("<", r"$<$"), (">", r"$>$"),
)  # fmt: skip


def to_latex(tables: Sequence[Table]) -> str:
    """Table environments with the rules of booktabs, labels `tab:weft-NAME-NUMBER`."""
    parts = ["% wants: \\usepackage{booktabs}"]
    for number, table in enumerate(tables, start=1):
        lines = [
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{latex_text(table.caption)}}}",
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
    return " & ".join(map(latex_text, row)) + r" \\"


def latex_text(text: str) -> str:
    """The text with every character that LaTeX reads as a command written out."""
    known = dict(_LATEX)
    return "".join(known.get(character, character) for character in printable(text))


def to_markdown(tables: Sequence[Table]) -> str:
    """Pipe tables, each under its caption."""
    parts = []
    for table in tables:
        rules = ("---", *("---:" for _ in table.head[1:]))
        rows = [table.head, rules, *table.rows]
        lines = ["| " + " | ".join(map(_markdown, row)) + " |" for row in rows]
        parts.append(f"{printable(table.caption)}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _markdown(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
