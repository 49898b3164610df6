"""Sizes above which no message arrives: the path's MTU is smaller than the MTU of its ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.units import format_bytes
from weft.wording import in_a_row

if TYPE_CHECKING:
    from weft.record.run import Run

# Jumbo frames: whatever is longer goes in several packets over any path.
LARGEST_MTU_BYTES = 9000


def mtu_suspected(run: Run) -> dict[str, str]:
    """By transport, for cases that timed out: above which size no message arrives, and where."""
    found = {}
    timed_out = {one.case for one in run.lines.batches if one.status == "timeout"}
    for transport in {run.cases[key].transport for key in timed_out}:
        largest, hosts = _largest_that_arrives(run, transport), _hosts_of(run, transport)
        if largest is not None and len(hosts) > 1:
            found[transport] = (
                f"messages above {format_bytes(largest)} do not arrive;"
                f" check the MTU between {in_a_row(hosts[:2], 'and')}"
            )
    return found


def _largest_that_arrives(run: Run, transport: str) -> int | None:
    """The largest size that ended well, if each larger one that was tried timed out."""
    own = [batch for batch in run.lines.batches if run.cases[batch.case].transport == transport]
    good = [run.cases[one.case].bytes for one in own if one.status == "ok"]
    timed_out = [run.cases[one.case].bytes for one in own if one.status == "timeout"]
    if not good or max(good) >= min(timed_out):
        return None
    return max(good) if max(good) < LARGEST_MTU_BYTES else None


def _hosts_of(run: Run, transport: str) -> tuple[str, ...]:
    launches = [one for one in run.launches.values() if one.transport == transport]
    return tuple(dict.fromkeys(rank.host for one in launches for rank in one.ranks))
