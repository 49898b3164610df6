"""Local launches that are killed or stopped leave no rank and no file, and nobody reaches them."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from support.running import started
from weft.launch.alone import ALONE, DETAIL, network_of_host
from weft.launch.programs import engine_folder, has_starter

pytestmark = pytest.mark.engine
# Ranks that wait for their first case, spinning, under a process that only waits as well.
HOLDER = """
import sys
from pathlib import Path
from weft.launch.launcher import Job
from weft.launch.local import LocalLauncher
program, mpi = sys.argv[1:]
with LocalLauncher().start(Job(program=Path(program), mpi=mpi, ranks=2)) as ranks:
    print(*(rank.pid for rank in ranks.hello(600).ranks), ranks._process.pid, flush=True)
    sys.stdin.read()
"""


def program_of(mpi: str) -> Path:
    program = engine_folder() / mpi / "rank-tcp"
    if not (has_starter(mpi) and program.exists()):
        pytest.skip(f"no {mpi}")
    return program


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_and_their_starter_have_a_network_of_their_own(mpi: str) -> None:
    program = program_of(mpi)
    if reason := network_of_host(program, (), {}):
        pytest.skip(reason)
    with started(program, mpi) as launch:
        hello = launch.hello(600)
        ranks = [psutil.Process(rank.pid) for rank in hello.ranks]
        networks = {
            Path(f"/proc/{one.pid}/ns/net").readlink()
            for rank in ranks
            for one in (rank, *rank.parents())
            if "mpi" in one.name() or "hydra" in one.name() or one == rank
        }
        assert Path("/proc/self/ns/net").readlink() not in networks
        assert hello.details[DETAIL] == ALONE
        launch.finish(600)


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_killed_starter_leaves_no_file(mpi: str) -> None:
    with started(program_of(mpi), mpi) as launch:
        launch.hello(600)
        folders = list(launch._files._held)  # type: ignore[attr-defined]
        assert [path.is_dir() for path in folders] == [True, True]
        psutil.Process(launch._process.pid).kill()  # type: ignore[attr-defined]
    assert not any(path.exists() for path in folders)


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("is_stopped", [False, True])
def test_no_rank_outlives_a_killed_weft(mpi: str, *, is_stopped: bool) -> None:
    """A stopped starter kept its signal, and its ranks spun until somebody continued it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(program_of(mpi)), mpi],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as weft:  # fmt: skip
        assert weft.stdout
        *ranks, starter = map(int, weft.stdout.readline().split())
        family = [psutil.Process(pid) for pid in (*ranks, starter)]
        if is_stopped:
            family[-1].send_signal(signal.SIGSTOP)
        weft.kill()
        weft.wait()
        _, alive = psutil.wait_procs(family, timeout=600)
        assert not alive
