"""How ranks meet where MPI does not carry what is measured: what Open MPI is told."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engine


def told(folder: Path, **environment: str) -> dict[str, str]:
    """Open MPI's parameters that come from the environment, of two ranks on this host."""
    file = folder / "parameters"
    shown = {"mpi_show_mca_params": "enviro", "mpi_show_mca_params_file": str(file)}
    asked = {f"OMPI_MCA_{name}": value for name, value in (shown | environment).items()}
    words = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
    for name, value in asked.items():
        words += ["-x", f"{name}={value}"]
    subprocess.run(
        [*words, engine_folder() / "openmpi" / "rank-tcp"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    lines = [line.split(" ")[0] for line in file.read_text().splitlines() if line[:1] not in "#"]
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_ranks_of_one_host_meet_over_shared_memory_only(tmp_path: Path) -> None:
    parameters = told(tmp_path)
    assert parameters["btl"] == "self,vader"
    assert parameters["pml"] == "ob1"
    assert parameters["mpi_yield_when_idle"] == "true"


def test_what_a_user_has_set_stays(tmp_path: Path) -> None:
    assert told(tmp_path, btl="self,tcp")["btl"] == "self,tcp"
