"""One or a few charts as a file: SVG, PDF, or a small page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.outputs import write_output
from weft.report.html import Card, Page, Picture, Section, render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.charts import Chart
    from weft.tables import Table

KINDS = (".svg", ".pdf", ".html")


def check_kind(path: Path) -> None:
    """Raises WeftError for a file name whose ending is no kind of picture."""
    if path.suffix.lower() not in KINDS:
        raise WeftError(f"{path} is no kind of picture", "end its name in .svg, .pdf or .html")


def write_picture(
    path: Path,
    charts: Sequence[Chart],
    table: Table,
    more: Sequence[Table] = (),
    pictures: Sequence[Picture] = (),
    *,
    command: str = "",
    answer: str = "",
    facts: Sequence[str] = (),
    cards: Sequence[Card] = (),
) -> None:
    """Write the charts as the path's ending says; SVG and PDF hold the first one, a page all.

    A page shows the `command` that made it, `facts` of what was measured, and first the `answer` in
    a sentence and large figures on `cards`.

    Raises WeftError for another ending, where there is no chart, or nothing can be written.
    """
    check_kind(path)
    kind = path.suffix.lower()[1:]
    if not charts and kind != "html":
        raise WeftError("there is nothing to draw", "omit -o to see what there is")
    if kind == "html":
        page = page_of(
            charts, table, more, pictures, command=command, answer=answer, facts=facts, cards=cards
        )
        write_output(path, page.encode())
    else:
        write_output(path, _drawn(charts[0], kind))


def page_of(
    charts: Sequence[Chart],
    table: Table,
    more: Sequence[Table] = (),
    pictures: Sequence[Picture] = (),
    *,
    command: str = "",
    answer: str = "",
    facts: Sequence[str] = (),
    cards: Sequence[Card] = (),
) -> str:
    """The answer and the table's notes first, then charts and pictures; tables last.

    What kind of page it is says the command, whose name does not begin the heading too.
    """
    kind = " ".join(command.split()[:2]) or "weft"
    title = table.caption.removeprefix("weft: ").removeprefix(f"{kind}: ").rstrip(".") or table.name
    title = _capitalised(title)
    said = tuple(note for note in table.notes if note != answer)
    bare = msgspec.structs.replace(table, notes=(), caption=title)
    return render(
        Page(
            title=f"{kind}: {title}",
            heading=title,
            kind=kind,
            commands=(command,) if command else (),
            summary=answer,
            facts=tuple(facts),
            cards=tuple(cards),
            sections=(
                Section(name="answer", title="In words", findings=said),
                Section(name="charts", title="Charts", charts=tuple(charts)),
                Section(name="fabrics", title="The fabric", pictures=tuple(pictures)),
                Section(
                    name="figures",
                    title="In numbers",
                    tables=tuple(one for one in (bare, *more) if one.rows),
                ),
            ),
        )
    )


def _capitalised(title: str) -> str:
    """A title that begins with a word, as a heading; a name stays as it is written."""
    first, _, _ = title.partition(" ")
    return title[0].upper() + title[1:] if first.isalpha() else title


def _drawn(chart: Chart, kind: str) -> bytes:
    from weft.report.drawing import draw

    return draw(chart, (kind,))[0]
