"""The outputs of other benchmarks that weft reads. This is their only list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.sources.peers.fabtests import FABTESTS
from weft.sources.peers.gpcnet import GPCNET
from weft.sources.peers.imb import IMB
from weft.sources.peers.iperf3 import IPERF3
from weft.sources.peers.mpigraph import MPIGRAPH
from weft.sources.peers.nccl import NCCL, NCCOM
from weft.sources.peers.netgauge import NETGAUGE
from weft.sources.peers.netpipe import NETPIPE
from weft.sources.peers.omb import OMB
from weft.sources.peers.perftest import PERFTEST
from weft.sources.peers.qperf import QPERF
from weft.sources.peers.sockperf import SOCKPERF
from weft.sources.peers.text import NO_REASON, content_of, text_of
from weft.sources.peers.ucx import UCX

if TYPE_CHECKING:
    from pathlib import Path

    from weft.sources.peers.stated import Given, Peer, StatedOutput

PEERS: tuple[Peer, ...] = (
    OMB,
    IMB,
    PERFTEST,
    UCX,
    FABTESTS,
    NETGAUGE,
    MPIGRAPH,
    GPCNET,
    SOCKPERF,
    IPERF3,
    NCCL,
    NCCOM,
    QPERF,
    # Its np.out has no head: the last to be asked.
    NETPIPE,
)


def read_output(
    path: Path, given: Given, content: bytes | None = None, *, strict: bool = False
) -> tuple[Peer, StatedOutput]:
    """The program whose output a file is, by its content, and what it states.

    In a file with outputs of several programs it is the one with the most values. Raises WeftError
    for a file without one, and if `strict` for the first line that is not understood.
    """
    content = content_of(path) if content is None else content
    lines = text_of(path, content).lines
    found = [
        (peer, peer.read(text_of(path, content, strict=strict), given))
        for peer in PEERS
        if any(mark.search(line.text) for mark in peer.marks for line in lines)
    ]
    best = max(found, key=lambda one: one[1].values, default=None)
    if best and best[1].rows:
        return best
    if best:
        raise without_values(path, best[0].name, best[1])
    names = ", ".join(peer.name for peer in PEERS)
    raise WeftError(
        f"{path}:1: nothing in this file is of a program that weft knows",
        f"import the output of {names}",
    )


def without_values(path: Path, tool: str, output: StatedOutput) -> WeftError:
    """The error for an output without one value: why its first row, or a line, has none."""
    what = f"{path}:1: no line of this output of {tool} has a value"
    if output.rows:
        return WeftError(f"{what}: {output.rows[0].reason}", "run it again")
    refused = [line.refused for line in output.ignored if line.refused]
    if reasons := [one for one in refused if NO_REASON not in one.what]:
        return reasons[0]
    return WeftError(f"{what}{output.failed and f': {output.failed}'}", "import the whole output")
