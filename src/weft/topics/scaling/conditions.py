"""What held while an application was measured: its links, its cores, its floating point."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.applications.info import ApplicationInfo
    from weft.record.model import Batch
    from weft.record.run import Run


def gauge_of(run: Run, info: ApplicationInfo) -> str:
    """The file of its links in words; empty where it has none, or no links."""
    file = run.header.plan.application_file
    return file.in_words if file and info.takes("gauge") else ""


def flush_to_zero(run: Run, batches: Sequence[Batch]) -> str:
    """Either "off", "on" or, of launches that differ, "off, on"; empty where nobody says."""
    found = {run.launches[one.launch].details.get("flush to zero", "") for one in batches}
    return ", ".join(sorted(found - {""}))
