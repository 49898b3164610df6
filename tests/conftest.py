"""For every test: this folder is on the path; a record and a scripted rank."""

import os
import sys
from pathlib import Path

import pytest

from support.builders import synthetic_record
from support.scripted import lay_out_rank


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The usual synthetic record, finished."""
    return synthetic_record(tmp_path / "record.jsonl")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages come without their drawings for paper, which take most of their time.

    For a test that reads words, tables or the curves of the page itself.
    """
    monkeypatch.setattr("weft.report.drawing.draw", lambda _, kinds: [b"" for _ in kinds])


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with one transport, the scripted one, and a starter that starts one rank."""
    lay_out_rank(tmp_path / "engine")
    starters = tmp_path / "bin"
    starters.mkdir()
    starter = starters / "mpirun.openmpi"
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done; shift 2; exec "$@"\n')
    starter.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{starters}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "WEFT_ENGINE_DIR": str(tmp_path / "engine"),
    }
