"""Tables as the pages of docs/ have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A pipe table."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(row_of_cells(line) for line in lines)


def row_of_cells(cells: Sequence[str]) -> str:
    """A row of such a table."""
    return f"| {' | '.join(cells)} |"


# What ends a table that a command wrote.
ENDS = "<!-- end of it -->"


def with_table(page: str, name: str, words: str) -> str:
    """The page with these words between the marks of a command, `python -m NAME`.

    Raises SystemExit where it has none.
    """
    mark = f"<!-- {name} -->"
    head, begins, rest = page.partition(mark)
    _, ends, tail = rest.partition(ENDS)
    if not (begins and ends):
        raise SystemExit(f"the page has no {mark} and {ENDS}")
    return f"{head}{mark}\n\n{words}\n\n{ENDS}{tail}"
