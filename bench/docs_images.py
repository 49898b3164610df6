"""The pictures of the documentation, each of a page of its gallery, docs/gallery.toml.

    .venv/bin/python -m bench.docs_images                    # docs/images/*.webp
    .venv/bin/python -m bench.docs_images --look run.html    # a page as its readers have it

With --look nothing of the documentation changes: run-light.png, run-dark.png, run-narrow.png (420
pixels) and run-print.png are written beside the page, each of all of it.
"""

from __future__ import annotations

import argparse
import base64
import importlib.util
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.map_page import browser_here

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
RECORDS = ROOT / "docs" / "records"
NARROW = 420


class Form(NamedTuple):
    """How a page is looked at: so many pixels wide, in a colour scheme, on a screen or on paper."""

    width: int = 1280
    scheme: str = "light"
    media: str = "screen"


# All of them together, so that who clones the repository does not wait for pictures.
MOST_BYTES = 900_000
# Of the best that WebP can: letters of a page show no blocks.
QUALITY_PERCENT = 80
LOOKS = {
    "light": Form(),
    "dark": Form(scheme="dark"),
    "narrow": Form(width=NARROW),
    "print": Form(width=794, media="print"),
}


def picture(browser: Chrome, page: Path, form: Form, height: int = 0, kind: str = "png") -> bytes:
    """A page as PNG or WebP, from its top on so high; 0: all of it."""
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
    quality = {} if kind == "png" else {"quality": QUALITY_PERCENT}
    taken = browser.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"format": kind, "clip": clip, "captureBeyondViewport": True} | quality,
    )
    return base64.b64decode(taken["data"])


def write_pictures(browser: Chrome) -> None:
    """Every picture of the documentation anew. Raises CalledProcessError where weft has failed."""
    with tempfile.TemporaryDirectory(prefix="weft-images-") as name:
        folder = Path(name) / "gallery"
        shutil.copytree(RECORDS, folder)
        for one in site_pages().reports():
            page = site_pages().gallery_page(folder, one)
            taken = picture(browser, page, Form(), one["height_px"], "webp")
            (IMAGES / one["page"]).with_suffix(".webp").write_bytes(taken)


@cache
def site_pages() -> Any:
    """What makes the pages of the site: a hook of mkdocs and no module of a package."""
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts" / "site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
