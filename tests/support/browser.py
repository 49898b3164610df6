"""Headless Chromium, as tests of pages drive it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from selenium import webdriver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


WIDER_THAN_THEIR_PLACE = """
return [...document.querySelectorAll(".scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent);"""
WORDS_CUT_OFF = """
return [...document.querySelectorAll(".plot svg text")].filter((one) => {
  const own = one.getBoundingClientRect(), place = one.ownerSVGElement.getBoundingClientRect();
  return own.left < place.left - 8 || own.right > place.right + 8;
}).map((one) => one.textContent);"""


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """One with a profile of its own, that logs what pages say and ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
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
    driver.set_page_load_timeout(600)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def of_width(driver: webdriver.Chrome, width: int) -> Iterator[None]:
    """Its pages are so many pixels wide."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@contextmanager
def in_the_dark(driver: webdriver.Chrome) -> Iterator[None]:
    """Its user prefers dark pages."""
    dark = {"media": "screen", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
