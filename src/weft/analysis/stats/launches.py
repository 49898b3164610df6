"""What a launch of a record took, so that advice for more of them has a budget. Pure."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from typing import TYPE_CHECKING

from weft.plan.command import NextSession

if TYPE_CHECKING:
    from weft.record.run import Run

# A command ends with its budget and a case that was begun before.
MOST_OVERTIME = 2.0


def next_session_of(run: Run) -> NextSession:
    """How to measure a record's plan once more."""
    plan = run.header.plan
    budget_s = (run.footer.budget_s if run.footer else 0.0) or plan.budget_s
    made = {(batch.launch, _group(run, batch.launch)) for batch in run.measured}
    fewest = min(Counter(group for _, group in made).values(), default=1)
    return NextSession(
        record=str(run.path),
        launches=plan.launches,
        made=fewest,
        launch_s=_spent_s(run, budget_s) / fewest,
        budget_s=budget_s,
    )


def _group(run: Run, launch: int) -> tuple[str, int]:
    """Which ranks a launch started: launches of unlike ones are made in turn."""
    line = run.launches[launch]
    return line.transport, len(line.ranks)


def _spent_s(run: Run, budget_s: float) -> float:
    """Seconds of all commands that measured a record, from launch to launch.

    What the last launch took of a command that others followed, or that was killed, is not written:
    it counts as the mean of that command's others, or where it was the only one as the budget.
    """
    spent_s = 0.0
    for session in run.sessions:
        starts = sorted(_seconds(run.launches[launch].started_utc) for launch in session)
        took_s = budget_s
        if max(session) == max(run.launches) and run.footer is not None:
            took_s = _seconds(run.footer.finished_utc) - starts[0]
        elif len(starts) > 1:
            took_s = (starts[-1] - starts[0]) * len(starts) / (len(starts) - 1)
        # A clock that was set meanwhile, or that no one can read, tells nothing.
        spent_s += took_s if 0 < took_s <= MOST_OVERTIME * budget_s else budget_s
    return spent_s


def _seconds(utc: str) -> float:
    """Since 1970, not a number where it is no time."""
    try:
        return datetime.datetime.fromisoformat(utc).timestamp()
    except ValueError:
        return math.nan


def command_for_launches(run: Run, wanted: int) -> str:
    """The command that gives each case of a record so many launches, with the budget for them."""
    return next_session_of(run).command(max(wanted, run.header.plan.launches))
