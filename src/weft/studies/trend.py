"""The sessions of a machine over time: the records that can be read, one in memory at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.history import History, history
from weft.errors import WeftError
from weft.sources.limits import read_limits
from weft.sources.records import each_source, record_named
from weft.stages import counted_off
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.record.run import Run


class MachineHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions in the order of time, and a line for each record that cannot be read."""

    history: History
    notes: tuple[str, ...]


def over_time(
    records: Sequence[str | Path | Run], against: str | Path | None = None
) -> MachineHistory:
    """The records as a series over time, beside the limits of a file.

    Raises WeftError where none can be read, or the only one cannot.
    """
    limits = read_limits(Path(against)) if against else ()
    notes: list[str] = []
    found = history(_readable(each_source(records), notes), limits)
    return MachineHistory(history=found, notes=tuple(notes))


def _readable(records: Sequence[str | Run], notes: list[str]) -> Iterator[Run]:
    """Each record that can be read; the others are named in `notes`. Raises WeftError for none."""
    for record in counted_off(records, "reading records"):
        try:
            run = record_named(record)
        except WeftError as error:
            if len(records) == 1:
                raise
            notes.append(f"skipped: {error.what}")
            continue
        yield run
        del run  # before the next one is read
    if len(notes) == len(records):
        raise WeftError(
            f"none of {counted(len(records), 'record')} can be read, first: {notes[0]}",
            "use the paths of records that weft run wrote",
        )
