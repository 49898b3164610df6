"""Everything that a record tells of memory and connections, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.analysis.bus import buses_of, to_json
from weft.analysis.registration import connecting_of, registrations_of
from weft.analysis.registration import to_json as plain
from weft.analysis.reuse import reuse_of, reuse_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.fabric.peaks import Link
    from weft.record.run import Run


def memory_of(
    run: Run, summaries: Sequence[CaseSummary], link: Link | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The rows of `weft memory --json`: reuse, registration, connecting, bus; some may be empty."""
    return {
        "reuse": reuse_rows(reuse_of(run, summaries)),
        "registration": plain(registrations_of(run, summaries)),
        "connecting": plain(connecting_of(run)),
        "bus": to_json(buses_of(run, summaries, link)),
    }
