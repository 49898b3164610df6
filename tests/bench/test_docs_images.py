"""Each picture of the documentation has a maker, and is as large as that makes it."""

import importlib
import re
from pathlib import Path
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


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a WebP of the extended form (RFC 9649, section 2.7), pixels."""
    assert (picture[:4], picture[8:16]) == (b"RIFF", b"WEBPVP8X")
    width, height = (int.from_bytes(picture[at : at + 3], "little") for at in (24, 27))
    return width + 1, height + 1


def test_every_picture_that_a_page_shows_has_a_maker(makers: ModuleType) -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"!\[[^\]]*\]\([^)]*?([\w.-]+)\)", page.read_text())
    }
    made = {Path(one["page"]).stem for one in makers.site_pages().reports()}
    assert shown >= {f"{page}.webp" for page in ("report", "compare", "check", "trend", "price")}
    assert shown <= DRAWN | {f"{name}.webp" for name in made}
    assert {path.name for path in IMAGES.iterdir()} == DRAWN | {f"{name}.webp" for name in made}


def test_a_picture_has_the_size_that_its_maker_gives_it(makers: ModuleType) -> None:
    for one in makers.site_pages().reports():
        data = (IMAGES / one["page"]).with_suffix(".webp").read_bytes()
        assert size_of(data) == (makers.Form().width, one["height_px"]), one["page"]


def test_the_gallery_shows_each_report_with_its_picture_and_commands(makers: ModuleType) -> None:
    page = makers.site_pages().gallery()
    for one in makers.site_pages().reports():
        assert f"images/{Path(one['page']).stem}.webp)]({one['page']})" in page
        for typed in one["commands"]:
            assert f"    {typed}\n" in page


def test_all_pictures_together_are_small(makers: ModuleType) -> None:
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) <= makers.MOST_BYTES
