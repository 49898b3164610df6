"""What ranks that a case does not use cost it: 8 B ping_pong in launches of few and of many ranks.

All but two ranks of a launch sleep while the case is measured. The launch of two is measured before
each of the others and after the last, so that a ratio is of neighbours in time.
"""

from __future__ import annotations

import statistics
from functools import partial
from itertools import pairwise

from bench.loop import turns_of
from bench.own import Cost
from weft.launch.launcher import Job, start_deadline_s
from weft.launch.local import LocalLauncher
from weft.launch.programs import choose_mpi, programs

# As many of each as a machine of few cores starts in seconds.
FEW = (16, 64)
RANKS = {
    **{transport: (transport, FEW) for transport in ("tcp", "mpi", "ucx", "ofi")},
    "tcp-256": ("tcp", (256,)),
}
WITH_BARE_LOOP = ("mpi", "ucx")
CASE = {
    "id": 1, "test": "ping_pong", "bytes": 8, "samples": 200, "warmup": 40, "ops_per_sample": 100,
    "verify": False,
}  # fmt: skip
DEADLINE_S = 120.0


def costs() -> tuple[Cost, ...]:
    """One for each transport, for tcp one with many ranks, and those that have a bare loop."""
    alone = tuple(
        Cost(
            name=f"ranks-asleep-{name}",
            what=f"8 B ping_pong over {transport} in launches of {_listed(ranks)} ranks, all but"
            " two asleep, over the launch of 2 before and after it; the time in that",
            measure=partial(ratios, transport, ranks),
        )
        for name, (transport, ranks) in RANKS.items()
    )
    beside_bare = tuple(
        Cost(
            name=f"ranks-asleep-{transport}-and-bare",
            what=f"8 B ping_pong over {transport} beside a bare loop, turn about in one process of"
            f" launches of {_listed(FEW)} ranks: each over the launches of 2 around it, and the"
            " engine's share of that",
            measure=partial(shares, transport),
        )
        for transport in WITH_BARE_LOOP
    )
    return alone + beside_bare


def ratios(transport: str, counts: tuple[int, ...]) -> dict[str, float]:
    """Each launch's time of a ping-pong over the mean of the launches of two around it."""
    of_two = [latency_ns(transport, 2)]
    others = []
    for ranks in counts:
        others.append(latency_ns(transport, ranks))
        of_two.append(latency_ns(transport, 2))
    around = [statistics.mean(pair) for pair in pairwise(of_two)]
    return {
        **{
            f"ratio_of_{ranks}": time_ns / beside_ns
            for ranks, time_ns, beside_ns in zip(counts, others, around, strict=True)
        },
        "latency_of_2_ns": statistics.median(of_two),
    }


def shares(transport: str, counts: tuple[int, ...] = FEW) -> dict[str, float]:
    """For each number of ranks: both loops over those of the launches of two around, and engine
    over bare within the launch over the same there, which is what the other ranks cost us alone.
    """
    of_two = [turns_of(transport, 2)]
    figures = {"engine_over_bare_of_2": of_two[0][0] / of_two[0][1]}
    for ranks in counts:
        engine, bare = turns_of(transport, ranks)
        of_two.append(turns_of(transport, 2))
        beside = [statistics.mean(pair) for pair in zip(*of_two[-2:], strict=True)]
        figures[f"bare_ratio_of_{ranks}"] = bare / beside[1]
        figures[f"engine_ratio_of_{ranks}"] = engine / beside[0]
        figures[f"ours_of_{ranks}"] = (engine / bare) / (beside[0] / beside[1])
    return figures


def latency_ns(transport: str, ranks: int) -> float:
    """The median over the samples of one launch. Raises LaunchError, RuntimeError."""
    mpi = choose_mpi()
    program = next(p for p in programs(mpi) if p.transport == transport and p.usual)
    with LocalLauncher().start(Job(program=program.path, mpi=mpi, ranks=ranks)) as launch:
        tick_ns = launch.hello(start_deadline_s(ranks)).clock.tick_ns
        answer = launch.run(CASE, DEADLINE_S)
        launch.finish()
    if answer.status != "ok":
        raise RuntimeError(f"{transport} with {ranks} ranks: {answer.reason}")
    measured = answer.ticks[answer.warmup :]
    return statistics.median(measured) * tick_ns / answer.ops_per_sample / 2


def _listed(ranks: tuple[int, ...]) -> str:
    return " and ".join(map(str, ranks))
