"""The options with which a run repeats a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.thread_level import REQUESTED, measures_mpi, with_level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.plan.plan import Plan
    from weft.record.model import Launch


def options_again(plan: Plan, launches: Iterable[Launch]) -> dict[str, str]:
    """The options that repeat a record, which may be older than the option."""
    is_older = any(
        measures_mpi(launch.transport) and REQUESTED not in launch.details for launch in launches
    )
    return with_level(plan.options, threaded=is_older)
