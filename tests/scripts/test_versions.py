"""The table of versions: the oldest and the newest of what the gate's roots had."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import versions

FIRST = """system = "Debian 9"
[versions]
"g++" = "9.10.0"
"UCX" = "1.13.1"
"Python" = "3.11.2"
"""
SECOND = """system = "Debian 10"
[versions]
"g++" = "9.9.1"
"UCX" = "1.18.1"
"Python" = "3.13.5"
"""


def test_versions_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(FIRST)
    (tmp_path / "a.toml").write_text(SECOND)
    lines = versions.table(tmp_path).splitlines()
    assert "| g++ | 9.9.1 | 9.10.0 |" in lines
    assert "| UCX | 1.13.1 | 1.18.1 |" in lines
    assert "Each on Debian 9 and Debian 10." in lines
    assert not [line for line in lines if "SimGrid" in line]


def test_only_what_is_between_the_marks_is_written_anew() -> None:
    page = versions.PAGE.read_text()
    once = versions.written(page, "| new |\n")
    assert "| new |" in once
    assert versions.written(once, versions.table(versions.FOUND)) == page
    with pytest.raises(SystemExit, match="lacks the marks"):
        versions.written("a page", "| new |\n")


def test_this_machine_has_versions_of_what_weft_is_built_with() -> None:
    script = Path(versions.__file__)
    done = subprocess.run(
        [sys.executable, script, "here"], capture_output=True, text=True, check=True, timeout=600
    )
    found = tomllib.loads(done.stdout)
    assert found["system"].startswith("Debian ")
    assert {"g++", "Open MPI", "UCX", "libfabric", "SimGrid", "Python"} <= set(found["versions"])
    assert not set(found["versions"]["rdma-core"]) - set("0123456789.")
    assert found["versions"]["rdma-core"].count(".") < 3
