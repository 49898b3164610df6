"""The report in headless Chromium: every curve there, nothing asked of a network, no error."""

import base64
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

import weft
from support.browser import (
    WIDER_THAN_THEIR_PLACE,
    WORDS_CUT_OFF,
    chromium,
    in_the_dark,
    of_width,
)
from support.builders import make_cases, synthetic_record
from support.nights import EVEN, nights
from support.shown import render_page, size_charts
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.history import history
from weft.analysis.summary import summarise
from weft.report.comparison import write_comparison
from weft.report.history import write_history
from weft.report.page import write_report
from weft.sources.sides import load_sides
from weft.topics import results_of

pytestmark = pytest.mark.browser
CASES = make_cases(["ping_pong", "stream"], ["tcp"], [8, 1024])
# The places of a chart's points as its script has them, and where its drawing has markers.
PLACES_OF_POINTS = """
const svg = document.querySelector("#plot-" + arguments[0] + " svg");
return {
  tracks: plots[arguments[0]].tracks.map((one) => one.at.filter((place) => place)),
  markers: [...svg.querySelectorAll("use")]
    .map((one) => [one.x.baseVal.value, one.y.baseVal.value]),
};"""
# A point's place on the screen, from the middle of its plot.
PLACE_ON_SCREEN = """
const [x, y] = plots[arguments[0]].tracks[arguments[1]].at[arguments[2]];
const box = document.getElementById("plot-" + arguments[0]);
const own = box.querySelector("svg").viewBox.baseVal, place = box.getBoundingClientRect();
scrollTo(0, scrollY + place.top - 100);
const scale = place.width / own.width;
return [Math.round(x * scale - place.width / 2), Math.round(y * scale - place.height / 2)];"""
HOSTILE = "node<script>alert(1)</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def page(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    run = weft.load(synthetic_record(folder / "r.jsonl", CASES, host=HOSTILE))
    path = folder / "r.html"
    write_report([results_of(run, summarise(run))], path)
    browser.get(path.as_uri())
    return path


def test_every_curve_is_drawn_and_every_point_is_where_its_marker_is(
    browser: webdriver.Chrome, page: Path
) -> None:
    run = weft.load(page.with_name("r.jsonl"))
    figures = size_charts([(run, summarise(run))])
    assert [figure.name for figure in figures] == ["ping_pong", "stream"]
    for figure in figures:
        at = browser.execute_script(PLACES_OF_POINTS, figure.name)
        assert len(at["tracks"]) == len(figure.tracks) == 1
        [places] = at["tracks"]
        assert len(places) == len(figure.tracks[0].x)
        for x, y in places:
            near = [
                (marker_x, marker_y)
                for marker_x, marker_y in at["markers"]
                if abs(marker_x - x) < 0.2 and abs(marker_y - y) < 0.2
            ]
            assert near, (figure.name, x, y)


def test_no_error_and_no_network(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    severe = [
        entry
        for entry in browser.get_log("browser")  # type: ignore[no-untyped-call]
        if entry["level"] == "SEVERE"
    ]
    assert severe == []
    asked = [
        entry["message"]
        for entry in browser.get_log("performance")  # type: ignore[no-untyped-call]
        if "Network.requestWillBeSent" in entry["message"] and '"url":"http' in entry["message"]
    ]
    assert asked == []


def test_a_value_shows_under_the_pointer_and_at_the_arrow_keys(
    browser: webdriver.Chrome, page: Path
) -> None:
    assert page.exists()
    plot = browser.find_element(By.ID, "plot-ping_pong")
    tip = browser.find_element(By.ID, "tip")
    assert not tip.is_displayed()
    x, y = browser.execute_script(PLACE_ON_SCREEN, "ping_pong", 0, 0)
    ActionChains(browser).move_to_element_with_offset(plot, x, y).perform()
    assert tip.text == "tcp, 8 B: 1.00 µs [1.00, 1.00]"
    browser.execute_script("document.activeElement.blur()")
    browser.execute_script("arguments[0].focus()", plot)
    plot.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert tip.text.startswith("tcp, 1 KiB: ")
    plot.send_keys(Keys.ARROW_LEFT)
    assert tip.text.startswith("tcp, 8 B: ")
    plot.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()


def test_who_only_has_a_keyboard_gets_past_the_contents_and_hears_what_was_done(
    browser: webdriver.Chrome, page: Path
) -> None:
    browser.get(page.as_uri())
    keys = ActionChains(browser)
    keys.send_keys(Keys.TAB).perform()
    assert browser.switch_to.active_element.text == "To the figures"
    keys.reset_actions()
    keys.send_keys(Keys.ENTER, Keys.TAB).perform()
    copy = browser.switch_to.active_element
    assert copy.get_dom_attribute("aria-label") == "Copy the command"
    heard = browser.find_element(By.ID, "heard")
    assert not heard.get_attribute("textContent")
    copy.send_keys(Keys.ENTER)
    WebDriverWait(browser, 10).until(lambda _: heard.get_attribute("textContent"))
    assert heard.get_attribute("textContent") in ("Copied", "Selected")
    plot = browser.find_element(By.ID, "plot-ping_pong")
    plot.send_keys(Keys.ARROW_RIGHT)
    assert str(heard.get_attribute("textContent")).startswith("tcp, 8 B: ")
    outlines = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(outlines) == "solid"


def test_figures_can_be_taken_as_svg_and_pdf(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    links = browser.find_elements(By.CSS_SELECTOR, "figcaption a[download]")
    assert [link.get_dom_attribute("download") for link in links] == ["ping_pong.pdf", "stream.pdf"]
    for link in links:
        href = link.get_dom_attribute("href") or ""
        assert base64.b64decode(href.split(",", 1)[1]).startswith(b"%PDF")
    buttons = browser.find_elements(By.CSS_SELECTOR, "figcaption button[data-svg]")
    assert [one.get_dom_attribute("data-svg") for one in buttons] == ["ping_pong", "stream"]
    taken = browser.execute_script("return alone(document.querySelector('#plot-ping_pong svg'))")
    assert ElementTree.fromstring(taken).tag.endswith("svg")  # noqa: S314 - our own
    assert "latency in µs" in taken
    assert "var(" not in taken


@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_scrolls_sideways(browser: webdriver.Chrome, page: Path, width: int) -> None:
    with of_width(browser, width):
        browser.get(page.as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        wide = browser.execute_script(WIDER_THAN_THEIR_PLACE)
        assert wide == [] or width == 420
        # No word of a drawing is outside of it.
        assert browser.execute_script(WORDS_CUT_OFF) == []


def test_dark_has_its_own_colours_and_a_command_is_copied(
    browser: webdriver.Chrome, page: Path
) -> None:
    assert page.exists()
    with in_the_dark(browser):
        colours = browser.execute_script(
            "const own = getComputedStyle(document.body);return [own.backgroundColor, own.color]"
        )
    assert colours == ["rgb(20, 24, 29)", "rgb(230, 234, 238)"]
    copy = browser.find_element(By.CSS_SELECTOR, "[data-copy]")
    assert (
        copy.get_dom_attribute("data-copy")
        == browser.find_element(By.CSS_SELECTOR, ".command code").text
    )


def test_the_contents_lead_to_every_section(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    links = browser.find_elements(By.CSS_SELECTOR, "nav li a")
    sections = browser.find_elements(By.CSS_SELECTOR, "main > section")
    assert [link.get_dom_attribute("href") for link in links] == [
        f"#{section.get_dom_attribute('id')}" for section in sections
    ]
    assert len(links) > 3


def test_print_shows_figures_and_no_buttons(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert all(e.is_displayed() for e in browser.find_elements(By.CSS_SELECTOR, ".plot svg"))
        for hidden in ("button", "nav", ".take"):
            assert not any(
                one.is_displayed() for one in browser.find_elements(By.CSS_SELECTOR, hidden)
            )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})


TWO_FRAMES = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
PRINTED = """
const style = getComputedStyle(document.documentElement);
const folds = [...document.querySelectorAll("details")];
return {
  page: style.getPropertyValue("--page").trim(), accent: style.getPropertyValue("--accent").trim(),
  body: getComputedStyle(document.body).backgroundColor,
  closed: folds.filter((one) => !one.open).map((one) => !!one.querySelector(":scope > pre")),
  open: folds.filter((one) => one.open).length,
};"""


def test_paper_is_white_and_has_what_is_folded_but_for_all_that_a_host_says(
    browser: webdriver.Chrome, page: Path
) -> None:
    browser.get(page.as_uri())
    assert browser.execute_script(PRINTED)["open"] == 0
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [scheme]})
    try:
        browser.execute_async_script(TWO_FRAMES)
        found = browser.execute_script(PRINTED)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": []})
    assert (found["page"], found["accent"], found["body"]) == (
        "#fff", "#0064a0", "rgb(255, 255, 255)",
    )  # fmt: skip
    assert found["open"] > 0
    assert found["closed"] == [True]
    browser.execute_async_script(TWO_FRAMES)
    assert browser.execute_script(PRINTED)["open"] == 0


def test_text_of_a_record_is_never_code(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    assert HOSTILE in browser.find_element(By.TAG_NAME, "h1").text
    scripts = browser.find_elements(By.TAG_NAME, "script")
    assert all("alert(1)" not in (s.get_attribute("textContent") or "")[:200] for s in scripts)


def test_the_same_record_gives_the_same_page(tmp_path: Path) -> None:
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))
    runs = [(run, summarise(run))]
    assert render_page(runs) == render_page(runs)


def test_a_comparison_draws_every_curve_and_asks_no_network(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    comparison = compare(load_sides(["escher", "red-squall", "callisto"]))
    write_comparison(comparison, tmp_path / "c.html")
    browser.get((tmp_path / "c.html").as_uri())
    plots = browser.find_elements(By.CSS_SELECTOR, "[id^=plot-]")
    assert len(plots) == len(comparison.tables)
    for plot in plots:
        name = (plot.get_dom_attribute("id") or "").removeprefix("plot-")
        assert len(browser.execute_script(PLACES_OF_POINTS, name)["tracks"]) == 3
    severe = [
        entry
        for entry in browser.get_log("browser")  # type: ignore[no-untyped-call]
        if entry["level"] == "SEVERE"
    ]
    assert severe == []
    asked = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert asked == 0


def test_sessions_over_time_are_drawn_with_their_marks_and_ask_no_network(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    factors = [even * (1.25 if day >= 6 else 1.0) for day, even in enumerate(EVEN)]
    write_history(history(nights(tmp_path, factors)), tmp_path / "t.html")
    browser.get((tmp_path / "t.html").as_uri())
    plot = browser.find_element(By.ID, "plot-case1")
    [places] = browser.execute_script(PLACES_OF_POINTS, "case1")["tracks"]
    assert len(places) == 10
    words = [one.text for one in plot.find_elements(By.CSS_SELECTOR, "svg text")]
    # On a small chart the words of a mark would cover the curve: the first finding has them.
    assert not any("times as fast" in one for one in words)
    first = browser.find_element(By.CSS_SELECTOR, "#findings li")
    assert "times as fast from 2026-11-07" in first.text
    days = ["11-01", "11-03", "11-05", "11-07", "11-09"]
    assert [one for one in words if one in days] == days
    severe = [
        entry
        for entry in browser.get_log("browser")  # type: ignore[no-untyped-call]
        if entry["level"] == "SEVERE"
    ]
    assert severe == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
