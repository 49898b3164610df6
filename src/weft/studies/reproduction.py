"""Simulated runs of published tests: the figures by test and size, or by what a text states."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from weft import session
from weft.analysis.summary import summarise
from weft.applications.asked import ApplicationsAsked
from weft.errors import WeftError
from weft.plan.cases import CASE_DEADLINE, Experiment, Variants
from weft.plan.request import simulation
from weft.record.run import load
from weft.sim.host_times import host_times
from weft.units import parse_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run

# Of the tables of the Pallas benchmarks.
_SIZES = "0..4MiB"
TABLED = ("ping_pong", "sendrecv")
_SMALL_BYTES, _LARGE_BYTES = 8, 1 << 20
_BUDGET_S = 600.0
# Of Holmgren (2003).
SOLVER_RANKS = (1, 2, 4, 8, 16)
SOLVER_EXTENTS = "4,6,8,10,12,14"
_SINGLE_PRECISION = "36"


def simulated_times(
    platform: SimulatedPlatform, tests: tuple[str, ...]
) -> Callable[[str, int], float | None]:
    """The times of tests on two nodes by test and size, ns. Raises WeftError."""
    found = {
        (one.test, one.bytes): one.latency_ns.value
        for one in summarise(
            simulated_run(platform, (Experiment(tests=tests, sizes=_SIZES, ranks=2),))
        )
        if one.latency_ns is not None
    }
    return lambda test, size: found.get((test, size))


def simulated_statements(platform: SimulatedPlatform) -> dict[str, float]:
    """Figures of a text by its keys, in SI: latency, bandwidths, host overhead. Raises WeftError.

    The latency is that of 8 bytes, a bandwidth that of 1 MiB; the overhead is what posting takes
    and what receiving a message takes that has arrived.
    """
    tests = ("ping_pong", "stream", "sendrecv", "late_receive", "host_overhead")
    sizes = f"{_SMALL_BYTES},{_LARGE_BYTES}"
    run = simulated_run(platform, (Experiment(tests=tests, sizes=sizes, ranks=2),))
    by_case = {(one.test, one.bytes): one for one in summarise(run)}
    latency = by_case["ping_pong", _SMALL_BYTES].latency_ns
    one_way = by_case["stream", _LARGE_BYTES].bandwidth_bytes_per_s
    both_ways = by_case["sendrecv", _LARGE_BYTES].bandwidth_bytes_per_s
    if latency is None or one_way is None or both_ways is None:
        raise WeftError(f"{run.path} lacks figures of {platform.name}", "report this defect")
    return {
        "latency_small": latency.value,
        "bandwidth_peak_one_way": one_way.value,
        "bandwidth_peak_both_ways": both_ways.value,
        "host_overhead": host_times(run, "sim", _SMALL_BYTES).both_ns,
    }


def simulated_solver(platform: SimulatedPlatform) -> Run:
    """The staggered solver at L^4 a rank, on as many ranks as Fermilab had. Raises WeftError."""
    variants = Variants(application=ApplicationsAsked(extents=SOLVER_EXTENTS))
    experiments = (
        Experiment(tests=("milc",), sizes=_SINGLE_PRECISION, ranks=ranks, variants=variants)
        for ranks in SOLVER_RANKS
    )
    return simulated_run(platform, tuple(experiments))


def simulated_run(platform: SimulatedPlatform, experiments: tuple[Experiment, ...]) -> Run:
    """The record of these experiments, which leaves no file. Raises WeftError.

    An interrupt goes on to the caller: what is simulated by then is no answer.
    """
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        request = simulation(
            platform,
            experiments,
            Path(folder) / "simulated.jsonl",
            command=("weft", "reproduce"),
            budget_s=_BUDGET_S,
            case_deadline_s=parse_seconds(CASE_DEADLINE),
        )
        path, footer = session.start(request, lambda _: None)
        if footer.outcome == "interrupted":
            raise KeyboardInterrupt
        if footer.outcome == "budget":
            raise WeftError(
                f"{platform.name} is not simulated after {_BUDGET_S:g} s",
                "repeat it while less else runs here",
            )
        run = load(path)
        _ = run.measured  # read before the file goes
    return run
