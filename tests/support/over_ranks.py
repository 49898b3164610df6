"""What the engine keeps of many ranks, worked out from all of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.record.model import OverRanks
from weft.record.run import Run

if TYPE_CHECKING:
    from collections.abc import Collection

    from weft.record.model import Batch

SHARES = (0.0, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
STREAMS = ("hot_spot_send", "hot_spot_receive", "message_rate", "random_pairs")


def without_each_value(run: Run, tests: Collection[str] = ()) -> Run:
    """The record as if its ranks were too many, in batches of these tests (all where none are)."""
    batches = tuple(
        kept_of(batch, are_streams=run.cases[batch.case].test in STREAMS)
        if not tests or run.cases[batch.case].test in tests
        else batch
        for batch in run.lines.batches
    )
    return Run(run.path, msgspec.structs.replace(run.lines, batches=batches))


def kept_of(batch: Batch, *, are_streams: bool) -> Batch:
    """A batch with quantiles and means in place of other ranks' values, if it has any."""
    ranks = {0: "", **{int(name[4:]): name for name in batch.parts if name[4:].isdigit()}}
    if len(ranks) == 1:
        return batch
    own = {name: values for name, values in batch.parts.items() if not name.startswith("rank")}
    if are_streams:
        ranks[0] = "own"
        if "own" not in batch.parts:
            del ranks[0]
    names = ["", *(name for name in own if name != "own")]

    def of(rank: int, name: str) -> np.ndarray:
        of_rank = f"rank{rank}.{name}" if rank else name
        part = of_rank if name else ranks[rank]
        return np.array(batch.parts.get(part, (0,) * len(batch.ticks)) if part else batch.ticks)

    every = {name: np.array([of(rank, name) for rank in ranks]) for name in names}
    slowest = every[""].argmax(axis=0)
    at = np.arange(len(batch.ticks))
    rates = 1 / np.maximum(every[""], 1)
    jain = rates.sum(axis=0) ** 2 / (len(ranks) * (rates**2).sum(axis=0))
    timed = {name: values[:, batch.warmup :] for name, values in every.items()}
    found = OverRanks(
        ranks=tuple(ranks),
        values=len(batch.ticks) - batch.warmup,
        shares=SHARES,
        quantiles={
            name: tuple(map(tuple, np.quantile(values, SHARES, axis=1).T.tolist()))
            for name, values in timed.items()
        },
        mean={name: _ticks(values.mean(axis=0)) for name, values in every.items()},
        slowest={name: _ticks(values[slowest, at]) for name, values in every.items()},
        slowest_rank=tuple(np.array(list(ranks))[slowest].tolist()),
        middle=_ticks(np.median(every[""], axis=0)) if are_streams else (),
        fairness_ppm=_ticks(1e6 * jain) if are_streams else (),
    )
    return msgspec.structs.replace(batch, parts=own, over_ranks=found)


def _ticks(values: np.ndarray) -> tuple[int, ...]:
    return tuple(np.rint(values).astype(int).tolist())
