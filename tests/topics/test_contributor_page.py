"""The page "add a topic", followed to the letter in a copy."""

import shutil
from pathlib import Path

import pytest

from support.builders import synthetic_record
from support.copies import ROOT, blocks, weft_of
from support.printed import result_of


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources with the page's topic in them."""
    shutil.copytree(ROOT / "src" / "weft", tmp_path / "weft")
    source, line = blocks("add-a-topic.md", "python")
    topics = tmp_path / "weft" / "topics"
    (topics / "asymmetry.py").write_text(source)
    listing = (topics / "__init__.py").read_text()
    listing = listing.replace(
        "from weft.topics.availability", f"{line}from weft.topics.availability"
    )
    before, after = listing.split("TOPICS: tuple", 1)
    (topics / "__init__.py").write_text(
        before + "TOPICS: tuple" + after.replace("\n)\n", "\n    BothWays(),\n)\n", 1)
    )
    return tmp_path


def test_one_file_and_a_line_are_a_table_a_chart_a_finding_and_json(copy: Path) -> None:
    record = synthetic_record(copy / "r.jsonl")
    shown = weft_of(copy, "show", str(record))
    assert "Bandwidth both ways in times the bandwidth one way" in shown
    assert "both directions: least is gained at" in shown
    rows = result_of(weft_of(copy, "show", str(record), "--table", "asymmetry", "--json"))
    assert {round(row["gain"]["value"], 6) for row in rows} == {2.0}
    weft_of(copy, "figure", str(record), "--show", "asymmetry", "-o", str(copy / "a.svg"))
    weft_of(copy, "report", str(record), "-o", str(copy / "r.html"))
    page = (copy / "r.html").read_text()
    assert ">Both directions at once</a></h2>" in page
    assert 'id="plot-asymmetry"' in page
    weft_of(copy, "export", str(record), "--latex", str(copy / "a.tex"), "--table", "asymmetry")
    assert r"\label{tab:weft-asymmetry-1}" in (copy / "a.tex").read_text()
