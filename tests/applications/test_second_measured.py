"""A second application is measured by the whole program: ranks that only know it, and its entry."""

import json
import os
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

import weft
from support.in_process import weft_here
from support.printed import result_of
from support.tiny import RING, Rings
from weft import applications

RANK = Path(__file__).parents[1] / "support" / "ring-rank"
# The number of ranks is the starter's, as under any other.
STARTER = """#!/bin/sh
while [ "$1" != -n ]; do shift; done
RING_RANKS=$2; export RING_RANKS
shift 2
exec "$@"
"""
DESCRIPTION = {
    "kind": "describe",
    "weft": weft.__version__,
    "transport": "ring",
    "mode": "",
    "summary": "scripted",
    "reason": "",
    "settings": [],
    "patterns": [{**msgspec.to_builtins(RING), "supported": True, "reason": ""}],
}


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applications, "ENTRIES", (*applications.ENTRIES, Rings()))
    programs, starter = tmp_path / "engine" / "openmpi", tmp_path / "bin" / "mpirun.openmpi"
    for folder in (programs, starter.parent):
        folder.mkdir(parents=True)
    shutil.copy(RANK, programs / "rank-ring")
    starter.write_text(STARTER)
    starter.chmod(0o755)
    python = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{starter.parent}:{python}:/usr/bin:/bin")
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(programs.parent))
    monkeypatch.setenv("RING_DESCRIPTION", json.dumps(DESCRIPTION))
    monkeypatch.chdir(tmp_path)


def weft_(*words: str) -> str:
    done = weft_here(words, os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_measured_recorded_shown_and_measured_again() -> None:
    weft_(
        "run", "ring", "--ranks", "1,2", "--launches", "2", "--budget", "60s", "--precision", "5%",
        "-o", "r.jsonl",
    )  # fmt: skip
    run = weft.load("r.jsonl")
    assert [case.key for case in run.cases.values()] == [
        "ring/ring/8/1ranks/cells64", "ring/ring/8/1ranks/cells256",
        "ring/ring/8/cells64", "ring/ring/8/cells256",
    ]  # fmt: skip
    assert not run.missing
    shown = result_of(weft_("show", "r.jsonl", "--table", "scaling", "--json"))
    rows = {row["case"]: row for row in shown if "case" in row}
    two = rows["ring/ring/8/cells64"]
    assert two["iteration_ns"]["value"] == pytest.approx(10 * 32 + 8)
    assert two["efficiency"]["value"] == pytest.approx(640 / 328 / 2)
    assert two["parts_ns"]["hand_on"]["value"] == pytest.approx(164)
    weft_("report", "r.jsonl", "-o", "r.html")
    assert "64" in Path("r.html").read_text()
    weft_("export", "r.jsonl", "--csv", "r.csv")
    weft_("run", "--again", "r.jsonl", "--budget", "60s", "-o", "again.jsonl", "--no-report")
    again = weft.load("again.jsonl")
    assert again.cases == run.cases
    assert weft_("compare", "r.jsonl", "again.jsonl")
