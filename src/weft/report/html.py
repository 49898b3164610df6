"""What every page of HTML shares: figures drawn twice, one template, one file."""

from __future__ import annotations

import base64
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart


def render(template: str, charts: Sequence[Chart], **values: Any) -> str:
    """A page from a template of this folder; the same for the same values."""
    import jinja2
    import plotly.offline

    from weft.report.interactive import plot

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, loader=jinja2.FunctionLoader(_template)
    )
    moving = [chart for chart in charts if not chart.is_static]
    return environment.get_template(template).render(
        figures=_figures(charts),
        plots=_script_json({chart.name: plot(chart) for chart in moving}),
        # Most of a page's size, and a page of pictures does without.
        plotly=plotly.offline.get_plotlyjs() if moving else "",
        **values,
    )


def _template(name: str) -> str:
    return files("weft.report").joinpath(name).read_text(encoding="utf-8")


def _script_json(value: Any) -> str:
    """JSON that is safe inside a script element: no text can close it."""
    text = msgspec.json.encode(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _figures(charts: Sequence[Chart]) -> list[dict[str, Any]]:
    """All figures. Drawing for paper takes most of a page's time: every core takes its share."""
    from weft.report.drawing import load_library

    workers = min(len(charts), len(os.sched_getaffinity(0)))
    if workers < 2:
        return [_figure(chart) for chart in charts]
    # Loaded here it is there for each of the workers, which are copies of this process.
    load_library()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        return list(pool.map(_figure, charts))


def _figure(chart: Chart) -> dict[str, Any]:
    from weft.report.drawing import draw

    svg, pdf = draw(chart, ("svg", "pdf"))
    return {
        "name": chart.name,
        "title": chart.title,
        "alt": chart.alt,
        "note": chart.words,
        "is_static": chart.is_static,
        "svg": "data:image/svg+xml;base64," + base64.b64encode(svg).decode(),
        "pdf": "data:application/pdf;base64," + base64.b64encode(pdf).decode(),
    }
