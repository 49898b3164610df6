"""A check: the records of a machine against limits, or against earlier records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.acceptance import (
    Checked,
    Outcome,
    against_limits,
    against_record,
    overall,
)
from weft.analysis.compare.conditions import differences_of_runs
from weft.analysis.compare.pool import is_same_run, pool
from weft.analysis.compare.sessions import (
    JUDGED_BY_THE_OTHER,
    in_time,
    launches_of,
    sessions_in_words,
)
from weft.analysis.stats.launches import next_session_of
from weft.errors import WeftError
from weft.record.run import load
from weft.sources.limits import read_limits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.record.run import Run

_TESTED = "the records under test"


class CheckedMachine(msgspec.Struct, frozen=True, kw_only=True):
    """The checks of a machine and the answer of all of them together.

    `unlike` is how the machine differs from the reference's, `notes` stand under the answers.
    """

    outcome: Outcome
    unlike: tuple[str, ...]
    notes: tuple[str, ...]
    checks: tuple[Checked, ...]


def checked(records: Sequence[Path], against: Sequence[Path], slack: float) -> CheckedMachine:
    """All launches of the records against one limits file, or against the records named.

    Of records `slack` is the share by which the machine may be slower. Raises WeftError.
    """
    runs = [load(record) for record in records]
    if any(path.suffix == ".toml" for path in against):
        return _by_limits(runs, against)
    references = [load(path) for path in against]
    for reference in references:
        if any(is_same_run(run, reference) for run in runs):
            raise WeftError(
                f"{reference.path} is the record under test itself",
                "type another record after --against",
            )
    checks = against_record(pool(runs), pool(references), slack)
    rests_on = {
        _TESTED: launches_of(runs),
        "the reference": launches_of(references),
    }
    last = zip(rests_on, (runs[-1], references[-1]), strict=True)
    further = {name: next_session_of(run) for name, run in last}
    notes = sessions_in_words(rests_on, JUDGED_BY_THE_OTHER, further)
    return CheckedMachine(
        outcome=overall(checks),
        unlike=differences_of_runs(references[0], runs[0]),
        notes=(*notes, *in_time([*runs, *references])),
        checks=checks,
    )


def _by_limits(runs: Sequence[Run], against: Sequence[Path]) -> CheckedMachine:
    if len(against) > 1:
        raise WeftError(
            "--against takes one limits file or several records, not both",
            "type --against limits.toml once, or records only",
        )
    checks = against_limits(pool(runs), read_limits(against[0]))
    rests_on = {_TESTED: launches_of(runs)}
    return CheckedMachine(
        outcome=overall(checks),
        unlike=(),
        notes=(
            *sessions_in_words(rests_on, further={_TESTED: next_session_of(runs[-1])}),
            *in_time(runs),
        ),
        checks=checks,
    )
