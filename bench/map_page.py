"""How large the page of a map of many is, and how long a browser takes to show it.

    .venv/bin/python -m bench.map_page             # 1,024 endpoints, two sizes

The matrices are drawn: every pair, a scatter of 2 %, one slow node. Chromium opens the page five
times; what counts is until its load event, and then until two frames are drawn (median, range).
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from selenium import webdriver

from weft.analysis.diagnosis.matrix import PairMatrix
from weft.report.picture import page_of
from weft.tables import Table
from weft.topics.map_charts import distribution_of, matrix_charts

OPENINGS = 5
PLACES = ("tcp 8 B", "tcp 64 KiB")
_UNTIL_DRAWN = """
const done = arguments[arguments.length - 1];
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));"""


def page_of_map(endpoints: int) -> str:
    """The page of a map of so many endpoints."""
    random = np.random.default_rng(1)
    charts = []
    for number, place in enumerate(PLACES):
        slower = random.normal(0, 0.02, (endpoints, endpoints))
        slower[7 % endpoints] += 0.5
        np.fill_diagonal(slower, np.nan)
        matrix = PairMatrix(
            names=tuple(f"n{node}" for node in range(endpoints)),
            time_ns=1e5 * (1 + slower),
            slower=slower,
            visits=np.isfinite(slower).astype(int),
        )
        own = [("", matrix)]
        charts += [*matrix_charts(own, place, number), distribution_of(own, place, number)]
    return page_of(charts, Table(name="map", caption="a map"))


def opened_ms(browser: webdriver.Chrome, page: Path) -> float:
    """From the start of the navigation until two frames after the load event."""
    browser.get(page.as_uri())
    return float(browser.execute_async_script(_UNTIL_DRAWN))


def browser_here() -> webdriver.Chrome:
    """Chromium without a window. Raises SystemExit where there is none."""
    found, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not found or not driver:
        raise SystemExit("no chromium; run scripts/install-system-packages test")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,2000"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def main() -> None:
    """Print the size and the time."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.map_page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--endpoints", type=int, default=1024)
    endpoints = parser.parse_args().endpoints
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "map.html"
        page.write_text(page_of_map(endpoints), encoding="utf-8")
        browser = browser_here()
        try:
            times_s = [opened_ms(browser, page) / 1e3 for _ in range(OPENINGS)]
        finally:
            browser.quit()
        sys.stdout.write(
            f"{endpoints:,} endpoints, {len(PLACES)} sizes: {page.stat().st_size / 1e6:.2f} MB,"
            f" open in {statistics.median(times_s):.2f} s"
            f" [{min(times_s):.2f}, {max(times_s):.2f}], {OPENINGS} times\n"
        )


if __name__ == "__main__":
    main()
