"""Suites: what `weft run --suite NAME` measures, as data. Pure.

`quick` is what a run without a flag measures. `paper` is the table of contents of section 4 of Liu
et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster Interconnects" (2003): a
part a figure. `full` is `paper` and every other test there is.
"""

from __future__ import annotations

import difflib

import msgspec

from weft.errors import WeftError
from weft.plan import cases as plan

# The paper's text does not say where its axes end: short messages for times, to 1 MiB for rates.
SHORT = "4..16KiB"
LONG = "4..1MiB"
# "Very large queue size", figure 3.
LARGE_QUEUE = "256"
QUEUES = "1..256"
QUEUE_SIZES = "4,64,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB"
# The sizes of figures 11 to 13.
REUSE_LATENCY = "4KiB"
REUSE_BANDWIDTH = "512KiB"
HOT_SIZES = "8,64KiB"
# Ranks of tests with many, where their number is not given: the paper's cluster had eight nodes.
MOST_USUAL_RANKS = 8
LEAST_MANY = 3


class SuitePart(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that are measured in the same ways, all lists as the command line takes them.

    `is_of_many`: on as many ranks as are asked for or have a core each; else on two.
    """

    title: str
    tests: tuple[str, ...]
    sizes: str = plan.SIZES
    queue_depth: str = plan.QUEUE_DEPTH
    buffers: str = plan.BUFFERS
    wait: str = ""
    is_of_many: bool = False

    def on(self, ranks: int) -> plan.Part:
        """The part as a plan takes it."""
        ways = plan.parse_ways(self.queue_depth, self.buffers, self.wait, single=False)
        return plan.Part(tests=self.tests, sizes=self.sizes, ranks=ranks, ways=ways)


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of parts, and the time it takes where none is given."""

    name: str
    summary: str
    budget: str
    parts: tuple[SuitePart, ...]


_QUICK = SuitePart(title="latency and bandwidth, one way and both", tests=plan.TESTS)
_PAPER = (
    SuitePart(
        title="figure 2: latency",
        tests=("ping_pong", "put_ping_pong", "put_latency"),
        sizes=SHORT,
    ),
    SuitePart(
        title="figure 3: bandwidth",
        tests=("stream",),
        sizes=LONG,
        queue_depth=LARGE_QUEUE,
    ),
    SuitePart(
        title="figure 4: bandwidth by queue size",
        tests=("stream",),
        sizes=QUEUE_SIZES,
        queue_depth=QUEUES,
    ),
    SuitePart(title="figure 5: bidirectional latency", tests=("ping_ping",), sizes=SHORT),
    SuitePart(
        title="figure 6: bidirectional bandwidth",
        tests=("bidirectional_stream",),
        sizes=LONG,
        queue_depth=LARGE_QUEUE,
    ),
    SuitePart(title="figure 7: host overhead", tests=("host_overhead",), sizes=SHORT),
    SuitePart(title="figure 8: bandwidth beside work", tests=("busy_stream",), sizes="64KiB"),
    SuitePart(
        title="figure 9: notification instead of polled memory",
        tests=("put_notify_ping_pong",),
        sizes=SHORT,
    ),
    SuitePart(
        title="figure 10: blocking instead of polling",
        tests=("ping_pong", "put_notify_ping_pong"),
        sizes=SHORT,
        wait="block",
    ),
    SuitePart(
        title="figure 11: bandwidth over buffers in turn",
        tests=("stream",),
        sizes=REUSE_BANDWIDTH,
        buffers="turn:1..1024",
    ),
    SuitePart(
        title="figure 12: latency by buffer reuse",
        tests=("ping_pong",),
        sizes=REUSE_LATENCY,
        buffers="reuse:256:0..100:25%",
    ),
    SuitePart(
        title="figure 13: bandwidth by buffer reuse",
        tests=("stream",),
        sizes=REUSE_BANDWIDTH,
        buffers="reuse:256:0..100:25%",
    ),
    SuitePart(
        title="figures 14 and 15: hot spots, and random pairs to compare with",
        tests=("hot_spot_send", "hot_spot_receive", "random_pairs"),
        sizes=HOT_SIZES,
        is_of_many=True,
    ),
)
_MORE = (
    SuitePart(
        title="further streams and chains",
        tests=("sendrecv", "put_stream", "get_stream", "get_latency"),
        sizes=LONG,
    ),
    SuitePart(
        title="LogGP by the delay method",
        tests=("burst", "paused_burst", "late_receive"),
        sizes="8,1KiB,16KiB",
    ),
    SuitePart(
        title="overlap with work",
        tests=("send_overlap", "receive_overlap", "put_overlap", "get_overlap"),
        sizes="8,64KiB",
    ),
    SuitePart(title="latency under load", tests=("offered_load",), sizes="8"),
    SuitePart(
        title="registration as it goes",
        tests=("register_ping_pong", "register_stream", "registration"),
        sizes="4KiB,64KiB,1MiB",
    ),
    SuitePart(title="the memory's own copy rate", tests=("copy",), sizes="4KiB,1MiB,16MiB"),
    SuitePart(title="message rate", tests=("message_rate",), sizes="8", is_of_many=True),
)

SUITES = (
    Suite(
        name="quick",
        summary="latency and bandwidth, one way and both: what a run without a flag measures",
        budget=plan.BUDGET,
        parts=(_QUICK,),
    ),
    Suite(
        name="paper",
        summary="section 4 of Liu et al. (2003), whose report has its figures 2 to 15",
        budget="20min",
        parts=_PAPER,
    ),
    Suite(
        name="full",
        summary="the paper's figures and every other test there is",
        budget="40min",
        parts=(*_PAPER, *_MORE),
    ),
)


def follows_osu(name: str) -> bool:
    """Whether a suite has the figures of Liu et al. (2003)."""
    return any(suite.name == name and _PAPER[0] in suite.parts for suite in SUITES)


def suite_called(name: str) -> Suite:
    """The suite of a name. Raises WeftError where there is none."""
    names = [suite.name for suite in SUITES]
    plain = name.strip().lower()
    if plain not in names:
        near = difflib.get_close_matches(plain, names, n=1)
        mend = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise WeftError(f"there is no suite called {name}", mend)
    return SUITES[names.index(plain)]


def placed(suite: Suite, ranks: int, cores: int) -> tuple[tuple[plan.Part, ...], tuple[str, ...]]:
    """The suite's parts on so many ranks, and a line for each part that is left out.

    Ranks 0: tests of many take a rank a core, at most 8, and are left out where that is under 3:
    ranks that share a core measure the scheduler.
    """
    many = ranks or min(cores, MOST_USUAL_RANKS)
    is_enough = ranks > 0 or many >= LEAST_MANY
    kept = [part for part in suite.parts if is_enough or not part.is_of_many]
    out = [part for part in suite.parts if part not in kept]
    lines = [
        f"left out: {part.title}: {cores} core{'s' if cores > 1 else ''} for ranks that want one"
        " each; --ranks 4 measures them all the same"
        for part in out
    ]
    parts = tuple(part.on(many if part.is_of_many else plan.RANKS) for part in kept)
    return parts, tuple(lines)
