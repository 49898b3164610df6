"""The Slurm launcher with scripts for Slurm's programs: what it asks them, and how often."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from weft.errors import WeftError
from weft.launch.launcher import Job
from weft.launch.programs import choose_mpi
from weft.launch.protocol import LaunchError
from weft.launch.slurm import SlurmLauncher, _openmpi_has_pmi2
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


@pytest.mark.parametrize(("parts", "starts"), [("mca:pmix:s2:version", True), ("", False)])
def test_open_mpi_is_started_by_pmi2_only_where_it_has_it(
    asked: Path, monkeypatch: pytest.MonkeyPatch, parts: str, starts: bool
) -> None:
    for name, said in (("srun", "none pmi2"), ("ompi_info", parts)):
        (asked.parent / name).write_text(f"#!/bin/sh\necho '{said}'\n")
        (asked.parent / name).chmod(0o755)
    monkeypatch.setattr("weft.launch.slurm._openmpi_has_pmi2", _openmpi_has_pmi2.__wrapped__)
    launcher = SlurmLauncher()
    assert launcher.starts("openmpi") is starts
    assert launcher.starts("mpich")
    if not starts:
        with pytest.raises(WeftError, match="no way to start ranks of openmpi; type --mpi mpich"):
            choose_mpi("openmpi", launcher.starts)
