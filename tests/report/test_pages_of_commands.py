"""Each command's page in headless Chromium, of uneven records.

Nothing scrolls sideways, no word is cut or lies on another, each part is in the contents, dark is
dark, and it is no more than a browser opens at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.by import By

from support.browser import (
    WIDER_THAN_THEIR_PLACE,
    WORDS_CUT_OFF,
    chromium,
    in_the_dark,
    of_width,
)
from support.in_process import weft_here
from support.scenes import ENDS, make_named, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium import webdriver

pytestmark = pytest.mark.browser
# By name, the words of a command that `-o PAGE` follows.
PAGES = {
    "report": "report a.jsonl",
    "report-several": "report a.jsonl b.jsonl --link 'IB 4x FDR'",
    "report-unlike": "report unlike.jsonl",
    "report-map": "report slow.jsonl",
    "report-scaling": "report weak.jsonl",
    "report-one-launch": "report once.jsonl",
    "report-many-transports": "report transports.jsonl",
    "report-simulated": "report simulated.jsonl",
    "report-collectives": "report all.jsonl",
    "compare": "compare a.jsonl b.jsonl",
    "compare-published": "compare escher red-squall callisto",
    "compare-maps": "compare map.jsonl slow.jsonl",
    "check": "check b.jsonl --against limits.toml",
    "check-against-a-record": "check b.jsonl --against a.jsonl",
    "trend": "trend nights/*.jsonl --against limits.toml",
    "trend-without-a-step": "trend nights/*0[0-7]*.jsonl",
    "fit": "fit a.jsonl --test ping_pong --transport tcp",
    "fit-published": "fit escher",
    "layers": "layers a.jsonl --order tcp,mpi",
    "signature": "signature monday.jsonl.zst",
    "price": "price --nodes 1100 --switch 24,288 --blocking 2:1 --prices p.toml",
    "price-torus": "price --topology torus --shape 4x3x2 --nodes 24 --switch 8",
    "predict": "predict ping_pong allreduce --platform escher --nodes 8 --switch 8",
    "predict-two": "predict ping_pong --platform escher --nodes 8 --switch 4 --blocking 1:1,2:1",
}
MOST_BYTES = 1_200_000
# Twice what the largest of these pages has, which a browser opened in 0.2 s (2026-11-26).
MOST_NODES = 15_000
BEYOND_THE_PAGE = """
const within = (one) => one.closest(".scroll, svg, table, pre") !== null;
return [...document.querySelectorAll("body *")].filter((one) => !within(one))
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.tagName + " " + (one.textContent || "").trim().slice(0, 60));"""
# Words on words: of two of a drawing that both stand level and overlap by more than a few pixels.
WORDS_ON_WORDS = """
return [...document.querySelectorAll(".plot svg")].flatMap((svg) => {
  const places = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim())
    .map((one) => [one.textContent, one.getBoundingClientRect()]);
  return places.flatMap(([text, own], at) => places.slice(at + 1)
    .filter(([, other]) => Math.min(own.right, other.right) - Math.max(own.left, other.left) > 4
      && Math.min(own.bottom, other.bottom) - Math.max(own.top, other.top) > 4)
    .map(([other]) => text + " | " + other));
});"""

NAMES_OF_WHAT_IS_TAKEN = """
return [...document.querySelectorAll("a[download]")].map((one) => one.ariaLabel);"""
# What is used or scrolls, and takes no focus.
OUT_OF_REACH = """
const scrolls = [...document.querySelectorAll(".scroll, pre")]
  .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight);
const used = [...document.querySelectorAll("button, a, summary, [id^=plot-]")]
  .filter((one) => one.href !== "" && (!one.id || one.id.slice(5) in plots));
return [...scrolls, ...used].filter((one) => one.tabIndex < 0).map((one) => one.outerHTML);"""
# What stands beyond the edge of its card.
BEYOND_ITS_CARD = """
return [...document.querySelectorAll(".card *")].filter((one) =>
  one.getBoundingClientRect().right > one.closest(".card").getBoundingClientRect().right + 1)
  .map((one) => one.textContent);"""
PAPER_PIXELS = 718
WIDER_THAN_THE_PAPER = """
return [...document.querySelectorAll("main *:not(svg *)")]
  .filter((one) => one.getBoundingClientRect().right > arguments[0] + 1)
  .map((one) => one.tagName + " " + (one.textContent || "").trim().slice(0, 60));"""
# Words whose colour is nearer to black than to white.
DARK_WORDS = """
const light = (text) => text.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);
return [...document.querySelectorAll("body, main p, main td, main h2")]
  .filter((one) => one.offsetParent || one === document.body)
  .filter((one) => light(getComputedStyle(one).color) < 300)
  .map((one) => one.tagName + " " + one.textContent.trim().slice(0, 60));"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Written once of each command."""
    path = folder / f"{request.param}.html"
    if not path.exists():
        monkeypatch.chdir(folder)
        typed = PAGES[request.param]
        make_named([typed], folder)
        # Of a prediction the page lies beside its records, in a folder.
        is_beside = typed.startswith("predict")
        place = path.with_suffix("") if is_beside else path
        done = weft_here([*words_of(typed), "-o", place], {"HOME": str(folder)})
        assert done.returncode in ENDS, done.stderr
        if is_beside:
            [written] = place.glob("*.html")
            written.rename(path)
    return path


@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_scrolls_sideways_and_no_word_is_cut(
    browser: webdriver.Chrome, page: Path, width: int
) -> None:
    with of_width(browser, width):
        browser.get(page.as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(BEYOND_THE_PAGE) == []
        if width > 420:
            assert browser.execute_script(WIDER_THAN_THEIR_PLACE) == []
        assert browser.execute_script(WORDS_CUT_OFF) == []
        assert browser.execute_script(WORDS_ON_WORDS) == []
        assert browser.execute_script(BEYOND_ITS_CARD) == []


def test_it_is_whole_small_and_asks_no_network(browser: webdriver.Chrome, page: Path) -> None:
    browser.get_log("browser")  # type: ignore[no-untyped-call]
    browser.get(page.as_uri())
    logged = browser.get_log("browser")  # type: ignore[no-untyped-call]
    assert [one for one in logged if one["level"] == "SEVERE"] == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.stat().st_size <= MOST_BYTES
    assert browser.execute_script("return document.querySelectorAll('*').length") <= MOST_NODES
    links = browser.find_elements(By.CSS_SELECTOR, "nav li a")
    sections = browser.find_elements(By.CSS_SELECTOR, "main > section")
    assert [link.get_dom_attribute("href") for link in links] == [
        f"#{section.get_dom_attribute('id')}" for section in sections
    ]
    assert len(sections) > 0


def test_dark_is_dark(browser: webdriver.Chrome, page: Path) -> None:
    with in_the_dark(browser):
        browser.get(page.as_uri())
        dark = browser.execute_script(DARK_WORDS)
    assert dark == []


def test_what_can_be_used_has_a_name_of_its_own_and_the_keyboard_reaches_it(
    browser: webdriver.Chrome, page: Path
) -> None:
    browser.get(page.as_uri())
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    names: dict[str, list[str]] = {}
    for node in nodes:
        if not node["ignored"]:
            names.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value"))
    for role in ("button", "link", "image", "table"):
        assert all(names.get(role, ())), (role, names[role])
    assert len(set(names.get("button", ()))) == len(names.get("button", ()))
    taken = browser.execute_script(NAMES_OF_WHAT_IS_TAKEN)
    assert len(set(taken)) == len(taken)
    assert browser.execute_script(OUT_OF_REACH) == []


def test_nothing_is_wider_than_the_paper(browser: webdriver.Chrome, page: Path) -> None:
    """Of A4 with margins of a centimetre: what is wider would be cut, or all of it made small."""
    media = {"media": "print"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        with of_width(browser, PAPER_PIXELS):
            browser.get(page.as_uri())
            assert browser.execute_script(WIDER_THAN_THE_PAPER, PAPER_PIXELS) == []
            assert browser.execute_script(BEYOND_ITS_CARD) == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})
