"""The pictures of the documentation, each of a page that weft writes of the stored records.

    .venv/bin/python -m bench.docs_images                    # docs/images/*.png
    .venv/bin/python -m bench.docs_images --look run.html    # a page as its readers have it

With --look nothing of the documentation changes: run-light.png, run-dark.png, run-narrow.png (420
pixels) and run-print.png are written beside the page, each of all of it.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.map_page import browser_here

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
RECORDS = ROOT / "docs" / "records"
NARROW = 420
DEADLINE_S = 300


class Form(NamedTuple):
    """How a page is looked at: so many pixels wide, in a colour scheme, on a screen or on paper."""

    width: int = 1280
    scheme: str = "light"
    media: str = "screen"


# Of each picture the command whose page it shows, and how much of the page from its top on. The
# commands find the stored records in their folder.
_BOTH = ("monday.jsonl.zst", "tuesday.jsonl.zst")
PICTURES = {
    "report.png": (("report", "monday.jsonl.zst", "-o"), 1015),
    "compare.png": (("compare", *_BOTH, "-o"), 1310),
    "check.png": (("check", _BOTH[1], "--against", _BOTH[0], "-o"), 1175),
    "trend.png": (("trend", *_BOTH, "-o"), 1000),
    "price.png": (
        ("price", "--nodes", "1152", "--switch", "24,288", "--blocking", "2:1", "-o"),
        810,
    ),
}
# All of them together, so that who clones the repository does not wait for pictures.
MOST_BYTES = 750_000
# How a check ends that passes, fails or cannot tell.
_ENDS = (0, 1, 3)
LOOKS = {
    "light": Form(),
    "dark": Form(scheme="dark"),
    "narrow": Form(width=NARROW),
    "print": Form(width=794, media="print"),
}


def picture(browser: Chrome, page: Path, form: Form, height: int = 0) -> bytes:
    """A page as PNG, from its top on so high; 0: all of it."""
    media = {"media": form.media}
    schemes = [{"name": "prefers-color-scheme", "value": form.scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media | {"features": schemes})
    size = {"width": form.width, "height": height or 900}
    scale = {"deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size | scale)
    browser.get(page.resolve().as_uri())
    if not height:
        height = int(browser.execute_script("return document.documentElement.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": form.width, "height": height, "scale": 1}
    taken = browser.execute_cdp_cmd(
        "Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True}
    )
    return base64.b64decode(taken["data"])


def write_pictures(browser: Chrome) -> None:
    """Every picture of the documentation anew. Raises CalledProcessError where weft has failed."""
    weft = Path(sys.executable).with_name("weft")
    for name, (words, height) in PICTURES.items():
        with tempfile.TemporaryDirectory(prefix="weft-images-") as folder:
            page = Path(folder) / Path(name).with_suffix(".html")
            for record in RECORDS.iterdir():
                shutil.copy(record, folder)
            done = subprocess.run(
                [weft, *words, page.name],
                cwd=folder,
                check=False,
                timeout=DEADLINE_S,
                stdout=subprocess.DEVNULL,
            )
            if done.returncode not in _ENDS:
                raise subprocess.CalledProcessError(done.returncode, done.args)
            (IMAGES / name).write_bytes(picture(browser, page, Form(), height))


def main() -> None:
    """Write the pictures, or those of one page."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.docs_images",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--look", type=Path, nargs="+", metavar="PAGE", default=[])
    pages = parser.parse_args().look
    browser = browser_here()
    try:
        for page in pages:
            for name, form in LOOKS.items():
                taken = picture(browser, page, form)
                page.with_name(f"{page.stem}-{name}.png").write_bytes(taken)
        if not pages:
            write_pictures(browser)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
