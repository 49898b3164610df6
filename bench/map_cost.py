"""What a map takes, against the time that its pairs need: of a record of `weft map`.

    .venv/bin/python -m bench.map_cost m.jsonl

Ideal is rounds x time of one pair: the median over all pairs and rounds of what both ways of a pair
took in their samples, in the company that they had. Beside it stand the rounds if nobody waited but
for the slowest pair of his own round; the batches as the engine saw them, with filling, untimed and
verified messages; all batches with the calibrations; and the whole map from the start of its first
launch to its end. On the lab's hosts, which share this machine's cores:

    make lab HOSTS=64 CMD='weft map --nodes 64 --launcher mpirun --transport tcp --wait block
      --sizes 8 --launches 1 --budget 5min -o m.jsonl'
"""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import weft
from bench.tables import markdown
from weft.plan.rounds import partners_in
from weft.record.launches import medians_of_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run


class Cost(NamedTuple):
    """Seconds of one size of a map: `ideal_s` is what its rounds take if no pair is slower."""

    place: str
    rounds: int
    ideal_s: float
    slowest_s: float
    timed_s: float
    engine_s: float


def pair_seconds(run: Run, case: Case, batch: Batch) -> list[float]:
    """What each pair of a round took in its samples, both ways."""
    medians_ns = medians_of_ranks(run, [batch])
    each = len(batch.ticks) * batch.ops_per_sample
    partners = partners_in(case.point or 0, case.ranks)
    return [
        each * (medians_ns[rank] + medians_ns[partner]) / 1e9
        for rank, partner in enumerate(partners)
        if rank < partner < case.ranks and {rank, partner} <= medians_ns.keys()
    ]


def cost_of(run: Run, cases: Sequence[Case], place: str) -> Cost:
    """The cost of these rounds, all of one size."""
    keys = {case.key: case for case in cases}
    batches = [batch for batch in run.measured if batch.case in keys]
    pairs = [pair_seconds(run, keys[batch.case], batch) for batch in batches]
    # Rounds have more samples or fewer: what one pair takes is that of each round.
    return Cost(
        place=place,
        rounds=len(batches),
        ideal_s=sum(float(np.median(own)) for own in pairs),
        slowest_s=sum(max(own) for own in pairs),
        timed_s=sum(batch.timed_ns for batch in batches) / 1e9,
        engine_s=sum(batch.elapsed_ns for batch in batches) / 1e9,
    )


def whole_s(run: Run) -> float:
    """From the start of the first launch to the end of the run."""
    if run.footer is None:
        raise SystemExit(f"{run.path} has no end: the map did not")
    begun = min(datetime.fromisoformat(one.started_utc) for one in run.lines.launches)
    return (datetime.fromisoformat(run.footer.finished_utc) - begun).total_seconds()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.map_cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("record", type=Path)
    run = weft.load(parser.parse_args().record)
    sizes: dict[Case, list[Case]] = {}
    for case in run.cases.values():
        sizes.setdefault(case.but_for("point"), []).append(case)
    costs = [
        cost_of(run, cases, f"{one.transport} {one.bytes} B, {one.ranks} ranks")
        for one, cases in sizes.items()
    ]
    head = ("", "rounds", "ideal, s", "slowest pairs", "timed", "engine")
    rows = [
        (
            one.place,
            str(one.rounds),
            f"{one.ideal_s:.2f}",
            *(f"{s / one.ideal_s:.2f}" for s in (one.slowest_s, one.timed_s, one.engine_s)),
        )
        for one in costs
    ]
    print(markdown([head, *rows]))
    engine_s = sum(batch.elapsed_ns for batch in run.lines.batches) / 1e9
    ideal_s = sum(one.ideal_s for one in costs)
    print(f"\nall batches with calibrations {engine_s / ideal_s:.2f}", end="")
    print(f", the whole map {whole_s(run) / ideal_s:.2f} of the ideal ({whole_s(run):.1f} s)")


if __name__ == "__main__":
    main()
