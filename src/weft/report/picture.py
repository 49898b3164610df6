"""One or a few charts as a file: SVG, PDF, or a small page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.outputs import write_output
from weft.report.html import Page, Picture, Section, render

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
) -> None:
    """Write the charts as the path's ending says; SVG and PDF hold the first one, a page all.

    A page shows the `command` that made it.

    Raises WeftError for another ending, where there is no chart, or nothing can be written.
    """
    check_kind(path)
    kind = path.suffix.lower()[1:]
    if not charts and kind != "html":
        raise WeftError("there is nothing to draw", "type it without -o to see what there is")
    if kind == "html":
        write_output(path, page_of(charts, table, more, pictures, command=command).encode())
    else:
        write_output(path, _drawn(charts[0], kind))


def page_of(
    charts: Sequence[Chart],
    table: Table,
    more: Sequence[Table] = (),
    pictures: Sequence[Picture] = (),
    *,
    command: str = "",
) -> str:
    """The table's notes first, for they are the answer; then charts and pictures; tables last."""
    bare = msgspec.structs.replace(table, notes=(), caption="")
    title = table.caption.removeprefix("weft: ").rstrip(".") or table.name
    return render(
        Page(
            title=f"weft: {title}",
            heading=title[0].upper() + title[1:],
            kind="weft",
            commands=(command,) if command else (),
            sections=(
                Section(name="answer", title="In words", findings=table.notes),
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


def _drawn(chart: Chart, kind: str) -> bytes:
    from weft.report.drawing import draw

    return draw(chart, (kind,))[0]
