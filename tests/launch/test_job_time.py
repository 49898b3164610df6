"""How long a job may go on, as Slurm says it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import pytest

from weft.launch.job_time import seconds_of, usable_s

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0:59", 59.0),
        ("4:00", 240.0),
        ("2:03:04", 7384.0),
        ("1-00:00:30", 86430.0),
        ("UNLIMITED", math.inf),
        ("NOT_SET", math.inf),
        ("INVALID", math.inf),
        ("", math.inf),
        ("-1:00", math.inf),
        ("1:2:3:4", math.inf),
    ],
)
def test_a_time_of_slurm_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("squeue", "usable"),
    [
        ("echo 7 4:00", 180.0),  # a minute before its end a job is asked to end
        ("echo 7 1:20", 60.0),  # or a quarter of its time
        ("echo 7 UNLIMITED", math.inf),
        ("echo 7 4:00; exit 1", math.inf),
        ("echo 8 1:00; echo 7 4:00; echo 9 2:00", 180.0),  # other tasks of the array
        ("echo; echo 4:00; echo 8 1:00", math.inf),
    ],
)
def test_a_job_ends_itself_before_it_is_ended(
    squeue: str, usable: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "squeue"
    program.write_text(f'#!/bin/sh\n[ "$2" = --jobs=7 ] || exit 2\n{squeue}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert usable_s({"SLURM_JOB_ID": "7"}) == usable
    assert usable_s({}) == math.inf
    others = {"SLURM_HET_SIZE": "2", "SLURM_JOB_ID_HET_GROUP_0": "7"}
    assert usable_s({"SLURM_JOB_ID": "7", **others}) == usable
    assert usable_s({"PBS_NODEFILE": "nodes"}) == math.inf


def test_a_heterogeneous_job_ends_with_its_first_component(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "squeue"
    program.write_text("#!/bin/sh\necho 7 9:00; echo 8 4:00; echo 9 1:00\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    components = {"SLURM_JOB_ID_HET_GROUP_0": "7", "SLURM_JOB_ID_HET_GROUP_1": "8"}
    assert usable_s({"SLURM_JOB_ID": "7", "SLURM_HET_SIZE": "2", **components}) == 180.0
