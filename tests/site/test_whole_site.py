"""The whole site is built as `make docs` builds it."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.copies import ROOT

pytestmark = pytest.mark.engine
BIN = Path(sys.executable).parent


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [BIN / "mkdocs", "build", "--strict", "-d", tmp_path / "site"], cwd=ROOT, timeout=900,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    gallery = tomllib.loads((ROOT / "docs" / "gallery.toml").read_text())["report"]
    reports = [f"gallery/{one['page'].removesuffix('.html')}" for one in gallery]
    pages = ("readme", "numbers/fits", "reference/commands", "how-to/accept-a-cluster")
    for page in (*pages, *reports):
        assert (site / f"{page}.html").stat().st_size > 5000, page
    # It is read without a network: nothing is loaded from elsewhere.
    for page in ("readme.html", "numbers/fits.html"):
        text = (site / page).read_text()
        assert not re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="https?://[^"]+\.(?:js|css|png)', text
        )
