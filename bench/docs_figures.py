"""Every command of the pages on predictions and prices, made again, with its output under it.

A page shows a command as an indented line that begins with `$ weft`; the indented lines below it
are what it prints. `make docs-figures` runs each and writes the page anew: figures of a page are
those of one day and one version, with the date in the page's own words.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGES = ("docs/predict.md", "docs/price.md")
_INDENT = "    "
_COMMAND = f"{_INDENT}$ weft "
_DEADLINE_S = 1800.0


def made_again(text: str, run: Callable[[str], str]) -> str:
    """The page with what each of its commands prints now; `run` takes the words behind `weft`."""
    lines = text.split("\n")
    found: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        found.append(line)
        at += 1
        if not line.startswith(_COMMAND):
            continue
        while at < len(lines) and lines[at].startswith(_INDENT) and not _is_command(lines[at]):
            at += 1
        printed = run(line.removeprefix(_COMMAND)).rstrip().split("\n")
        found += [f"{_INDENT}{one}".rstrip() for one in printed if one.strip()]
    return "\n".join(found)


def _is_command(line: str) -> bool:
    return line.startswith(_COMMAND)


def _run(words: str) -> str:
    """What a command prints, in an empty folder. Raises CalledProcessError where it fails."""
    weft = Path(sys.prefix) / "bin" / "weft"
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
        done = subprocess.run(
            [str(weft), *shlex.split(words)],
            cwd=folder, stdout=subprocess.PIPE, text=True, check=True, timeout=_DEADLINE_S,
        )  # fmt: skip
    return done.stdout


def main(pages: Sequence[str] = PAGES) -> None:
    """Write the pages of this checkout again, each when all of its commands are done."""
    root = Path(__file__).resolve().parents[1]
    for name in pages:
        page = root / name
        page.write_text(made_again(page.read_text(encoding="utf-8"), _run), encoding="utf-8")


if __name__ == "__main__":
    main()
