"""For every test: this folder is on the path (`import builders`), and a small record stands by."""

from pathlib import Path

import pytest

from builders import synthetic_record


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The usual synthetic record, finished."""
    return synthetic_record(tmp_path / "record.jsonl")
