"""What the page of questions shows under a command is what the command prints on stored records."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from typing import TYPE_CHECKING

from support.copies import ROOT
from support.in_process import TERMINAL, weft_here

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BOLD = re.compile(r"\x1b\[\d*m")


def test_each_shown_line_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for record in (ROOT / "docs" / "records").iterdir():
        shutil.copy(record, tmp_path)
    page = (ROOT / "docs" / "faq.md").read_text()
    shown = re.findall(r"```console\n\$ weft ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert len(shown) >= 2
    for command, lines in shown:
        done = weft_here(shlex.split(command), {**os.environ, **TERMINAL, "COLUMNS": "120"})
        printed = " ".join(BOLD.sub("", done.stdout).split())
        assert printed
        for line in lines.splitlines():
            assert " ".join(line.split()) in printed, (command, line)
