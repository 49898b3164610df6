"""weft's tests by the names that OMB, IMB, perftest and ucx_perftest have for their loops.

The only table of these names. docs/from-osu-to-weft.md explains what differs. Pure.
"""

from __future__ import annotations

import contextlib
import re
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.names import choose

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence


class Same(msgspec.Struct, frozen=True):
    """weft's tests with the loop of another suite's test, its transport, and options of `weft run`.

    Without a transport it is a word that several programs use, and any transport will do.
    """

    tests: tuple[str, ...]
    transport: str = ""
    options: dict[str, str] = {}

    def without(self, names: Container[str]) -> Same:
        """The same without these options, of which "transport" is one."""
        kept = {name: value for name, value in self.options.items() if name not in names}
        return Same(self.tests, "" if "transport" in names else self.transport, kept)

    @property
    def words(self) -> str:
        """As on a command line: "window_stream --transport mpi --buffers shared"."""
        options = {"transport": self.transport, **self.options} if self.transport else self.options
        each = [
            f"--{name.replace('_', '-')}{value and ' '}{value}" for name, value in options.items()
        ]
        return " ".join([*self.tests, *each])


# As osu_bw calls MPI: one buffer on each side, whatever the window.
_WINDOWS = {"buffers": "shared"}
_IMB_WINDOWS = {"buffers": "shared", "queue_depth": "256"}
_SINGLE = {"single": ""}
_DEEP = {"queue_depth": "128"}
_PUTS, _GETS = ("put_latency", "put_stream"), ("get_latency", "get_stream")
_STREAM, _BOTH = ("window_stream",), ("bidirectional_window_stream",)

SAME: Mapping[str, Same] = MappingProxyType(
    {
        # Words of many programs.
        "latency": Same(("ping_pong",)),
        "bw": Same(("stream",)),
        "bandwidth": Same(("stream",)),
        "bibw": Same(("bidirectional_stream",)),
        "bidir_bandwidth": Same(("bidirectional_stream",)),
        "bidirectional_bandwidth": Same(("bidirectional_stream",)),
        "bcast": Same(("broadcast",)),
        "incast": Same(("hot_spot_receive",)),
        # OMB.
        "osu_latency": Same(("ping_pong",), "mpi"),
        "osu_latency_persistent": Same(("ping_pong",), "mpi:persistent"),
        "osu_bw": Same(_STREAM, "mpi", _WINDOWS),
        "osu_bibw": Same(_BOTH, "mpi", _WINDOWS),
        "osu_bw_persistent": Same(_STREAM, "mpi:persistent", _WINDOWS),
        "osu_bibw_persistent": Same(_BOTH, "mpi:persistent", _WINDOWS),
        "osu_put_latency": Same(("put_latency",), "mpi"),
        "osu_get_latency": Same(("get_latency",), "mpi"),
        "osu_put_bw": Same(("put_stream",), "mpi"),
        "osu_get_bw": Same(("get_stream",), "mpi"),
        "osu_allreduce": Same(("allreduce",), "mpi"),
        "osu_bcast": Same(("broadcast",), "mpi"),
        "osu_alltoall": Same(("alltoall",), "mpi"),
        "osu_allgather": Same(("allgather",), "mpi"),
        "osu_barrier": Same(("barrier",), "mpi"),
        # IMB.
        "PingPong": Same(("ping_pong",), "mpi"),
        "PingPongSpecificSource": Same(("ping_pong",), "mpi"),
        "PingPing": Same(("ping_ping",), "mpi"),
        "PingPingSpecificSource": Same(("ping_ping",), "mpi"),
        "Sendrecv": Same(("sendrecv",), "mpi"),
        "Uniband": Same(_STREAM, "mpi", _IMB_WINDOWS),
        "Biband": Same(_BOTH, "mpi", _IMB_WINDOWS),
        "Allreduce": Same(("allreduce",), "mpi"),
        "Bcast": Same(("broadcast",), "mpi"),
        "Alltoall": Same(("alltoall",), "mpi"),
        "Allgather": Same(("allgather",), "mpi"),
        "Barrier": Same(("barrier",), "mpi"),
        "Unidir_put": Same(_PUTS, "mpi"),
        "Unidir_get": Same(_GETS, "mpi"),
        # perftest: a sample is one operation, and queues have 128 entries.
        "ib_send_lat": Same(("ping_pong",), "verbs", _SINGLE),
        "ib_write_lat": Same(("put_ping_pong",), "verbs", _SINGLE),
        "ib_read_lat": Same(("get_latency",), "verbs", _SINGLE),
        "ib_send_bw": Same(("stream",), "verbs", _DEEP),
        "ib_write_bw": Same(("put_stream",), "verbs", _DEEP),
        "ib_read_bw": Same(("get_stream",), "verbs", _DEEP),
        # ucx_perftest.
        "tag_lat": Same(("ping_pong",), "ucx"),
        "tag_bw": Same(("stream",), "ucx"),
        "ucp_put_lat": Same(("put_ping_pong",), "ucx"),
        "ucp_put_bw": Same(("put_stream",), "ucx"),
        "ucp_get": Same(("get_latency",), "ucx"),
    }
)
# Patterns of names without such a test, the first that fits: what weft does not have. `{}` is the
# name of the collective.
ABSENT: Mapping[str, str] = MappingProxyType(
    {
        "osu_mbw_mr": "message rate by windows (nearest: message_rate)",
        "osu_multi_lat": "ping-pong of several pairs at once",
        "osu_bw_fan_in": "stream from several ranks of a node (nearest: hot_spot_receive)",
        "osu_bw_fan_out": "stream to several ranks of a node (nearest: hot_spot_send)",
        "osu_latency_m[tp]": "test with several threads or processes of a side",
        "osu_partitioned_latency": "partitioned message",
        "osu_put_bibw": "stream of puts in both directions",
        "osu_*acc_latency": "accumulate",
        "osu_fop_latency": "atomic operation",
        "osu_cas_latency": "atomic operation",
        "osu_hello": "test of starting (nearest: ping_pong)",
        "osu_init": "test of MPI_Init (nearest: ping_pong)",
        "osu_xccl_*": "test of memory on a GPU",
        "osu_oshm_*": "OpenSHMEM test",
        "osu_upc*": "UPC test",
        "osu_*_persistent": "persistent {}",
        "osu_ineighbor_*": "non-blocking neighbourhood {}",
        "osu_neighbor_*": "neighbourhood {}",
        "osu_i*": "non-blocking {}",
        "osu_*": "{}",
        "*MT": "test with several threads of a rank",
        "*AnySource": "receive from any source",
        "*_persist": "persistent {}",
        "*_persist_pure": "persistent {}",
        "I[abgrs]*": "non-blocking {}",
        "Exchange": "exchange in a chain (nearest: halo)",
        "[SPC]_*": "test of files",
        "Open_Close": "test of files",
        "Window": "test of creating windows",
        "Unidir_Put": "put that ends with a fence (nearest: put_latency put_stream)",
        "Unidir_Get": "get that ends with a fence (nearest: get_latency get_stream)",
        "*idir_[pPgG][ue]t": "puts and gets in both directions",
        "*_*_all": "puts and gets between all ranks",
        "*_all_local": "puts and gets between all ranks",
        "Exchange_[pg][ue]t": "puts and gets with both neighbours",
        "*et_local": "put or get that completes locally",
        "Put_local": "put or get that completes locally",
        "Truly_passive_put": "put to a rank that computes",
        "*ccumulate": "accumulate",
        "Fetch_and_op": "atomic operation",
        "Compare_and_swap": "atomic operation",
        "*random": "pairs that IMB draws (nearest: random_pairs)",
        "Stencil?D": "stencil of IMB (nearest: halo)",
        "SendRecv_Replace": "exchange in one buffer (nearest: sendrecv)",
        "Reduce": "reduce",
        "Reduce_local": "local reduce",
        "Reduce_scatter": "reduce_scatter",
        "Reduce_scatter_block": "reduce_scatter_block",
        "Gather": "gather",
        "Gatherv": "gatherv",
        "Scatter": "scatter",
        "Scatterv": "scatterv",
        "Allgatherv": "allgatherv",
        "Alltoallv": "alltoallv",
        "ib_atomic_*": "atomic operation",
        "raw_ethernet_*": "test of raw Ethernet frames",
        "tag_sync_*": "synchronous message",
        "ucp_am_*": "active message",
        "stream_lat": "byte stream of UCP",
        "stream_bw": "byte stream of UCP",
        "ucp_*": "atomic operation",
        "am_*": "test of UCT (nearest: ping_pong stream --transport verbs)",
        "put_lat": "test of UCT (nearest: put_ping_pong --transport verbs)",
        "put_bw": "test of UCT (nearest: put_stream --transport verbs)",
        "get": "test of UCT (nearest: get_stream --transport verbs)",
        "add_*": "atomic operation",
        "fadd": "atomic operation",
        "swap": "atomic operation",
        "cswap": "atomic operation",
    }
)
_OMB = "osu_"
# What names of other suites have around the name of a collective.
_AROUND = re.compile(
    r"^(?:osu_(?:ineighbor_|neighbor_|i)?|I(?=[a-z]))|(?:_persist(?:ent)?)?(?:_pure)?$"
)
# Tests that have one name in several suites.
_OWN = frozenset(test for same in SAME.values() for test in same.tests)


def same_as(name: str) -> Same | None:
    """weft's tests for a name of another suite; None for weft's own and for unknown names.

    IMB's spelling is IMB's test: Sendrecv runs over MPI, sendrecv is weft's. Names of OMB need no
    "osu_". Raises WeftError for a test that weft does not have.
    """
    plain = name.strip().replace("-", "_")
    if plain in SAME or plain.lower() in _OWN:
        return SAME.get(plain)
    if whats := [what for like, what in ABSENT.items() if fnmatchcase(plain, like)]:
        raise _lacking(name, whats[0])
    same = {one.lower(): found for one, found in SAME.items()}
    absent = {one.lower(): what for one, what in ABSENT.items()}
    for asked in (plain.lower(), f"{_OMB}{plain.lower()}"):
        if asked in same:
            return same[asked]
        if asked in absent:
            raise _lacking(name, absent[asked])
    return None


def _lacking(name: str, what: str) -> WeftError:
    of, _, nearest = what.format(_AROUND.sub("", name).lower()).partition(" (nearest: ")
    instead = f"; the nearest is weft run {nearest.rstrip(')')}" if nearest else ""
    return WeftError(
        f"weft has no {of} yet", f"run {name} itself and use weft import for its output{instead}"
    )


def choose_tests(asked: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """weft's tests by their own names, or by those of other suites. Raises WeftError."""
    names: list[str] = []
    for name in asked:
        same = None
        with contextlib.suppress(WeftError):  # imported tests have names of their own
            same = None if name in known else same_as(name)
        names += same.tests if same else (name,)
    return choose("test", names, known)


def translated(names: Iterable[str], set_already: Container[str]) -> dict[str, Same]:
    """Each name with weft's tests for it, without the options that the user set already.

    Raises WeftError for tests that weft does not have, and for those of several transports.
    """
    found = {name: (same_as(name) or Same((name,))).without(set_already) for name in names}
    over = {same.transport: name for name, same in found.items() if same.transport}
    if len(over) > 1:
        each = ", ".join(f"{name} of {transport}" for transport, name in over.items())
        raise WeftError(
            f"tests of several transports in one run: {each}",
            "use one run for each, or --transport",
        )
    return found
