"""What a rank computes, for a platform on which an application's work is charged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.summary import summarise
from weft.plan.command import weft_run
from weft.topics.base import Results
from weft.topics.scaling.rows import rates_alone, scaling_of
from weft.units import format_flops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run

USUAL_FLOPS_PER_S = 1e9


def usual_rate() -> tuple[float, str]:
    """Where nothing was measured: flops/s, and words for it."""
    words = (
        f"a rank computes {format_flops(USUAL_FLOPS_PER_S)}: an assumption; use --rate, or"
        f" measure it: {weft_run('milc', '--ranks', 1)}"
    )
    return USUAL_FLOPS_PER_S, words


def rate_of(runs: Sequence[Run]) -> tuple[float, str]:
    """Of one rank alone on the largest lattice, flops/s, and words for it.

    A platform has one rate, and of several lattices the largest has the least: what larger fabrics
    compute is at least that, and their messages are hidden no worse.
    """
    alone = [
        (row.sites, row.lattice, row.flops_per_s.value)
        for run in runs
        for row in rates_alone(scaling_of(Results(run, summarise(run), ())))
        if row.flops_per_s is not None
    ]
    if not alone:
        return usual_rate()
    *smaller, (_, lattice, rate) = sorted(alone)
    words = f"a rank computes {format_flops(rate)}, as one rank measured on {lattice}"
    faster = [one for one in smaller if one[2] > rate]
    if faster:
        rates = ", ".join(f"{format_flops(own)} on {shape}" for _, shape, own in faster)
        words += f"; smaller working sets compute faster ({rates}): use --rate for theirs"
    return rate, words
