"""Output streams that can print ASCII only: the same answers, in plain characters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.builders import synthetic_record


def weft_with(encoding: str, *words: object) -> subprocess.CompletedProcess[str]:
    program = "from weft.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True, encoding="utf-8" if encoding == "utf-8" else "ascii", check=False,
        timeout=600, env={**os.environ, "PYTHONIOENCODING": encoding}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["show", "trend", "fit"])
def test_a_stream_for_ascii_only_gets_us_for_microseconds(tmp_path: Path, command: str) -> None:
    record = synthetic_record(tmp_path / "r.jsonl")
    usual, plain = (weft_with(encoding, command, record) for encoding in ("utf-8", "ascii"))
    assert plain.returncode == usual.returncode, plain.stderr
    assert "internal error" not in plain.stderr
    if command == "show":
        assert "µs" in usual.stdout
        assert usual.stdout.replace("µ", "u").replace("±", "+-").split() == plain.stdout.split()


def test_errors_are_plain_too_and_bytes_of_names_are_escapes(tmp_path: Path) -> None:
    plain = weft_with("ascii", "show", tmp_path / "µ-\udc80.jsonl")
    assert plain.returncode == 2
    assert "u-" in plain.stderr
    assert "internal error" not in plain.stderr
