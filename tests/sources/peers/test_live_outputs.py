"""What other benchmarks print on this machine today is read, and means what they say.

Each runs with its server in a network of its own, where nobody else can reach it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from weft.sources.imported import import_outputs
from weft.sources.peers.stated import Given
from weft.studies.shown import results_shown

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engine
TIMEOUT_S = 60
# The client is started until its server listens; both end with the shell. iperf3 -J says in its
# JSON alone that nobody listened.
SCRIPT = """
ip link set lo up
trap 'kill $(jobs -p) 2>/dev/null' EXIT
{server} >server.txt 2>&1 &
until {client} >client.txt 2>&1 && ! grep -q '"error":' client.txt; do kill -0 $! || exit 9; done
"""


class Peer(NamedTuple):
    """A program: its two sides, where it says its figure, what one of it is in ns or bytes/s."""

    server: str
    client: str
    figure: str
    unit: float
    case: str
    given: Given = Given()
    file: str = "client.txt"


OFI = "fi_pingpong -e rdm -p tcp\\;ofi_rxm"
UCX = "env UCX_TLS=tcp ucx_perftest"
PEERS = {
    "sockperf latency": Peer(
        "sockperf server -i 127.0.0.1 --tcp",
        "sockperf ping-pong -i 127.0.0.1 --tcp -m 64 -t 1",
        r"avg-latency=([\d.]+)", 1e3, "tcp/ping_pong/64", Given(bytes=64),
    ),
    "iperf3": Peer(
        "iperf3 -s",
        "iperf3 -c 127.0.0.1 -l 131072 -t 1 -f m",
        r"([\d.]+) Mbits/sec\s+receiver", 1e6 / 8, "tcp/stream/131072", Given(bytes=131072),
    ),
    "iperf3 JSON": Peer(
        "iperf3 -s",
        "iperf3 -c 127.0.0.1 -l 131072 -t 1 -J",
        r'"sum_received":[^}]*"bits_per_second":\s*([\d.e+]+)', 1 / 8, "tcp/stream/131072",
    ),
    "NetPIPE": Peer(
        "NPtcp",
        "NPtcp -h 127.0.0.1 -u 64 -o np.out",
        r"^ *64 +\S+ +([\d.e-]+)$", 1e9, "tcp/ping_pong/64", file="np.out",
    ),
    "fi_pingpong": Peer(
        f"{OFI} -I 10 -S 64",
        f"{OFI} -I 10 -S 64 127.0.0.1",
        r"^64 .*?([\d.]+) +[\d.]+$", 1e3, "ofi/ping_pong/64",
    ),
    "ucx_perftest": Peer(
        UCX,
        f"{UCX} 127.0.0.1 -t tag_lat -s 64 -n 200 -w 10",
        r"Final:\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)", 1e3, "ucx/ping_pong/64", Given(bytes=64),
    ),
}  # fmt: skip

# The kernel gives no user namespace in a changed root, where root needs none.
ALONE = ("unshare", "--net", *(("--map-root-user",) if os.geteuid() else ()))


@pytest.mark.parametrize("name", PEERS)
def test_what_is_printed_today_is_read(name: str, tmp_path: Path) -> None:
    peer = PEERS[name]
    program = re.sub(r"^env \S+ ", "", peer.server).split()[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; run scripts/install-system-packages test")
    script = SCRIPT.format(server=peer.server, client=peer.client)
    done = subprocess.run(
        [*ALONE, "bash", "-c", script],
        cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    printed = tmp_path / peer.file
    assert done.returncode == 0, (done, (tmp_path / "server.txt").read_text())
    found = re.search(peer.figure, printed.read_text(), re.MULTILINE)
    assert found, printed.read_text()
    record = import_outputs([printed], peer.given, tmp_path / "record.jsonl")
    [own] = [one for one in results_shown(record).summaries if one.case == peer.case]
    figure = own.bandwidth_bytes_per_s if "stream" in peer.case else own.latency_ns
    assert figure is not None
    assert figure.value == pytest.approx(float(found[1]) * peer.unit, rel=0.01)
    assert not figure.is_bounded
