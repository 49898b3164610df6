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
        capture_output=True, text=True, timeout=400, check=False,
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
    assert "n7 is slow: 71 %" in again.stdout


def test_a_healthy_platform_has_no_finding(tmp_path: Path) -> None:
    row = mapped("--ranks", "6", "--sizes", "8", "-o", str(tmp_path / "m.jsonl"))
    assert row["findings"] == []
    assert row["dead"] == []


def test_the_slow_cable_of_a_fabric_in_words_is_named(tmp_path: Path) -> None:
    record = tmp_path / "m.jsonl"
    fabric = ("--topology", "fat-tree 8 full d-mod-k", "--slow", "leaf3-spine2/1=0.25")
    row = mapped("--ranks", "32", "--sizes", "64KiB", "--rounds", "31", *fabric, "-o", str(record))
    named = [cause["name"] for one in row["findings"] for cause in one["causes"]]
    # Down there it leads to one node alone, which is not called slow.
    assert named in (
        ["cable 1 between leaf 3 and spine 2"],
        ["cable 1 from leaf 3 to spine 2", "cable 1 from spine 2 to leaf 3"],
    )
    assert row["with_more_launches"] == ""


def test_a_node_at_the_end_of_a_slow_cable_is_not_called_slow(tmp_path: Path) -> None:
    """All that comes to n1 from other leaves passes the cable, and half of all its ways."""
    fabric = ("--topology", "fat-tree 8/16 full d-mod-k", "--slow", "leaf1-spine2=0.5")
    row = mapped("--sizes", "64KiB", *fabric, "-o", str(tmp_path / "m.jsonl"))
    [finding] = row["findings"]
    assert finding["causes"] == [{"kind": "cable", "name": "cable 1 between leaf 1 and spine 2"}]


def test_six_rounds_of_256_nodes_name_the_slow_one(tmp_path: Path) -> None:
    """More nodes than a published platform has where nobody says; the rounds are few."""
    words = ("--ranks", "256", "--rounds", "6", "--sizes", "64KiB", "--slow", "n200=0.5")
    row = mapped(*words, "-o", str(tmp_path / "m.jsonl"))
    [finding] = row["findings"]
    assert (finding["causes"], finding["also"]) == ([{"kind": "node", "name": "n200"}], [])
    assert (row["endpoints"], row["rounds"], row["ways"]) == (256, 6, 6 * 256)


def test_the_slow_cable_of_256_nodes_is_named(tmp_path: Path) -> None:
    fabric = ("--topology", "fat-tree 32 full d-mod-k", "--slow", "leaf3-spine2/1=0.5")
    words = (
        "--ranks", "256", "--rounds", "16", "--sizes", "64KiB", "--budget", "5min", *fabric,
    )  # fmt: skip
    row = mapped(*words, "-o", str(tmp_path / "m.jsonl"))
    named = {cause["name"] for cause in row["findings"][0]["causes"]}
    assert named == {"cable 1 between leaf 3 and spine 2"}
