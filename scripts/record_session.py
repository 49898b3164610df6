#!/usr/bin/env python3
"""Records a terminal session of weft as a drawing: docs/images/session.svg, for the README.

Each command is run, and what it prints is drawn as a terminal of 80 columns shows it. The progress
of a run, which is gone when it ends, is not there. `make docs-figures` calls it.
"""

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
SESSION = ROOT / "docs" / "images" / "session.svg"
WIDTH = 80
DEADLINE_S = 300
MEASURES = "weft run ping_pong stream --transport tcp,ucx --sizes 8,1MiB --budget 30s -o run.jsonl"
# What follows is the same on every machine.
COMMANDS = (MEASURES, 'weft peak "IB 4x FDR"')
# Of standard error: the files that a run has written, which stand after its progress.
_FILES = re.compile(r"^(?:report|record): .*$", re.MULTILINE)
# How wide rich draws a character.
_CELL = 12.2
# A drawing fetches nothing.
_FORMAT = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def main() -> None:
    """Run the session and write the drawing."""
    with tempfile.TemporaryDirectory(prefix="weft-session-") as folder:
        blocks = [(command, printed(command, Path(folder))) for command in COMMANDS]
    SESSION.write_text(drawing(blocks), encoding="utf-8")


def printed(command: str, folder: Path) -> str:
    """What a command leaves on a terminal of this width, with its colours."""
    program, *words = shlex.split(command)
    done = subprocess.run(
        [str(Path(sys.executable).with_name(program)), *words],
        cwd=folder, capture_output=True, text=True, check=True, timeout=DEADLINE_S,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"},
    )  # fmt: skip
    return "\n".join([done.stdout.rstrip(), *_FILES.findall(done.stderr)])


def drawing(blocks: list[tuple[str, str]]) -> str:
    """The session as SVG."""
    terminal = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for command, text in blocks:
        terminal.print(Text(f"$ {command}", style="bold green"), soft_wrap=False)
        terminal.print(Text.from_ansi(text), soft_wrap=False)
    return terminal.export_svg(title="weft", code_format=_FORMAT, unique_id="session")


def lines_of(text: str) -> Iterator[str]:
    """The lines that a drawing shows, without the blanks at their ends."""
    rows: dict[int, dict[int, str]] = {}
    for element in ET.fromstring(text).findall(".//{*}text"):  # noqa: S314
        line = re.search(r"-line-(\d+)\)", element.get("clip-path", ""))
        if line:
            column = round(float(element.get("x", "0")) / _CELL)
            rows.setdefault(int(line[1]), {})[column] = (element.text or "").replace("\xa0", " ")
    for _, parts in sorted(rows.items()):
        shown = ""
        for column, part in sorted(parts.items()):
            shown = shown.ljust(column) + part
        yield shown.rstrip()


if __name__ == "__main__":
    main()
