"""On a terminal of 80 columns no line of a command is wider, of records that have all there is."""

import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from support.in_process import TERMINAL, WIDTH, weft_here
from support.scenes import ENDS, SCENES, make_named, words_of

# What other programs read has the lines that these expect.
FOR_PROGRAMS = ("--json", "--like")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where records are, each made once."""
    return tmp_path_factory.mktemp("widths")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", SCENES)
def test_no_line_is_wider_than_the_terminal(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    make_named(SCENES[name], folder)
    for command in SCENES[name]:
        # A page is not on the terminal; limits go to a file, and what is said of them does not.
        beside = r" > " if "--make-limits" in command else r" -o | > "
        typed = re.split(beside, command)[0]
        if any(word in typed for word in FOR_PROGRAMS):
            continue
        done = weft_here(words_of(typed), {**TERMINAL, "PATH": os.environ["PATH"]})
        assert done.returncode in ENDS, done.stderr
        said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).splitlines()
        wide = [line for line in said if cell_len(line.rstrip()) > WIDTH]
        assert not wide, f"{typed}\n" + "\n".join(wide)
        # Nor is a word cut for want of room: it would be what tells two rows apart.
        cut = [line for line in said if "…" in line]
        assert not cut, f"{typed}\n" + "\n".join(cut)
