"""What the pages of studies have on their first screen: large figures, and what was measured."""

import re
from pathlib import Path

import pytest

from support.in_process import TERMINAL, weft_here
from weft.studies.layers import layers_shown


def words_of(page: Path) -> str:
    return " ".join(page.read_text().split())


@pytest.mark.usefixtures("undrawn")
def test_a_fabrics_parts_stand_first(tmp_path: Path) -> None:
    page = tmp_path / "price.html"
    typed = "price --nodes 1152 --switch 24,288 --blocking 2:1 -o"
    assert weft_here([*typed.split(), page], TERMINAL).returncode == 0
    words = words_of(page)
    first = words[words.index('<section class="card"') : words.index("</section>")]
    assert re.findall(r"<dt>([^<]*)</dt>.*?<b>([^<]*)</b>", first) == [
        ("adapter", "1,152"),
        ("leaf switch, 24 ports", "72"),
        ("spine switch, 288 ports", "2"),
        ("node cable", "1,152"),
        ("uplink cable", "576"),
    ]


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_layers_says_on_what_and_when_its_record_was_measured(tmp_path: Path) -> None:
    record = Path(__file__).parents[2] / "docs/records/stack.jsonl.zst"
    found = layers_shown(record)
    assert re.fullmatch(
        r"stack\.jsonl\.zst: vm, 20\d\d-\d\d-\d\d \d\d:\d\d UTC, \d+ launches", found.measured
    )
    page = tmp_path / "layers.html"
    assert weft_here(["layers", record, "-o", page], TERMINAL).returncode == 0
    assert f'<ul class="facts"> <li>{found.measured}</li>' in words_of(page)
