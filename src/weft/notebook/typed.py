"""What a notebook hands over, looked at before it is used: a mistake is one line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weft.errors import WeftError
from weft.record.run import Run

Source = str | Path | Run
Sources = Source | Sequence[Source]


def each_of(sources: Sources) -> list[str | Run]:
    """Each source of one or several: what was read as it is, and the word of a path.

    Raises WeftError for what names nothing.
    """
    every = [sources] if isinstance(sources, str | Path | Run) else sources
    if not isinstance(every, Sequence):
        raise WeftError(_no_source(sources), _FIX)
    return [one_of(one) for one in every]


def one_of(source: Source) -> str | Run:
    """A source as it is, or the word of its path. Raises WeftError for what names nothing."""
    if isinstance(source, Run):
        return source
    if not isinstance(source, str | Path):
        raise WeftError(_no_source(source), _FIX)
    # The path of nothing is the folder, which nobody means.
    if str(source).strip() in ("", "."):
        raise WeftError("no record given", _FIX)
    return str(source)


def share_of(name: str, share: float) -> float:
    """A share as it is. Raises WeftError for a text or what else is no number."""
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise WeftError(f"{name} is no number: {share!r}", f"give a share: {name}=0.05 is 5 %")
    return share


_FIX = "give the path of a record, or a Run"


def _no_source(given: object) -> str:
    return f"{given!r} is the name of no record"
