"""Where real ranks run, where their libraries' threads do, and what listens for whom."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from support.running import started
from weft.host.shared_memory import SHARED_MEMORY
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.engine
CPUS = sorted(os.sched_getaffinity(0))
# MPI itself listens too, where it is not told that the ranks share a host.
QUIET_MPI = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_osc": "^ucx"}


def other_threads(pid: int) -> Iterator[set[int]]:
    """The CPUs of each thread but the first."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        if int(task.name) != pid:
            yield os.sched_getaffinity(int(task.name))


def check_threads(mpi: str, transport: str, words: Sequence[str], polled: set[int]) -> None:
    with started(engine_folder() / mpi / f"rank-{transport}", mpi, words) as launch:
        hello = launch.hello()
        places = [(rank, list(other_threads(rank.pid))) for rank in hello.ranks]
        for rank, others in places:
            assert os.sched_getaffinity(rank.pid) == {rank.cpu}
            for cpus in others:
                assert cpus == (set(CPUS) - polled or set(CPUS)), (rank, others)
        told = hello.details["helper threads"]
        count = len(places[0][1])
        assert told == "none" if count == 0 else told.startswith(f"{count} on CPUs "), told
        # Ranks that say bye are gone at once; a starter that is terminated gives them seconds.
        launch.finish()


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("transport", ["mpi", "tcp", "ucx", "ofi"])
def test_the_rank_has_its_cpu_and_other_threads_are_not_kept_there(
    mpi: str, transport: str
) -> None:
    check_threads(mpi, transport, (), set(CPUS[:2]))


@pytest.mark.parametrize(
    ("transport", "words"),
    [("ucx", ("--option", "tls=tcp,self")), ("ofi", ("--option", "provider=tcp"))],
)
def test_threads_of_libraries_take_the_cpus_where_no_rank_polls(
    transport: str, words: tuple[str, ...]
) -> None:
    """All ranks on one CPU leave the others free."""
    first = CPUS[0]
    check_threads("openmpi", transport, (*words, "--cpus", f"{first},{first}"), {first})


@pytest.mark.parametrize(
    ("transport", "words"),
    [
        ("tcp", ()),
        ("ucx", ()),
        ("ucx", ("--option", "tls=tcp,self")),
        ("ofi", ()),
        ("ofi", ("--option", "provider=tcp")),
        ("ofi", ("--mode", "msg")),
    ],
)
def test_on_one_host_nothing_listens_beyond_the_loopback(
    transport: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in QUIET_MPI.items():
        monkeypatch.setenv(name, value)
    program = engine_folder() / "openmpi" / f"rank-{transport}"
    with started(program, "openmpi", words) as launch:
        for rank in launch.hello().ranks:
            listening = [
                f"{one.laddr.ip}:{one.laddr.port}"
                for one in psutil.Process(rank.pid).net_connections(kind="inet")
                if one.status == psutil.CONN_LISTEN
            ]
            assert [at for at in listening if not at.startswith("127.")] == []
            assert transport != "tcp" or not listening
        launch.finish()


def test_what_a_killed_process_left_in_shared_memory_is_no_hindrance(tmp_path: Path) -> None:
    """A file of its own number, as libfabric's shm makes it, is there before the rank begins."""
    program = tmp_path / "rank-ofi"
    real = engine_folder() / "openmpi" / "rank-ofi"
    program.write_text(
        f'#!/bin/sh\n: > {SHARED_MEMORY}/$$:0:0\necho left >> {tmp_path}/left\nexec {real} "$@"\n'
    )
    program.chmod(0o755)
    with started(program, "openmpi", ("--option", "provider=shm")) as launch:
        ranks = [rank.pid for rank in launch.hello().ranks]
        answer = launch.run({"id": 1, "test": "ping_pong", "bytes": 8, "samples": 10}, 60)
        assert answer.status == "ok", answer
        launch.finish()
    assert (tmp_path / "left").read_text() == "left\nleft\n"
    assert not [rank for rank in ranks if list(SHARED_MEMORY.glob(f"{rank}:*"))]


def test_shared_memory_of_other_processes_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        mine = SHARED_MEMORY / f"{other.pid}:0:0"
        mine.touch()
        try:
            program = engine_folder() / "openmpi" / "rank-ofi"
            with started(program, "openmpi", ("--option", "provider=shm")) as launch:
                launch.hello()
                launch.finish()
            assert mine.exists()
        finally:
            mine.unlink()
            other.kill()
