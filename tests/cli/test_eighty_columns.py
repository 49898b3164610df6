"""A terminal of 80 columns has every help and the recorded examples without a broken line."""

from __future__ import annotations

import fcntl
import itertools
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner

from support.copies import ROOT
from support.in_process import TERMINAL, WIDTH, weft_here
from weft.cli.main import app
from weft.cli.manual import commands_of

WEFT = Path(sys.executable).with_name("weft")
MONDAY, TUESDAY = (ROOT / "docs/records" / f"{day}.jsonl.zst" for day in ("monday", "tuesday"))
# Five times what the slowest takes on a busy machine, and more.
DEADLINE_S = 900


def too_wide(text: str) -> list[str]:
    return [line for line in text.splitlines() if cell_len(line.rstrip()) > WIDTH]


def on_a_terminal(*words: str | Path) -> str:
    """What a command prints on a terminal of that width."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    env.pop("COLUMNS", None)
    with subprocess.Popen(
        [WEFT, *words], stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=env
    ) as process:
        os.close(its)
        said = b""
        try:
            while part := os.read(mine, 65536):
                said += part
        except OSError:  # So Linux says that the other side is closed.
            pass
        process.wait(DEADLINE_S)
    os.close(mine)
    # A line of progress stands there until it is drawn over, or erased for what follows.
    left = re.sub(r"[^\n]*(\r?\n\r\x1b\[1A|\r)\x1b\[2K", "", said.decode())
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", left)


@pytest.mark.parametrize("name", [name for name, _ in commands_of(typer.main.get_command(app))])
def test_every_help_fits(name: str) -> None:
    done = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": str(WIDTH)})
    assert done.exit_code == 0
    assert not too_wide(done.stdout)


@pytest.mark.parametrize("name", [name for name, _ in commands_of(typer.main.get_command(app))])
def test_no_line_of_a_help_ends_where_the_source_broke_it(name: str) -> None:
    """The next word would not have fitted behind it."""
    done = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": str(WIDTH)})
    said = done.stdout.partition("\u256d")[0].partition("[OPTIONS]")[2].partition("\n")[2]
    for paragraph in re.split(r"\n\s*\n", said):
        lines = [line.strip() for line in paragraph.strip().split("\n")]
        for line, after in itertools.pairwise(lines):
            assert len(line) + 1 + len(after.split()[0]) > WIDTH - 2, line


@pytest.mark.parametrize(
    "words",
    [
        ("show", MONDAY),
        ("compare", MONDAY, TUESDAY),
        ("check", TUESDAY, "--against", MONDAY),
        ("trend", MONDAY, TUESDAY),
        ("fit", MONDAY, "--transport", "tcp"),
        ("signature", MONDAY),
        ("layers", MONDAY),
        ("memory", MONDAY),
        ("peak", "IB 4x FDR"),
        ("list", "transports"),
        ("price", "--nodes", "48", "--switch", "24"),
    ],
    ids=lambda words: words[0],
)
def test_the_tables_of_a_recorded_example_fit(words: tuple[str | Path, ...]) -> None:
    done = weft_here(words, {**TERMINAL, "PATH": os.environ["PATH"]})
    assert done.stdout
    assert not too_wide(re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr))


@pytest.mark.parametrize("words", [("show", MONDAY), ("compare", MONDAY, TUESDAY)])
def test_the_width_is_that_of_the_terminal(words: tuple[str | Path, ...]) -> None:
    said = on_a_terminal(*words)
    assert WIDTH - 8 < max(cell_len(line.rstrip()) for line in said.splitlines()) <= WIDTH
