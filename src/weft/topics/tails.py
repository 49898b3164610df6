"""High percentiles of single operations, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.percentiles import SAMPLES_BEYOND, TAILS
from weft.tables import Table
from weft.units import format_bytes, format_time
from weft.wording import RULE, with_half

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary


def tail_tables(summaries: Sequence[CaseSummary]) -> list[Table]:
    """One row per case of single operations whose launches have enough samples."""
    rows = [one for one in summaries if one.tails_latency_ns]
    if not rows:
        return []
    wanted = ", ".join(f"p{tail} {_samples(tail):,}" for tail in TAILS)
    return [
        Table(
            name="tails",
            caption="Tails of single operations: the median of the launches' percentiles;"
            f" {RULE}. A launch must have {SAMPLES_BEYOND} samples beyond it ({wanted};"
            " --single --samples).",
            head=("", "size", "median", *(f"p{tail}" for tail in TAILS)),
            rows=tuple(
                (
                    f"{one.measured_over} {one.test}",
                    format_bytes(one.bytes),
                    with_half(one.latency_ns, format_time) if one.latency_ns else "-",
                    *(
                        with_half(one.tails_latency_ns[tail], format_time)
                        if tail in one.tails_latency_ns
                        else "-"
                        for tail in TAILS
                    ),
                )
                for one in rows
            ),
        )
    ]


def _samples(tail: str) -> int:
    """How many samples of a launch a percentile wants."""
    return round(SAMPLES_BEYOND * 100 / (100 - float(tail)))
