"""A project of a few files that can run its tests as `make mutants` does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# What the processes of tests import, that run in a copy of it.
_PARTS = ("mutants/reached.py", "mutants/forked.py", "mutants/statements.py", "support/copies.py")


def small_project(root: Path, files: Mapping[str, str]) -> Path:
    """The folder, with these files and those that make mutants runs there."""
    tests = Path(__file__).resolve().parents[1]
    own = {f"tests/{name}": (tests / name).read_text() for name in _PARTS}
    empty = {f"tests/{name}/__init__.py": "" for name in ("mutants", "support")}
    for name, text in {**files, **own, **empty}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root
