"""Every command of a few pages, made again, with its output under it.

A page shows a command as an indented line that begins with `$ weft`, or with `$ python -m bench.`;
the indented lines below it are what it prints. `make docs-figures` runs each and writes the page
anew: figures of a page are those of one day, one machine and one version. What the page shows as
TOML lies beside its commands as prices.toml and limits.toml, the records of docs/ as records/.

What a command printed is kept for the day in build/docs-figures, as long as no source changes: a
run that was ended goes on where it was, and `--only WORD` does the commands that have the word. A
page is written when all of its commands are there. A command that fails, or that leaves something
out for want of time, leaves its page as it was; the others are done all the same.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "docs/check.md",
    "docs/map.md",
    "docs/predict.md",
    "docs/price.md",
    "docs/scaling.md",
    "docs/simulate.md",
    "docs/validation/simulation-costs.md",
)
_INDENT = "    "
_COMMANDS = tuple(f"{_INDENT}$ {program}" for program in ("weft ", "python -m bench."))
_TOML = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)
# The first TOML of a page lies beside its commands by these names.
_TOML_FILES = ("prices.toml", "limits.toml")
# A check that fails, or cannot tell, has answered.
_ANSWERS_OF_CHECK = (1, 3)
# Of all lines that a command prints.
_COLUMNS = "100"
_DEADLINE_S = 3600.0
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
# What a command says that had no time for all of it.
_TOO_SHORT = "the budget is too short"
# What decides on what a command prints.
_SOURCES = ("src", "engine", "bench")


class NoWholeAnswerError(Exception):
    """A command of a page failed, or left something out; what it said of it."""


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
        printed = run(_words_of(line)).rstrip().split("\n")
        found += [f"{_INDENT}{one}".rstrip() for one in printed if one.strip()]
    return "\n".join(found)


def commands_of(text: str) -> Iterator[str]:
    """The words of each command of a page."""
    return (_words_of(line) for line in text.split("\n") if _is_command(line))


def _is_command(line: str) -> bool:
    return line.startswith(_COMMANDS)


def _words_of(line: str) -> str:
    return line.removeprefix(f"{_INDENT}$ ")


def of_day(text: str, day: str) -> str:
    """The page whose sentences say that its figures are of that day."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith(_INDENT) else _DAY.sub(day, line) for line in lines)


def prices_in(text: str) -> str:
    """The first TOML that a page shows; empty where it shows none."""
    found = _TOML.search(text)
    return found[1] if found else ""


class Kept:
    """What commands printed, in a folder, of one day and one state of the sources.

    `run` takes a command's words and the price list beside it. Raises NoWholeAnswerError.
    """

    def __init__(self, folder: Path, state: str, run: Callable[[str, str], str]) -> None:
        self._folder = folder
        self._state = state
        self._run = run

    def _path(self, words: str, prices: str) -> Path:
        key = f"{self._state}\0{words}\0{prices}"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.txt"

    def has(self, words: str, prices: str) -> bool:
        """Whether it need not be run."""
        return self._path(words, prices).exists()

    def printed(self, words: str, prices: str) -> str:
        """What the command prints; run only if it was not yet."""
        path = self._path(words, prices)
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            text = self._run(words, prices)
            whole = path.with_suffix(".part")
            whole.write_text(text, encoding="utf-8")
            whole.rename(path)
        return path.read_text(encoding="utf-8")


def _run(words: str, prices: str) -> str:
    """What a command prints, in a folder of its own. Raises NoWholeAnswerError."""
    program, *others = shlex.split(words)
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
        for name in _TOML_FILES:
            (Path(folder) / name).write_text(prices, encoding="utf-8")
        (Path(folder) / "records").symlink_to(ROOT / "docs" / "records")
        begun = time.monotonic()
        print(f"$ {words}", file=sys.stderr)
        done = subprocess.run(
            [str(Path(sys.prefix) / "bin" / program), *others],
            cwd=folder, capture_output=True, text=True, timeout=_DEADLINE_S, check=False,
            env={**os.environ, "COLUMNS": _COLUMNS, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr)
    is_answer = words.startswith("weft check ") and done.returncode in _ANSWERS_OF_CHECK
    check_whole(0 if is_answer else done.returncode, done.stderr)
    return done.stdout


def check_whole(status: int, said: str) -> None:
    """Raises NoWholeAnswerError of a command that failed, or that had no time for all of it."""
    if status or _TOO_SHORT in said:
        raise NoWholeAnswerError(said.rstrip())


def written(page: Path, kept: Kept, only: str, day: str) -> list[str]:
    """Run the commands of a page, and write it if all are there; else what is missing of it."""
    text = page.read_text(encoding="utf-8")
    prices = prices_in(text)
    missing = []
    for words in commands_of(text):
        if only not in words and not kept.has(words, prices):
            missing.append(f"{words}\n  not asked for")
            continue
        try:
            kept.printed(words, prices)
        except (NoWholeAnswerError, subprocess.TimeoutExpired) as error:
            missing.append(f"{words}\n  {error}")
    if not missing:
        # What was written on it meanwhile stays.
        text = page.read_text(encoding="utf-8")
        again = made_again(text, lambda words: kept.printed(words, prices))
        page.write_text(of_day(again, day), encoding="utf-8")
    return missing


def _state(day: str) -> str:
    """Of what day and of which sources a command's answer is."""

    def git(*words: str) -> str:
        asked = ["git", "-C", str(ROOT), *words]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout

    trees = git("rev-parse", *(f"HEAD:{name}" for name in _SOURCES))
    return f"{day}\n{trees}{git('diff', 'HEAD', '--', *_SOURCES)}"


def main() -> None:
    """Write the pages of this checkout again, each when all of its commands are done."""
    asked = argparse.ArgumentParser(description=main.__doc__)
    asked.add_argument("--only", default="", metavar="WORD", help="run commands that have it")
    only = asked.parse_args().only
    day = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    kept = Kept(ROOT / "build" / "docs-figures", _state(day), _run)
    missing = False
    for name in PAGES:
        for line in written(ROOT / name, kept, only, day):
            missing = True
            print(f"{name} is not written: {line}", file=sys.stderr)
    sys.exit(int(missing))


if __name__ == "__main__":
    main()
