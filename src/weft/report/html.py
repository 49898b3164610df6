"""What every page of HTML is: one shell, its parts as data, one file that needs nothing else."""

from __future__ import annotations

import base64
import multiprocessing
import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from weft.charts import Chart
from weft.report.paper import SCREEN, SMALL
from weft.report.turned import for_page
from weft.stages import counted_as_they_come, counted_off
from weft.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

    from weft.report.drawing import PageDrawing

# An interval, and a number with its unit: a narrow column breaks its line between these.
_PIECE = re.compile(r"\[[^]]{1,24}\]|\d (?:launch|session|[KMG]iB|[kMGT]?B/s|[mnµ]?s|B|%)(?!\w)")


class Fold(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown when its one line is opened: sentences, facts by their names, or plain text."""

    line: str
    sentences: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    plain: str = ""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A drawing that is no chart: its SVG, and what it shows in words."""

    name: str
    title: str
    svg: str

    @property
    def data(self) -> str:
        """As a file's address."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What a page shows under one heading; with `line`, folded under that line.

    Charts of one that `is_dense` are small, several beside each other, and named by their titles.
    """

    name: str
    title: str
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    folds: tuple[Fold, ...] = ()
    line: str = ""
    is_dense: bool = False

    @property
    def drawn(self) -> tuple[str, ...]:
        """The names of the charts."""
        return tuple(chart.name for chart in self.charts)

    @property
    def fitted(self) -> list[Table]:
        """The tables, turned or split so that a page has room for them."""
        return [part for table in self.tables for part in for_page(table)]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing under the heading."""
        parts = (self.charts, self.tables, self.pictures, self.findings, self.notes, self.folds)
        return not any(parts)


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A few large figures of one thing: what each is, its value, and its interval."""

    title: str
    group: int
    figures: tuple[tuple[str, str, str], ...]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The answer in a word and a sentence, and what to do next; `mood` is good, bad or open."""

    word: str
    sentence: str
    mood: str = "open"
    then: str = ""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A whole page: its first screen, then its sections."""

    title: str
    heading: str
    kind: str
    summary: str = ""
    facts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    cards: tuple[Card, ...] = ()
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


def render(page: Page) -> str:
    """The page's HTML; the same for the same page."""
    from weft.report.inline import figure_of, plot

    with_courses = (
        msgspec.structs.replace(
            one, charts=tuple(chart for chart in one.charts if chart.has_course)
        )
        for one in page.sections
    )
    sections = [one for one in with_courses if not one.is_empty]
    charts = [(chart, one.is_dense) for one in sections for chart in one.charts]
    drawings = _drawings(charts)
    pairs = [(chart, own) for (chart, _), own in zip(charts, drawings, strict=True)]
    return _template().render(
        page=page,
        sections=sections,
        figures={chart.name: figure_of(chart, drawing) for chart, drawing in pairs},
        plots=_script_json(
            {chart.name: plot(chart, drawing) for chart, drawing in pairs if not chart.is_static}
        ),
        style=_part("page.css"),
        script=_part("page.js"),
    )


@cache
def _template() -> jinja2.Template:
    """The page's, compiled once for all pages of a process: it takes as long as a small page."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(_part),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["in_pieces"] = in_pieces
    return environment.get_template("page.html.j2")


def in_pieces(cell: str) -> str:
    """A cell whose figures and intervals stay in one line each."""
    return _PIECE.sub(lambda piece: piece[0].replace(" ", "\N{NO-BREAK SPACE}"), cell)


def _part(name: str) -> str:
    return files("weft.report").joinpath(name).read_text(encoding="utf-8")


def _script_json(value: Any) -> str:
    """JSON that is safe inside a script element: no text can close it."""
    text = msgspec.json.encode(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _drawings(charts: Sequence[tuple[Chart, bool]]) -> list[PageDrawing]:
    """All drawings, each small or not: most of a page's time, of which every core has its share."""
    from weft.report.drawing import load_library

    workers = min(len(charts), len(os.sched_getaffinity(0)))
    if workers < 2:
        return list(map(_drawn, counted_off(charts, "drawing charts")))
    # Loaded here it is there for each of the workers, which are copies of this process.
    load_library()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        return list(counted_as_they_come(pool.map(_drawn, charts), len(charts), "drawing charts"))


def _drawn(asked: tuple[Chart, bool]) -> PageDrawing:
    from weft.report.drawing import draw_for_page

    chart, is_small = asked
    return draw_for_page(chart, SMALL if is_small else SCREEN)
