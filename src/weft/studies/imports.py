"""What other benchmarks printed, as a record and its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.imported import import_outputs
from weft.sources.named import files_named
from weft.sources.peers.stated import Given
from weft.studies.shown import results_shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.topics.base import Results


def imported(
    outputs: Sequence[Path],
    record: Path | None = None,
    *,
    transport: str = "",
    ranks: int = 0,
    bytes_: int | None = None,
    strict: bool = False,
) -> tuple[Path, Results]:
    """Write the record of some outputs, and give its path and its results.

    "a.txt,b.txt" are two outputs. `transport`, `ranks` and `bytes_` are what their user says of
    them; a `strict` reading refuses lines that it does not understand. Raises WeftError.
    """
    given = Given(transport=transport, ranks=ranks, bytes=bytes_)
    path = import_outputs(files_named(outputs), given, record, strict=strict)
    return path, results_shown(path)
