"""Suites: what `weft run --suite NAME` measures, as data. Pure.

`quick` is what a run without a flag measures. `paper` is the table of contents of section 4 of Liu
et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster Interconnects" (2003):
an experiment a figure. `full` is `paper` and every other test there is.
"""

from __future__ import annotations

import difflib

import msgspec

from weft.errors import WeftError
from weft.plan import cases as plan
from weft.wording import counted

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


class SuiteExperiment(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that are measured in the same variants, all lists as the command line takes them.

    `is_of_many`: on the requested number of ranks or one per core; else on two.
    """

    title: str
    tests: tuple[str, ...]
    sizes: str = ""
    queue_depth: str = plan.QUEUE_DEPTH
    buffers: str = plan.BUFFERS
    wait: str = ""
    is_of_many: bool = False

    def on(self, ranks: int) -> plan.Experiment:
        """The experiment as a plan takes it."""
        variants = plan.parse_variants(self.queue_depth, self.buffers, self.wait, single=False)
        return plan.Experiment(tests=self.tests, sizes=self.sizes, ranks=ranks, variants=variants)


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A named set of experiments, and the time it takes where none is given."""

    name: str
    summary: str
    budget: str
    experiments: tuple[SuiteExperiment, ...]


_QUICK = SuiteExperiment(title="latency and bandwidth, uni- and bidirectional", tests=plan.TESTS)
_PAPER = (
    SuiteExperiment(
        title="figure 2: latency",
        tests=("ping_pong", "put_ping_pong", "put_latency"),
        sizes=SHORT,
    ),
    SuiteExperiment(
        title="figure 3: bandwidth",
        tests=("stream",),
        sizes=LONG,
        queue_depth=LARGE_QUEUE,
    ),
    SuiteExperiment(
        title="figure 4: bandwidth by queue depth",
        tests=("stream",),
        sizes=QUEUE_SIZES,
        queue_depth=QUEUES,
    ),
    SuiteExperiment(title="figure 5: bidirectional latency", tests=("ping_ping",), sizes=SHORT),
    SuiteExperiment(
        title="figure 6: bidirectional bandwidth",
        tests=("bidirectional_stream",),
        sizes=LONG,
        queue_depth=LARGE_QUEUE,
    ),
    SuiteExperiment(title="figure 7: host overhead", tests=("host_overhead",), sizes=SHORT),
    SuiteExperiment(
        title="figure 8: bandwidth under computation", tests=("busy_stream",), sizes="64KiB"
    ),
    SuiteExperiment(
        title="figure 9: latency with completion notification",
        tests=("put_notify_ping_pong",),
        sizes=SHORT,
    ),
    SuiteExperiment(
        title="figure 10: latency with blocking completion",
        tests=("ping_pong", "put_notify_ping_pong"),
        sizes=SHORT,
        wait="block",
    ),
    SuiteExperiment(
        title="figure 11: bandwidth by number of buffers",
        tests=("stream",),
        sizes=REUSE_BANDWIDTH,
        buffers="turn:1..1024",
    ),
    SuiteExperiment(
        title="figure 12: latency by buffer reuse",
        tests=("ping_pong",),
        sizes=REUSE_LATENCY,
        buffers="reuse:256:0..100:25%",
    ),
    SuiteExperiment(
        title="figure 13: bandwidth by buffer reuse",
        tests=("stream",),
        sizes=REUSE_BANDWIDTH,
        buffers="reuse:256:0..100:25%",
    ),
    SuiteExperiment(
        title="figures 14 and 15: hot spots (incast), and random pairs for comparison",
        tests=("hot_spot_send", "hot_spot_receive", "random_pairs"),
        sizes=HOT_SIZES,
        is_of_many=True,
    ),
)
_MORE = (
    SuiteExperiment(
        title="one-sided streams and chains",
        tests=("sendrecv", "put_stream", "get_stream", "get_latency"),
        sizes=LONG,
    ),
    SuiteExperiment(
        title="bandwidth by windows, as osu_bw and osu_bibw",
        tests=("window_stream", "bidirectional_window_stream"),
        sizes=LONG,
    ),
    SuiteExperiment(
        title="LogGP by the delay method",
        tests=("burst", "paused_burst", "late_receive"),
        sizes="8,1KiB,16KiB",
    ),
    SuiteExperiment(
        title="overlap of communication and computation",
        tests=("send_overlap", "receive_overlap", "put_overlap", "get_overlap"),
        sizes="8,64KiB",
    ),
    SuiteExperiment(title="latency under offered load", tests=("offered_load",), sizes="8"),
    SuiteExperiment(
        title="registration of memory",
        tests=("register_ping_pong", "register_stream", "registration"),
        sizes="4KiB,64KiB,1MiB",
    ),
    SuiteExperiment(title="memory copy bandwidth", tests=("copy",), sizes="4KiB,1MiB,16MiB"),
    SuiteExperiment(title="message rate", tests=("message_rate",), sizes="8", is_of_many=True),
    SuiteExperiment(title="shifts", tests=("shift",), sizes="64KiB", is_of_many=True),
    SuiteExperiment(
        title="a round of pairs (weft map has them all)",
        tests=("pair_rounds",),
        sizes="8,64KiB",
        is_of_many=True,
    ),
    SuiteExperiment(
        title="collective operations",
        tests=("allreduce", "broadcast", "alltoall", "allgather", "barrier"),
        sizes="8,1KiB,64KiB",
        is_of_many=True,
    ),
    SuiteExperiment(title="halo exchange", tests=("halo",), is_of_many=True),
    SuiteExperiment(title="staggered solver", tests=("milc",), is_of_many=True),
)

SUITES = (
    Suite(
        name="quick",
        summary="latency and bandwidth, uni- and bidirectional: what weft run measures by default",
        budget=plan.BUDGET,
        experiments=(_QUICK,),
    ),
    Suite(
        name="paper",
        summary="figures 2 to 15 of Liu et al. (2003), section 4",
        budget="20min",
        experiments=_PAPER,
    ),
    Suite(
        name="full",
        summary="the paper's figures and every other test",
        budget="40min",
        experiments=(*_PAPER, *_MORE),
    ),
)


def follows_osu(name: str) -> bool:
    """Whether a suite has the figures of Liu et al. (2003)."""
    return any(suite.name == name and _PAPER[0] in suite.experiments for suite in SUITES)


def tests_of_suites() -> tuple[str, ...]:
    """Every test that there is: the full suite has them all."""
    return tuple(
        dict.fromkeys(test for suite in SUITES for one in suite.experiments for test in one.tests)
    )


def suite_called(name: str) -> Suite:
    """The suite of a name. Raises WeftError where there is none."""
    names = [suite.name for suite in SUITES]
    plain = name.strip().lower()
    if plain not in names:
        near = difflib.get_close_matches(plain, names, n=1)
        fix = f"did you mean {near[0]}?" if near else f"choose from {', '.join(names)}"
        raise WeftError(f"there is no suite called {name}", fix)
    return SUITES[names.index(plain)]


def placed(suite: Suite, ranks: int, cores: int) -> tuple[tuple[plan.Experiment, ...], str]:
    """The suite's experiments on so many ranks, and a line about the experiments that are skipped.

    Ranks 0: tests of many ranks take one per core, at most 8, and are skipped where that is under
    3: ranks that share a core measure the scheduler. The line is empty where none is skipped.
    """
    many = ranks or min(cores, MOST_USUAL_RANKS)
    is_enough = ranks > 0 or many >= LEAST_MANY
    kept = [
        experiment for experiment in suite.experiments if is_enough or not experiment.is_of_many
    ]
    skipped = [experiment.title for experiment in suite.experiments if experiment not in kept]
    line = (
        f"skipped: {'; '.join(skipped)} ({counted(cores, 'core')}, and each of at"
        f" least {LEAST_MANY} ranks needs its own; --ranks 4 measures them on shared cores)"
    )
    experiments = tuple(
        experiment.on(many if experiment.is_of_many else plan.RANKS) for experiment in kept
    )
    return experiments, line if skipped else ""
