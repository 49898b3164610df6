"""What a map takes, against the time that its pairs need: of a record of `weft map`.

    .venv/bin/python -m bench.map_cost m.jsonl

Ideal is rounds x time of one pair: the mean of what rank 0 and its partner, another one in each
round, took for the samples and the warm-up of both ways, while all others of the round ran. So of
hosts that share cores it is what the messages of a pair take with its part of them, and it has
nothing else: no start, no message that is only looked at, no control message and no wait for a
slower pair. Held against it are the rounds as the engine saw them, with all of these; all batches,
with those that only calibrated; and the whole map from the start of its first launch to its end. On
the lab's hosts, which share this machine's cores:

    make lab HOSTS=64 CMD='weft map --hosts $(seq -s, -f n%g 64) --transport tcp --wait block
      --sizes 8 --launches 1 --budget 5min -o m.jsonl'
"""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import weft
from bench.tables import markdown
from weft.plan.rounds import partners_in, turns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.case import Case
    from weft.record.run import Run


class Cost(NamedTuple):
    """Seconds of one size of a map, all of its launches."""

    place: str
    rounds: int
    ideal_s: float
    engine_s: float


def cost_of(run: Run, cases: Sequence[Case], place: str) -> Cost:
    """The cost of these rounds, all of one size. Raises SystemExit where none was measured."""
    keys = {case.key: case for case in cases}
    batches = [batch for batch in run.measured if batch.case in keys]
    pairs_ns = [
        turns_of(case.ranks, case.at_once) * batch.timed_ns
        for batch in batches
        if partners_in((case := keys[batch.case]).point or 0, case.ranks)[0] < case.ranks
    ]
    if not pairs_ns:
        raise SystemExit(f"{place}: no round was measured")
    return Cost(
        place=place,
        rounds=len(batches),
        ideal_s=len(batches) * sum(pairs_ns) / len(pairs_ns) / 1e9,
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
    rows = [
        (one.place, str(one.rounds), f"{one.ideal_s:.2f}", f"{one.engine_s / one.ideal_s:.2f}")
        for one in costs
    ]
    ideal_s = sum(one.ideal_s for one in costs)
    batches_s = sum(batch.elapsed_ns for batch in run.lines.batches) / 1e9
    sys.stdout.write(
        f"{markdown([('', 'rounds', 'ideal, s', 'engine over ideal'), *rows])}\n\n"
        f"over the ideal: all batches {batches_s / ideal_s:.2f},"
        f" the whole map {whole_s(run) / ideal_s:.2f} ({whole_s(run):.1f} s)\n"
    )


if __name__ == "__main__":
    main()
