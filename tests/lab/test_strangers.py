"""What others can see of a run across hosts, and what a stranger on its network can do: nothing."""

from __future__ import annotations

import base64
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
    "ping_pong", "--transport", "tcp", "--wait", "block", "--sizes", "8,64,512", "--launches", "4",
    "--samples", "2000", "--precision", "100%", "--budget", "60s", "--no-report", "-o", "r.jsonl",
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


# Writes what begins each new TCP connection that comes to a host: of ranks the run's secret.
SNIFF = """
import socket, sys
seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
seen.bind(("eth0", 0))
print("ready", flush=True)
while True:
    packet = seen.recv(1 << 16)[14:]
    tcp = packet[(packet[0] & 15) * 4 : int.from_bytes(packet[2:4], "big")]
    payload = tcp[(tcp[12] >> 4) * 4 :] if packet[9] == 6 else b""
    if len(payload) == 20:
        print(payload.hex(), flush=True)
"""
# How long the secret is; behind it stands a rank.
SECRET_BYTES = 16
# So often a host is looked at for its ranks: a launch ends, and another begins.
LOOKS = 50
# Every command line and environment of a host, as its own processes show them, and who may read
# the environments.
LOOK = """
import pathlib, sys
for process in pathlib.Path("/proc").glob("[0-9]*"):
    for name in ("cmdline", "environ"):
        try:
            print(name, (process / name).read_bytes().hex())
            if name == "environ":
                print("mode", oct((process / name).stat().st_mode & 0o777))
        except OSError:
            pass
"""


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
    _, errors = running.communicate(timeout=600)
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
        shown = _seen(cluster, host, "rank-tcp", "ps", "-eo", "args")
        assert "rank-tcp" in shown or host == "head"
        assert MARK not in shown
    look = "cat /proc/$(pgrep -o rank-tcp)/environ"
    assert MARK in _seen(cluster, "n2", MARK, "bash", "-c", look)
    assert "secret" not in (folder / "r.jsonl").read_text()


def _secret_of(line: str) -> bytes:
    """What stands before rank 1 in the first words of its connection to rank 0; else nothing."""
    said = bytes.fromhex(line)
    is_rank = said[SECRET_BYTES:] == (1).to_bytes(4, "little")
    return said[:SECRET_BYTES] if is_rank else b""


def _processes_of(cluster: Cluster, host: str) -> str:
    """What LOOK sees there while ranks are up."""
    return _seen(cluster, host, b"rank-tcp".hex(), sys.executable, "-c", LOOK)


def _seen(cluster: Cluster, host: str, expected: str, *command: str) -> str:
    """What a command says there while ranks are up: between two launches there are none."""
    for _ in range(LOOKS):
        shown = cluster.run(*command, host=host).stdout
        if host == "head" or expected in shown:
            break
    return shown


def test_the_secret_crosses_the_network_and_stands_nowhere_else(
    cluster: Cluster, folder: Path
) -> None:
    """In no command line, in no environment, and in no record: it is looked for by its value."""
    sniff = cluster.start(
        sys.executable, "-c", SNIFF, host="n1", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert sniff.stdout is not None
    assert sniff.stdout.readline() == "ready\n"
    words = ["weft", "run", *RUN, "--hosts", "n1,n2"]
    with cluster.start(*words, folder=folder, stdout=subprocess.DEVNULL) as run:
        secret = next(found for line in sniff.stdout if (found := _secret_of(line)))
        looks = {host: _processes_of(cluster, host) for host in ("head", "n1", "n2")}
        assert run.wait(timeout=600) == 0
    sniff.kill()
    sniff.communicate()
    ways = (secret.hex(), secret.hex().encode().hex(), base64.b64encode(secret).hex())
    for host, shown in looks.items():
        assert b"rank-tcp".hex() in shown or host == "head"
        assert not [way for way in ways if way in shown.lower()]
        assert {line for line in shown.splitlines() if line.startswith("mode")} == {"mode 0o400"}
    record = (folder / "r.jsonl").read_bytes()
    assert b'"status":"ok"' in record
    for way in (secret, secret.hex().encode(), base64.b64encode(secret)):
        assert way not in record
