"""How ranks meet where MPI does not carry what is measured: what Open MPI is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

USUAL_SLACK_NS = 50_000
MPIRUN = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2")


def told(
    folder: Path, starter: Sequence[str] = MPIRUN, program: str = "rank-tcp", **environment: str
) -> dict[str, str]:
    """Open MPI's parameters that come from the environment, of ranks on this host."""
    file = folder / "parameters"
    shown = {"mpi_show_mca_params": "enviro", "mpi_show_mca_params_file": str(file)}
    shown["btl_tcp_if_include"] = "lo"
    asked = {f"OMPI_MCA_{name}": value for name, value in shown.items()} | environment
    subprocess.run(
        [*starter, engine_folder() / "openmpi" / program], env=os.environ | asked,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    lines = [line.split(" ")[0] for line in file.read_text().splitlines() if line[:1] not in "#"]
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_ranks_of_one_host_meet_over_shared_memory_only(tmp_path: Path) -> None:
    parameters = told(tmp_path)
    assert parameters["btl"] == "self,vader"
    assert parameters["pml"] == "ob1"
    assert parameters["mpi_yield_when_idle"] == "true"


def test_what_a_user_has_set_stays(tmp_path: Path) -> None:
    assert told(tmp_path, OMPI_MCA_btl="self,tcp")["btl"] == "self,tcp"


@pytest.mark.parametrize(
    ("of_starter", "is_one_host"),
    [
        ({"SLURM_STEP_NUM_NODES": "1"}, True),
        ({"SLURM_STEP_NUM_NODES": "2"}, False),
        # Of ranks of mpirun on two hosts, typed in a step of one.
        (
            {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
             "SLURM_STEP_NUM_NODES": "1"},
            False,
        ),
        ({}, False),
    ],
)  # fmt: skip
def test_what_started_a_rank_says_whether_all_are_on_one_host(
    tmp_path: Path, of_starter: dict[str, str], *, is_one_host: bool
) -> None:
    assert ("btl" in told(tmp_path, starter=(), **of_starter)) == is_one_host


@pytest.mark.parametrize(
    ("of_starter", "yields"),
    [
        ({"SLURM_STEP_TASKS_PER_NODE": "4096(x2)"}, "true"),
        ({"SLURM_STEP_TASKS_PER_NODE": "1(x2)"}, ""),
        # What a user has set stays.
        (
            {"SLURM_STEP_TASKS_PER_NODE": "4096(x2)", "OMPI_MCA_mpi_yield_when_idle": "0"},
            "false",
        ),
    ],
)
def test_ranks_that_outnumber_cores_yield_though_slurm_started_them(
    tmp_path: Path, of_starter: dict[str, str], yields: str
) -> None:
    parameters = told(tmp_path, starter=(), program="rank-mpi", **of_starter)
    assert parameters.get("mpi_yield_when_idle", "") == yields
    done = subprocess.run(
        [engine_folder() / "openmpi" / "rank-mpi"], env=os.environ | of_starter,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    # A record says so: it changes what is measured.
    assert (b'"waiting ranks":"give their core away"' in done.stdout) == (yields == "true")


# The kernel tells root how long other threads may oversleep.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads other threads' timer slack")
@pytest.mark.parametrize(
    ("of_starter", "overslept_ns"),
    [
        ({}, USUAL_SLACK_NS),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": "1"}, USUAL_SLACK_NS),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": "4096"}, 20_000_000),
        ({"MPI_LOCALNRANKS": "4096"}, 20_000_000),
        ({"SLURM_STEP_TASKS_PER_NODE": "4096(x2)"}, 20_000_000),
    ],
)
def test_ranks_that_outnumber_cores_sleep_longer_while_they_start(
    of_starter: dict[str, str], overslept_ns: int
) -> None:
    """What a rank's own thread was told, those that MPI started keep; itself it forgets it."""
    with subprocess.Popen(
        [engine_folder() / "openmpi" / "rank-tcp"], env=os.environ | of_starter,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as rank:  # fmt: skip
        assert rank.stdout
        assert b'"kind":"hello"' in rank.stdout.readline()
        threads = [int(path.name) for path in Path(f"/proc/{rank.pid}/task").iterdir()]
        slack_ns = {one: int(Path(f"/proc/{one}/timerslack_ns").read_text()) for one in threads}
        rank.communicate(timeout=600)
    assert slack_ns.pop(rank.pid) == USUAL_SLACK_NS
    assert overslept_ns in slack_ns.values()
