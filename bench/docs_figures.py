"""Every command of the pages on predictions and prices, made again, with its output under it.

A page shows a command as an indented line that begins with `$ weft`, or with `$ python -m bench.`;
the indented lines below it are what it prints. `make docs-figures` runs each and writes the page
anew: figures of a page are those of one day, one machine and one version. What the page shows as
TOML lies beside its commands as prices.toml. A line to standard error says what is run. A command
that leaves something out for want of time ends it: on a quiet machine it does not.
"""

from __future__ import annotations

import datetime
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGES = ("docs/predict.md", "docs/price.md")
_INDENT = "    "
_COMMANDS = tuple(f"{_INDENT}$ {program}" for program in ("weft ", "python -m bench."))
_TOML = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PRICES = "prices.toml"
# Of all lines that a command prints.
_COLUMNS = "100"
_DEADLINE_S = 3600.0
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
# What a command says that had no time for all of it.
_TOO_SHORT = "the budget is too short"


def made_again(text: str, run: Callable[[str], str]) -> str:
    """The page with what each of its commands prints now; `run` takes a command's words."""
    lines = text.split("\n")
    found: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        found.append(line)
        at += 1
        if not _is_command(line):
            continue
        while at < len(lines) and lines[at].startswith(_INDENT) and not _is_command(lines[at]):
            at += 1
        printed = run(line.removeprefix(f"{_INDENT}$ ")).rstrip().split("\n")
        found += [f"{_INDENT}{one}".rstrip() for one in printed if one.strip()]
    return "\n".join(found)


def _is_command(line: str) -> bool:
    return line.startswith(_COMMANDS)


def of_day(text: str, day: str) -> str:
    """The page whose sentences say that its figures are of that day."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith(_INDENT) else _DAY.sub(day, line) for line in lines)


def prices_in(text: str) -> str:
    """The first TOML that a page shows; empty where it shows none."""
    found = _TOML.search(text)
    return found[1] if found else ""


def _run(words: str, prices: str) -> str:
    """What a command prints, in a folder of its own. Ends where it has no whole answer."""
    root = Path(__file__).resolve().parents[1]
    program, *others = shlex.split(words)
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
        (Path(folder) / _PRICES).write_text(prices, encoding="utf-8")
        begun = time.monotonic()
        print(f"$ {words}", file=sys.stderr)
        done = subprocess.run(
            [str(Path(sys.prefix) / "bin" / program), *others],
            cwd=folder, capture_output=True, text=True, timeout=_DEADLINE_S, check=False,
            env={**os.environ, "COLUMNS": _COLUMNS, "PYTHONPATH": str(root)},
        )  # fmt: skip
    check_whole(words, done.returncode, done.stderr)
    print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return done.stdout


def check_whole(words: str, status: int, said: str) -> None:
    """Ends with what a command said that failed, or that left something out for want of time."""
    if status or _TOO_SHORT in said:
        sys.exit(f"{words}\n{said}\nnot written: a command of the page has no whole answer")


def main(pages: Sequence[str] = PAGES) -> None:
    """Write the pages of this checkout again, each when all of its commands are done."""
    root = Path(__file__).resolve().parents[1]
    for name in pages:
        page = root / name
        text = page.read_text(encoding="utf-8")
        run = partial(_run, prices=prices_in(text))
        day = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
        page.write_text(of_day(made_again(text, run), day), encoding="utf-8")


if __name__ == "__main__":
    main()
