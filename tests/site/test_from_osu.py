"""From osu_latency to weft: no test of the suites that it is for is left out."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from support.copies import ROOT

PAGE = (ROOT / "docs" / "from-osu-to-weft.md").read_text()
SUITES = tomllib.loads((Path(__file__).parent / "peers_tests.toml").read_text())
SECTIONS = {
    "omb": "OSU Micro-Benchmarks",
    "imb": "Intel MPI Benchmarks",
    "perftest": "perftest",
    "ucx_perftest": "ucx_perftest and fabtests",
}


def first_words(page: str, head: str) -> set[str]:
    """The words of the first column of a section's table, as patterns of names."""
    [section] = re.findall(
        rf"^## {re.escape(head)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE
    )
    cells = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    return {word for cell in cells for word in re.split(r"[\s,;:`()]+", cell) if word}


@pytest.mark.parametrize("suite", SECTIONS)
def test_every_test_of_a_suite_has_a_row(suite: str) -> None:
    patterns = first_words(PAGE, SECTIONS[suite]) - {"*"}
    names = SUITES[suite].split()
    assert len(names) >= 12
    missing = [one for one in names if not any(fnmatchcase(one, like) for like in patterns)]
    assert not missing


def test_a_test_without_a_row_is_seen() -> None:
    page = "## A\n\n| `osu_bw`, `osu_i*` | `weft run` | osu_bibw |\n\n## B\n\n| `osu_latency` | |\n"
    assert first_words(page, "A") == {"osu_bw", "osu_i*"}
