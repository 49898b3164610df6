"""The report in headless Chromium: every curve there, nothing asked of a network, no error."""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import weft
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
HOSTILE = "node<script>alert(1)</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    profile = tmp_path_factory.mktemp("profile")
    for flag in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--window-size=1280,2000", f"--user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))
    )
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    run = weft.load(synthetic_record(folder / "r.jsonl", CASES, host=HOSTILE))
    path = folder / "r.html"
    write_report([results_of(run, summarise(run))], path)
    browser.get(path.as_uri())
    return path


def test_every_curve_is_drawn(browser: webdriver.Chrome, page: Path) -> None:
    run = weft.load(page.with_name("r.jsonl"))
    figures = size_charts([(run, summarise(run))])
    assert [figure.name for figure in figures] == ["ping_pong", "stream"]
    for figure in figures:
        plot = browser.find_element(By.ID, f"plot-{figure.name}")
        drawn = plot.find_elements(By.CSS_SELECTOR, ".scatterlayer .trace")
        assert len(drawn) == len(figure.tracks) == 1
        points = plot.find_elements(By.CSS_SELECTOR, ".scatterlayer .point")
        assert len(points) == sum(len(track.x) for track in figure.tracks)


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


def test_a_value_shows_under_the_pointer(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    point = browser.find_element(By.CSS_SELECTOR, "#plot-ping_pong .scatterlayer .point")
    ActionChains(browser).move_to_element(point).perform()
    shown = browser.find_element(By.CSS_SELECTOR, "#plot-ping_pong .hoverlayer").text
    assert "8 B: 1.00 µs [996 ns" in shown


def test_figures_can_be_taken_as_svg_and_pdf(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    links = browser.find_elements(By.CSS_SELECTOR, "figcaption a[download]")
    kinds = [(link.get_dom_attribute("download") or "").split(".")[-1] for link in links]
    assert kinds == ["svg", "pdf"] * 2
    for link, kind in zip(links, kinds, strict=True):
        href = link.get_dom_attribute("href") or ""
        content = base64.b64decode(href.split(",", 1)[1])
        if kind == "svg":
            assert ElementTree.fromstring(content).tag.endswith("svg")  # noqa: S314 - our own
        else:
            assert content.startswith(b"%PDF")


def test_print_shows_still_figures(browser: webdriver.Chrome, page: Path) -> None:
    assert page.exists()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert all(e.is_displayed() for e in browser.find_elements(By.CSS_SELECTOR, "img.paper"))
        assert not any(e.is_displayed() for e in browser.find_elements(By.CSS_SELECTOR, ".screen"))
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})


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
        assert len(plot.find_elements(By.CSS_SELECTOR, ".scatterlayer .trace")) == 3
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
    assert len(plot.find_elements(By.CSS_SELECTOR, ".scatterlayer .point")) == 10
    assert "times as fast" in plot.find_element(By.CSS_SELECTOR, ".annotation").text
    ticks = [tick.text for tick in plot.find_elements(By.CSS_SELECTOR, ".xtick")]
    assert [tick for tick in ticks if tick] == ["11-01", "11-03", "11-05", "11-07", "11-09"]
    severe = [
        entry
        for entry in browser.get_log("browser")  # type: ignore[no-untyped-call]
        if entry["level"] == "SEVERE"
    ]
    assert severe == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
