"""The tutorials do what they say. Their ranks measure, so nothing else runs beside them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.copies import ROOT

pytestmark = pytest.mark.engine
BIN = Path(sys.executable).parent


@pytest.mark.parametrize("page", ["tutorial-laptop", "tutorial-simulate"])
def test_every_command_of_a_tutorial_works(page: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    steps = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert len(steps) >= 4
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    for commands in steps:
        done = subprocess.run(
            ["bash", "-ec", commands], cwd=tmp_path, env=env, capture_output=True, text=True,
            timeout=900, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (commands, done.stdout, done.stderr)
    named = re.findall(r"-o (\S+)|--csv (\S+)|> (\S+)", "".join(steps))
    for name in (one for found in named for one in found if one):
        assert (tmp_path / name).stat().st_size > 0, name
