"""`weft.check`: does a machine keep its limits, or an earlier record's pace?"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.notebook.tables import table_of_rows
from weft.notebook.typed import each_of, share_of
from weft.record.run import Run
from weft.studies.checks import checked
from weft.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from weft.analysis.compare.acceptance import Outcome
    from weft.notebook.typed import Sources
    from weft.studies.checks import CheckedMachine


def check(
    records: Sources, *, against: Sources, tolerance: float = 0.05, scatter: float | None = None
) -> Check:
    """Check a machine's records against a file of limits or earlier records, as `weft check`.

    All launches of all `records` count. Against records a machine may be slower by the share
    `tolerance`. `scatter` is the standard deviation between launches that is assumed of an imported
    table which shows none, a share; 0.05 without it. Raises WeftError.
    """
    slack = share_of("tolerance", tolerance)
    assumed = None if scatter is None else share_of("scatter", scatter)
    return Check(checked(_read_or_paths(records), _read_or_paths(against), slack, scatter=assumed))


def _read_or_paths(sources: Sources) -> list[Path | Run]:
    return [one if isinstance(one, Run) else Path(one) for one in each_of(sources)]


class Check:
    """What `weft check` found. `found` has all of it, typed."""

    def __init__(self, found: CheckedMachine) -> None:
        self.found = found

    @property
    def outcome(self) -> Outcome:
        """The answer of all checks together: pass, fail or cannot tell."""
        return self.found.outcome

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per check: its case, what was asked, outcome and why; estimate with _low and _high
        and bound in ns or bytes/s, speed against a record.
        """
        return table_of_rows(msgspec.to_builtins(self.found.checks))

    @property
    def notes(self) -> tuple[str, ...]:
        """How the machine differs from the reference's, and what to know of the answers."""
        return (*self.found.unlike, *self.found.notes)

    def __repr__(self) -> str:
        """The outcome, and each check that did not pass."""
        bad = [one for one in self.found.checks if one.outcome != "pass"]
        lines = [f"{self.outcome}: {counted(len(self.found.checks), 'check')}"]
        lines += [f"{one.outcome}: {one.case}: {one.why}" for one in bad]
        return "\n".join(lines)
