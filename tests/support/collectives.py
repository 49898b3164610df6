"""A record of operations of all ranks: sums of two sizes, and a barrier, which has no size."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import weft
from support.builders import synthetic_record
from weft.plan.case import Case

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 4
# What stands in the record under the names of the first, which builders know.
_CALLED = {"sendrecv": "allreduce", "ping_ping": "barrier"}
_CASES = tuple(
    Case(test=test, transport=transport, bytes=size, ranks=RANKS)
    for transport in ("mpi", "tcp")
    for test, sizes in (("sendrecv", (8, 4096, 65536)), ("ping_ping", (0,)))
    for size in sizes
)


def collective_record(path: Path) -> weft.Run:
    """Skewed samples with outliers; another size, rank, launch and path has other times."""
    synthetic_record(path, _CASES, times_ns=_times_ns(path.stem, 0), parts_ns=lambda case, launch: {
        f"rank{rank}": _times_ns(path.stem, rank)(case, launch) for rank in range(1, RANKS)
    })  # fmt: skip
    text = re.sub("|".join(_CALLED), lambda found: _CALLED[found[0]], path.read_text())
    head, _, rest = text.partition("\n")
    header: dict[str, Any] = json.loads(head)
    for pattern in header["patterns"]:
        pattern |= {"title": pattern["name"].capitalize(), "figure": "collective"}
        pattern |= {"summary": "all ranks together"}
        pattern |= {"bandwidth_factor": 0, "has_size": pattern["name"] != "barrier"}
    path.write_text(f"{json.dumps(header)}\n{rest}")
    return weft.load(path)


def _times_ns(side: str, rank: int) -> Any:
    def times(case: Case, launch: int) -> list[float]:
        draw = random.Random(f"{case.key}/{side}/{rank}/{launch}")  # noqa: S311 - noise, no secret
        middle = (3000 + 0.7 * case.bytes) * (0.6 if case.transport == "mpi" else 1.0)
        middle *= (1 + 0.07 * rank) * (1.12 if side == "later" else 1.0)
        middle *= draw.lognormvariate(0, 0.01)
        return [
            middle * (0.97 + draw.lognormvariate(-3.5, 0.8)) * (7 if draw.random() < 0.02 else 1)
            for _ in range(31 + 4 * launch)
        ]

    return times
