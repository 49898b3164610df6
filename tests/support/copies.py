"""weft from a copy of its sources, as the tests of contributor pages run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Python takes the package from the copy, in programs that a test starts too: the finder of the
# editable installation would lead back to the checkout.
WITHOUT_FINDER = """import sys
sys.meta_path[:] = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
"""


def without_finder(folder: Path) -> Path:
    """A folder that is first in PYTHONPATH, so that the finder is gone before weft is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(WITHOUT_FINDER)
    return folder


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in docs/ in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


def weft_of(copy: Path, *words: str, code: int = 0) -> str:
    """What a command prints whose package is copy/weft; it has to end with this code."""
    site = without_finder(copy / "site")
    done = subprocess.run(
        [sys.executable, "-c", "from weft.cli.main import main; main()", *words],
        cwd=copy, env=os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{copy}"},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout
