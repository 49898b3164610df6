"""Records and published platforms beside each other, by what a user named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.analysis.compare.compared_rows import to_json
from weft.analysis.compare.comparison import compare
from weft.sources.sides import load_sides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.compare.comparison import Comparison
    from weft.record.run import Run


def compared(sides: Sequence[str | Run], tests: str, same: float) -> Comparison:
    """The sides beside the first, as they were named or read.

    `tests` has those that count, with commas between; speeds within `same` of the reference are
    called the same. Raises WeftError.
    """
    wanted = tuple(name for name in tests.split(",") if name)
    return compare(load_sides(sides, wanted), same)


def in_plain_data(comparison: Comparison) -> dict[str, Any]:
    """What `weft compare --json` prints."""
    return to_json(comparison)
