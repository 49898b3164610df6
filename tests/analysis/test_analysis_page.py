"""The page "add an analysis", followed to the letter in a copy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.copies import ROOT, blocks, without_finder

MODULE = "src/weft/analysis/stats/quartiles.py"
TEST = "tests/analysis/stats/test_quartiles.py"


def passes(copy: Path) -> bool:
    """Whether the page's test passes on the copy as it is now."""
    site = without_finder(copy / "site")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", TEST],
        cwd=copy, capture_output=True, text=True, timeout=600, check=False,
        env=os.environ | {
            "PYTHONPATH": f"{site}{os.pathsep}{copy / 'src'}", "PYTHONDONTWRITEBYTECODE": "1",
        },
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0


def test_the_function_of_the_page_passes_its_test_and_deciles_do_not(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "weft", tmp_path / "src" / "weft")
    (tmp_path / TEST).parent.mkdir(parents=True)
    source, test = blocks("add-an-analysis.md", "python")
    (tmp_path / MODULE).write_text(source)
    (tmp_path / TEST).write_text(test)
    assert passes(tmp_path)
    assert source.count("(25, 75)") == 1
    (tmp_path / MODULE).write_text(source.replace("(25, 75)", "(10, 90)"))
    assert not passes(tmp_path), "the page's test does not notice deciles"
