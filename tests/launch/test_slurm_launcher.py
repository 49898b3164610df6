"""The Slurm launcher with scripts for Slurm's programs: what it asks them, and how often."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from weft.launch.launcher import Job
from weft.launch.protocol import LaunchError
from weft.launch.slurm import SlurmLauncher
from weft.plan.allocation import Allocation

if TYPE_CHECKING:
    from pathlib import Path

SRUN = """#!/bin/sh
echo "srun $*" >> {asked}
case "$*" in --mpi=list) echo "none"; echo "pmi2"; echo "pmix_v4";; esac
"""
SCONTROL = """#!/bin/sh
echo "scontrol $*" >> {asked}
echo n1; echo n2
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job of two nodes; the file has a line for each time that Slurm was asked."""
    for name, script in (("srun", SRUN), ("scontrol", SCONTROL)):
        (tmp_path / name).write_text(script.format(asked=tmp_path / "asked"))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    return tmp_path / "asked"


def _launch(folder: Path, mpi: str = "openmpi") -> None:
    job = Job(program=folder / "rank-fake", mpi=mpi, ranks=2, allocation=Allocation())
    with SlurmLauncher().start(job) as launch, pytest.raises(LaunchError):
        launch.hello()


def test_slurm_is_asked_once_however_many_launches_there_are(asked: Path) -> None:
    launcher = SlurmLauncher()
    assert launcher.refuses(Allocation()) == ""
    assert launcher.starts("openmpi")
    for _ in range(3):
        _launch(asked.parent)
    lines = asked.read_text().splitlines()
    assert len([line for line in lines if "rank-fake" in line]) == 3
    assert len([line for line in lines if "--mpi=pmix" in line]) == 3
    assert lines.count("scontrol show hostnames n[1-2]") == 1
    assert lines.count("srun --mpi=list") == 1
