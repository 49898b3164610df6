"""What others can see of a run across hosts, and what a stranger on its network can do: nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from lab.runs import hosts_of, record_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine

MARK = "only-for-the-ranks"
# Of a rank's environment and of the starters' files nobody else may read the values.
RUN = (
    "ping_pong", "--transport", "tcp", "--sizes", "8,64,512", "--launches", "4", "--samples",
    "2000", "--precision", "100%", "--budget", "60s", "--no-report", "-o", "r.jsonl",
)  # fmt: skip
# Connects to every port that listens there, says something wrong, and stays.
KNOCK = """
import socket, sys, time
held = []
for port in map(int, sys.argv[2:]):
    try:
        link = socket.create_connection((sys.argv[1], port), timeout=2)
        link.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n" * 40)
        held.append(link)
    except OSError:
        pass
print(len(held), flush=True)
time.sleep(600)
"""


@pytest.fixture(params=["openmpi", "mpich"])
def running(
    cluster: Cluster, folder: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[subprocess.Popen[str]]:
    """A run between n1 and n2 whose ranks are up."""
    monkeypatch.setenv("FI_WEFT_MARK", MARK)
    words = ["weft", "run", *RUN, "--mpi", request.param, "--hosts", "n1,n2"]
    with cluster.start(
        *words, folder=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as run:
        record = folder / "r.jsonl"
        end = time.monotonic() + 60
        while not (record.exists() and '"kind":"launch"' in record.read_text()):
            assert run.poll() is None, run.stderr.read() if run.stderr else ""
            assert time.monotonic() < end
            threading.Event().wait(0.05)
        yield run
        run.terminate()


def _listening(cluster: Cluster, host: str) -> dict[str, str]:
    """The ports that listen beyond the loopback, and the address of each."""
    lines = cluster.run("ss", "-Hltn", host=host).stdout.splitlines()
    found = [line.split()[3].rsplit(":", 1) for line in lines]
    return {port: address for address, port in found if not address.startswith("127.")}


def test_a_stranger_at_every_port_costs_nothing(
    cluster: Cluster, folder: Path, running: subprocess.Popen[str]
) -> None:
    knocks = []
    for number, host in enumerate(("n1", "n2"), 1):
        ports = list(_listening(cluster, host))
        words = [sys.executable, "-c", KNOCK, f"10.77.0.{number}", *ports]
        knock = cluster.start(*words, host="stranger", stdout=subprocess.PIPE)
        assert knock.stdout is not None
        assert int(knock.stdout.readline()) > 0
        knocks.append(knock)
    _, errors = running.communicate(timeout=120)
    for knock in knocks:
        knock.kill()
        knock.communicate()
    assert running.returncode == 0, errors
    run = record_in(folder)
    assert {batch.status for batch in run.lines.batches} == {"ok"}
    assert {end.status for end in run.lines.ends} == {"ok"}
    assert len(run.lines.launches) == 4
    assert set(hosts_of(run)) == {("n1", "n2")}


def test_values_of_the_environment_are_the_ranks_alone(
    cluster: Cluster, folder: Path, running: subprocess.Popen[str]
) -> None:
    assert running.poll() is None
    for host in ("head", "n1", "n2"):
        shown = cluster.run("ps", "-eo", "args", host=host).stdout
        assert "rank-tcp" in shown or host == "head"
        assert MARK not in shown
    passed = cluster.run(
        "bash", "-c", f"grep -lz {MARK} /proc/$(pgrep -o rank-tcp)/environ", host="n2"
    )
    assert passed.returncode == 0, passed
    assert "secret" not in (folder / "r.jsonl").read_text()
