"""For every test: this folder is on the path; a record and a scripted rank."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.builders import synthetic_record
from support.scripted import lay_out_rank

# Drawing is slow on a busy machine; that is no fault of what is tested.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# Tests marked engine that poll no core of this machine for long, by folder or file: those of a
# file go together, and beside the others. What starts real ranks here stays one at a time.
SIMULATES = ("sim", "cli", "report", "test_contributor_pages.py")
# One cluster for all; beside the ranks, since it mostly waits.
ON_CLUSTER = ("lab", "packaging")


def group_of(path: Path, is_vm: bool) -> str:
    """Which tests of the slow part must not run at the same time as one of this file."""
    part = path.parts[0]
    if is_vm:
        return "vm"
    if part in ON_CLUSTER:
        return "cluster"
    return str(path) if part in SIMULATES else "ranks"


def pytest_itemcollected(item: pytest.Item) -> None:
    """With --dist loadgroup, tests of one group run one at a time, on one worker."""
    if any(item.get_closest_marker(name) for name in ("engine", "browser")):
        path = item.path.relative_to(Path(__file__).parent)
        is_vm = item.get_closest_marker("vm") is not None
        item.add_marker(pytest.mark.xdist_group(group_of(path, is_vm)))


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
