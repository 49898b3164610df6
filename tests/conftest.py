"""For every test: this folder is on the path (`import builders`); a record and a scripted rank."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from builders import synthetic_record

TESTS = Path(__file__).parent


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The usual synthetic record, finished."""
    return synthetic_record(tmp_path / "record.jsonl")


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with one transport, the scripted one, and a starter that starts one rank."""
    programs = tmp_path / "engine" / "openmpi"
    programs.mkdir(parents=True)
    shutil.copy(TESTS / "fake-rank", programs / "rank-fake")
    starters = tmp_path / "bin"
    starters.mkdir()
    starter = starters / "mpirun.openmpi"
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done; shift 2; exec "$@"\n')
    for path in (starter, programs / "rank-fake"):
        path.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{starters}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "WEFT_ENGINE_DIR": str(tmp_path / "engine"),
    }
