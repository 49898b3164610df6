"""Each picture of the documentation has a maker, and is as large as that makes it."""

import importlib
import re
import struct
from types import ModuleType

import pytest

from support.copies import ROOT

IMAGES = ROOT / "docs" / "images"
# Drawn by scripts/record_session.py.
DRAWN = {"session.svg"}


@pytest.fixture
def makers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("bench.docs_images")


def test_every_picture_that_a_page_shows_has_a_maker(makers: ModuleType) -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"!\[[^\]]*\]\([^)]*?([\w.-]+)\)", page.read_text())
    }
    assert shown >= {f"{page}.png" for page in ("report", "compare", "check", "trend", "price")}
    assert shown == DRAWN | set(makers.PICTURES)
    assert {path.name for path in IMAGES.iterdir()} == shown


def test_a_picture_has_the_size_that_its_maker_gives_it(makers: ModuleType) -> None:
    for name, (words, height) in makers.PICTURES.items():
        data = (IMAGES / name).read_bytes()
        assert struct.unpack(">II", data[16:24]) == (makers.Form().width, height)
        assert words[-1] == "-o"


def test_all_pictures_together_are_small(makers: ModuleType) -> None:
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) <= makers.MOST_BYTES
