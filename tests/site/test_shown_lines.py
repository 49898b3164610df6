"""Pages show under a command of the stored records lines that the command prints."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from support.copies import ROOT
from support.in_process import TERMINAL, weft_here

if TYPE_CHECKING:
    from pathlib import Path

BOLD = re.compile(r"\x1b\[\d*m")


@pytest.mark.parametrize("name", ["faq", "numbers/intervals", "numbers/ratios"])
def test_each_shown_line_is_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for record in (ROOT / "docs" / "records").iterdir():
        shutil.copy(record, tmp_path)
    page = (ROOT / "docs" / f"{name}.md").read_text()
    shown = re.findall(r"```console\n\$ weft ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert shown
    for command, lines in shown:
        done = weft_here(shlex.split(command), {**os.environ, **TERMINAL, "COLUMNS": "120"})
        printed = " ".join(BOLD.sub("", done.stdout).split())
        assert printed
        for line in lines.splitlines():
            assert " ".join(line.split()) in printed, (command, line)
