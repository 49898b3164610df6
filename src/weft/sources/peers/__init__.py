"""The outputs of other benchmarks that weft reads. This is their only list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.sources.peers.fabtests import FABTESTS
from weft.sources.peers.gpcnet import GPCNET
from weft.sources.peers.imb import IMB
from weft.sources.peers.iperf3 import IPERF3
from weft.sources.peers.mpigraph import MPIGRAPH
from weft.sources.peers.nccl import NCCL
from weft.sources.peers.netgauge import NETGAUGE
from weft.sources.peers.netpipe import NETPIPE
from weft.sources.peers.omb import OMB
from weft.sources.peers.perftest import PERFTEST
from weft.sources.peers.sockperf import SOCKPERF
from weft.sources.peers.text import content_of, text_of
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
    # Its np.out has no head: the last to be asked.
    NETPIPE,
)


def read_output(
    path: Path, given: Given, content: bytes | None = None
) -> tuple[Peer, StatedOutput]:
    """The program whose output a file is, by its content, and what it states.

    Raises WeftError for a file that is none's, or by line for what is not understood.
    """
    text = text_of(path, content_of(path) if content is None else content)
    for peer in PEERS:
        if any(peer.mark.search(line.text) for line in text.lines):
            return peer, peer.read(text, given)
    names = ", ".join(peer.name for peer in PEERS)
    raise WeftError(
        f"{path}:1: nothing in this file is of a program that weft knows",
        f"import the whole output of {names}",
    )
