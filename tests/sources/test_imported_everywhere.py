"""Each kind of output that weft imports, through each command: an answer, or one clear line.

A new kind among the stored outputs is tested here from its first day.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import weft
from support.ended import status_of
from support.peer_outputs import (
    FABTESTS,
    FILES,
    LATENCY,
    LATENCY_JSON,
    NCCL,
    OUTPUTS,
    STREAM,
    STREAM_JSON,
    told,
)
from weft.sources.imported import import_outputs
from weft.sources.peers.stated import Given

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = '[[limit]]\ntest = "ping_pong"\nlatency_at_most = "2 us"\n'
# Of programs that this machine has not: as their sources print them.
WRITTEN = {
    "perftest_latency.txt": LATENCY,
    "perftest_stream.txt": STREAM.format(way="", unit="MB/sec"),
    "perftest_latency.json": LATENCY_JSON,
    "perftest_stream.json": STREAM_JSON % ("11718.75", "0.187500"),
    "nccl.txt": NCCL.format(wrong=0),
    "fabtests.txt": FABTESTS,
}
SAID = {"fabtests.txt": Given(transport="ofi")}
KINDS = [*FILES, *WRITTEN]
# What a figure without scatter can answer, whatever it is of. {} is the record.
ANSWERED = [
    "show {}",
    "show {} --json",
    "export {} --csv a.csv",
    "export {} --json a.json",
    "export {} --markdown a.md",
    "export {} --methods a.txt",
    "compare {} same.jsonl",
    "compare {} same.jsonl --json",
    "compare {} same.jsonl -o c.html",
    "report {} -o r.html",
    "figure {} -o f.svg",
]
# What needs sizes, latencies, an interval or a layout that a peer has.
ASKED = [
    "show {} --like osu",
    "show {} --like imb",
    "show {} --like perftest",
    "check {} --against limits.toml",
    "check {} --against same.jsonl",
    "check --make-limits {} -o made.toml",
    "trend {} other.jsonl",
    "fit {}",
    "fit {} --json",
    "fit {} -o fit.svg",
    "figure {} -o g.svg --show fit",
    "figure {} -o h.svg --show signature",
    "signature {}",
    "layers {}",
    "calibrate {} -o a.xml",
    "export {} --table models --latex a.tex",
]
REFUSED = 2


@pytest.fixture
def imported(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The record of one kind, in a folder with what else the commands name."""
    name = request.param
    path = tmp_path / name
    if name in WRITTEN:
        path.write_text(WRITTEN[name])
    else:
        shutil.copy(OUTPUTS / name, path)
    record = import_outputs([path], SAID.get(name, told(name)), tmp_path / "imported.jsonl")
    shutil.copy(record, tmp_path / "same.jsonl")
    (tmp_path / "limits.toml").write_text(LIMITS)
    import_outputs([path], SAID.get(name, told(name)), tmp_path / "other.jsonl")
    monkeypatch.chdir(tmp_path)
    return record.name


@pytest.mark.parametrize("imported", KINDS, indirect=True)
@pytest.mark.usefixtures("undrawn")
def test_every_command_answers_each_kind_or_says_why_not(imported: str) -> None:
    assert weft.load(imported).cases
    for line in ANSWERED:
        status, errors = status_of(line.format(imported).split())
        assert status == 0, f"{line}: {errors}"
    for line in ASKED:
        status, errors = status_of(line.format(imported).split())
        assert status in ({0, 1, 2, 3} if line.startswith("check") else {0, 2}), f"{line}: {errors}"
        assert "No such option" not in errors, line
        if status == REFUSED:
            [said] = errors.strip().splitlines()[-1:]
            assert said.startswith("weft: "), f"{line}: {errors}"
            assert "; " in said, f"{line}: {said}"
