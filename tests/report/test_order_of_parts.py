"""Which parts a page has, in which order they stand."""

import re
from pathlib import Path

import pytest

import weft
from support.builders import make_cases, synthetic_record
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import summarise
from weft.report.comparison import write_comparison
from weft.report.html import Section
from weft.report.page import render_page
from weft.sources.series import models_of
from weft.topics import results_of

SIZES = (8, 64, 512, 4096, 32768, 262144)


def parts_of(page: str) -> list[str]:
    return re.findall(r'<section id="([^"]+)">', page)


@pytest.mark.usefixtures("undrawn")
def test_what_a_study_adds_stands_between_the_figures_and_the_conditions(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), SIZES)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    results = [results_of(run, summarise(run))]
    assert parts_of(render_page(results)) == ["figures", "conditions", "method", "hosts"]
    more = [Section(name=name, title=name, notes=("something",)) for name in ("first", "second")]
    of_study = parts_of(render_page(results, models_of([run]), more))
    assert of_study == [
        "figures", "first", "second", "models", "conditions", "method", "hosts",
    ]  # fmt: skip


@pytest.mark.usefixtures("undrawn")
def test_a_comparison_tells_what_is_unlike_before_what_follows(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), SIZES)
    runs = [weft.load(synthetic_record(tmp_path / f"{name}.jsonl", cases)) for name in ("a", "b")]
    sides = [side_of_run(run, summarise(run), run.path.stem) for run in runs]
    write_comparison(compare(sides), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert parts_of(page)[:4] == ["unlike", "outcome", "curves", "figures"]
