"""Why the ranks of a launch ended, from what MPICH's starter and the engine left behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from weft.launch.piped import PipedLaunch
from weft.launch.protocol import LaunchError

# A starter that lost a rank: it takes no case, and says so on both of its outputs.
STARTER = """
import os, sys
os.close(0)
print()
print("=" * 80)
print("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES")
print("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", flush=True)
print(sys.argv[2], file=sys.stderr, flush=True)
open(sys.argv[1], "w").close()
"""
BROKEN = "[mpiexec@n1] HYDU_sock_write (utils/sock/sock.c:256): write error (Broken pipe)"
OWN = "rank-tcp: the link failed in recv (code 104): a peer ended"


@pytest.mark.parametrize(
    ("said", "reason"), [(BROKEN, "a rank ended: Killed (signal 9)"), (OWN, OWN)]
)
def test_a_lost_rank_counts_more_than_what_its_starter_failed_in(
    said: str, reason: str, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    command = [sys.executable, "-c", STARTER, str(closed), said]
    with PipedLaunch(command, dict(os.environ)) as launch:
        latest = time.monotonic() + 60
        while not closed.exists():
            assert time.monotonic() < latest
        with pytest.raises(LaunchError) as ended:
            launch.run({"id": 1, "test": "ping_pong", "bytes": 8}, 30)
    assert reason in str(ended.value)
    assert "HYDU" not in str(ended.value)


def test_a_starter_that_fails_before_it_knows_how_a_rank_ended_says_that_one_did() -> None:
    told = "import sys; sys.stdin.readline(); print(sys.argv[1], file=sys.stderr)"
    command = [sys.executable, "-c", told, BROKEN]
    with PipedLaunch(command, dict(os.environ)) as launch, pytest.raises(LaunchError) as ended:
        launch.run({"id": 1, "test": "ping_pong", "bytes": 8}, 30)
    assert str(ended.value).startswith(f"a rank ended: {BROKEN}")


# As Open MPI 4.1.4 printed it of a host that was gone: its starter crashed itself.
GONE = """\
Connection to n4 closed by remote host.
ORTE was unable to reliably start one or more daemons.
This is usually an internal programming error that should be
[head:00129] *** Process received signal ***
[head:00129] Signal: Segmentation fault (11)
[head:00129] [ 1] /lib/x86_64-linux-gnu/libpmix.so.2(PMIx_Finalize+0x703)[0x7f4ef3450e83]
"""


@pytest.mark.parametrize(
    ("said", "reason"), [(GONE, GONE.splitlines()[0]), (f"{GONE}{OWN}\n", OWN)]
)
def test_a_host_that_is_gone_counts_more_than_what_its_starter_crashed_in(
    said: str, reason: str
) -> None:
    told = "import sys; sys.stdin.readline(); print(sys.argv[1], file=sys.stderr)"
    command = [sys.executable, "-c", told, said]
    with PipedLaunch(command, dict(os.environ)) as launch, pytest.raises(LaunchError) as ended:
        launch.run({"id": 1, "test": "ping_pong", "bytes": 8}, 30)
    assert str(ended.value) == reason


# As Open MPI 4.1.4 printed it of a rank that wrote to nothing, beside another one that did.
CRASHES = """\
[n2:01474] *** Process received signal ***
[n3:00007] *** Process received signal ***
[n2:01474] Signal: Segmentation fault (11)
[n2:01474] Signal code: Address not mapped (1)
[n3:00007] Signal: Bus error (7)
[n2:01474] Failing at address: (nil)
[n2:01474] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f2eda5ff050]
[n3:00007] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f2eda5ff051]
[n3:00007] [ 1] /usr/lib/libother.so(+0x7)[0x564ebd6e51b7]
[n2:01474] [ 1] /usr/bin/rank-tcp(+0x11b5)[0x564ebd6e51b5]
[n2:01474] [ 2] /lib/x86_64-linux-gnu/libc.so.6(+0x2724a)[0x7f2eda5ea24a]
[n2:01474] *** End of error message ***
mpirun noticed that process rank 1 with PID 0 on node n2 exited on signal 11.
"""


def test_a_crash_is_told_with_its_signal_and_where_it_was() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(sys.argv[1])", CRASHES]
    with PipedLaunch(command, dict(os.environ)) as launch, pytest.raises(LaunchError) as ended:
        launch.hello(30)
    assert str(ended.value) == (
        "a rank on n2 crashed: Segmentation fault (11), in /usr/bin/rank-tcp(+0x11b5), "
        "in /lib/x86_64-linux-gnu/libc.so.6(+0x2724a)"
    )


# As MPICH 4.0.2 printed it where the peer was killed before its memory was attached.
SHARED = "[1795828889.330141] [vm:8274 :0]  mm_sysv.c:57  UCX  ERROR shmat(shmid=98349) failed"
CALLED = "Abort(1) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1)"
ABORT = (
    "Abort(1009935631) on node 3 (rank 3 in comm 0): Fatal error in internal_Test: Other MPI error"
)


@pytest.mark.parametrize(
    ("said", "reason"),
    [(f"{SHARED}\n{ABORT}", f"rank 3 aborted: {SHARED}"), (ABORT, f"rank 3 aborted: {ABORT}"),
     (f"{SHARED}\n{ABORT}\n{OWN}", OWN), (SHARED, SHARED), (CALLED, f"rank 1 aborted: {CALLED}")],
)  # fmt: skip
def test_a_rank_that_its_library_ended_is_told_with_the_first_error(said: str, reason: str) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(sys.argv[1])", said]
    with PipedLaunch(command, dict(os.environ)) as launch, pytest.raises(LaunchError) as ended:
        launch.hello(30)
    assert str(ended.value) == reason


def test_a_second_interrupt_leaves_no_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while the ranks are given time to end, which they do not use."""
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    usual = subprocess.Popen.wait

    def again(*_: object) -> int:
        monkeypatch.setattr(subprocess.Popen, "wait", usual)
        raise KeyboardInterrupt

    launch = PipedLaunch([sys.executable, "-c", stubborn], dict(os.environ))
    before = set(psutil.Process().children())
    launch.__enter__()
    [child] = set(psutil.Process().children()) - before
    monkeypatch.setattr(subprocess.Popen, "wait", again)
    with pytest.raises(KeyboardInterrupt):
        launch.__exit__(None, None, None)
    assert not child.is_running()
