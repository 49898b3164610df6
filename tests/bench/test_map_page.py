"""The page of a map of 1,024 endpoints: small, and shown by a browser with all of its pictures.

How long it takes to open is measured by `python -m bench.map_page`: no test asserts a time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import chromium, of_width

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]
ENDPOINTS = 1024
MOST_BYTES = 3_000_000
# Of a page of 4,000 elements a browser opens several in a second.
MOST_NODES = 4_000
PICTURES = """
return [...document.querySelectorAll("image, img")].map(
  (one) => one.getBoundingClientRect().width > 100 && (one.complete ?? true));"""
WIDTH = "return document.documentElement.scrollWidth"


@pytest.fixture
def map_page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import map_page

    return map_page


def test_the_page_of_1024_endpoints_is_small_and_is_shown_whole(
    tmp_path: Path, map_page: ModuleType
) -> None:
    page = tmp_path / "map.html"
    page.write_text(map_page.page_of_map(ENDPOINTS), encoding="utf-8")
    assert page.stat().st_size < MOST_BYTES
    with chromium(tmp_path / "profile") as driver:
        assert map_page.opened_ms(driver, page) > 0
        shown = driver.execute_script(PICTURES)
        assert len(shown) >= len(map_page.PLACES)
        assert all(shown)
        assert driver.execute_script("return document.querySelectorAll('*').length") < MOST_NODES
        log = driver.get_log("browser")  # type: ignore[no-untyped-call]
        assert [line for line in log if line["level"] == "SEVERE"] == []
        with of_width(driver, 420):
            assert driver.execute_script(WIDTH) <= 420
