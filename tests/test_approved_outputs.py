"""One output of each command, of a small record: whoever changes it looks at it once.

Values have tests of their own in the folder of what computes them; here the form of a whole output
is kept. If you mean to change one, write the outputs anew and read the difference:

    WEFT_APPROVE=1 .venv/bin/pytest tests/test_approved_outputs.py
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from support.in_process import weft_here
from support.scenes import ENDS, make_named, words_of

FOLDER = Path(__file__).with_name("approved")
RECORDS = Path(__file__).with_name("records")
OUTPUT = Path(__file__).with_name("sources") / "peers" / "outputs" / "omb_latency_z.txt"
MOST_LINES = 120
COMMANDS = {
    "show": "show a.jsonl --test ping_pong",
    "memory": "memory every-topic.jsonl.zst",
    "list": "list suites",
    "export": "export a.jsonl --markdown out",
    "import": "import omb_latency_z.txt -o i.jsonl",
    "compare": "compare a.jsonl b.jsonl --test ping_pong",
    "check": "check b.jsonl --against limits.toml",
    "trend": "trend night-*.jsonl.zst",
    "fit": "fit a.jsonl --test ping_pong --transport tcp",
    "layers": "layers a.jsonl --order tcp,mpi",
    "signature": "signature monday.jsonl.zst",
    "map": "map map-slow-node.jsonl.zst --topology 'fat-tree 4/4 half'",
    "calibrate": "calibrate osu-gm",
    "peak": "peak 'IB 4x FDR' 'PCIe 4.0 x16'",
    "price": "price --nodes 100 --switch 24 --prices p.toml",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("approved")
    for path in (*RECORDS.glob("*.zst"), OUTPUT):
        shutil.copy(path, made)
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_the_approved_one(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    make_named([COMMANDS[name]], folder)
    environment = {"COLUMNS": "100", "NO_COLOR": "1", "PATH": os.environ["PATH"]}
    done = weft_here(words_of(COMMANDS[name]), environment)
    assert done.returncode in ENDS, done.stderr
    written = folder / "out"
    text = (
        done.stdout + done.stderr + (written.read_text() if COMMANDS[name].endswith(" out") else "")
    )
    text = re.sub(rf"weft( ?){re.escape(version('weft'))}", r"weft\1VERSION", text)
    now = [line.rstrip() for line in text.splitlines()]
    assert len(now) <= MOST_LINES, f"{name}: {len(now)} lines; take a smaller record"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("WEFT_APPROVE"):
        path.write_text("".join(f"{line}\n" for line in now))
    approved = path.read_text().splitlines() if path.exists() else []
    differs = list(difflib.unified_diff(approved, now, "approved", "now", n=0, lineterm=""))
    assert not differs, "\n".join(differs)


def test_each_approved_output_has_its_command() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(COMMANDS)
