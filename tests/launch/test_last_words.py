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
