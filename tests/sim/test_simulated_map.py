"""The real path from the engine to the finding: a map of a platform with a slow node."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.printed import result_of
from weft.cli.main import app

pytestmark = pytest.mark.engine
WEFT = Path(sys.executable).with_name("weft")


def mapped(*words: str) -> dict[str, Any]:
    # A program of its own: a budget is counted from when its process began.
    done = subprocess.run(
        [WEFT, "map", "--platform", "escher", "--json", *words],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [row] = result_of(done.stdout)
    return dict(row)


def test_the_slow_node_of_a_platform_is_named(tmp_path: Path) -> None:
    record = tmp_path / "m.jsonl"
    words = ("--ranks", "9", "--sizes", "64KiB", "--slow", "n7=0.5", "-o", str(record))
    row = mapped(*words)
    [finding] = row["findings"]
    assert finding["causes"] == [{"kind": "node", "name": "n7"}]
    assert finding["also"] == []
    again = CliRunner().invoke(app, ["map", str(record)])
    assert "n7 is slow: 71%" in again.stdout


def test_a_healthy_platform_has_no_finding(tmp_path: Path) -> None:
    row = mapped("--ranks", "6", "--sizes", "8", "-o", str(tmp_path / "m.jsonl"))
    assert row["findings"] == []
    assert row["dead"] == []
