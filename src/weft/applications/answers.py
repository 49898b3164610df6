"""What an application found out, by the names of its answers, also in older records. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_RESIDUAL = "residual"
_PLAQUETTES = ("plaquette_space", "plaquette_time")
# How older batches begin these two, and what they have where nothing was found out.
_OLDER = (b'"residual":', b'"plaquettes":')
_NOTHING = b'"residual":null,"plaquettes":null'


def residual_of(found: Mapping[str, float]) -> float | None:
    """The true one of the last solution, |b - A x| over |b|; None where nothing is solved."""
    return found.get(_RESIDUAL)


def plaquettes_of(found: Mapping[str, float]) -> tuple[float, float] | None:
    """The mean Re Tr of the links' plaquettes, in space and with t (3 on a field of ones).

    None where there are no links.
    """
    space, time = map(found.get, _PLAQUETTES)
    return None if space is None or time is None else (space, time)


def modern(line: bytes) -> bytes:
    """A line of a record as it is written now: older batches had fields of their own for answers.

    Raises msgspec.DecodeError for what is no JSON.
    """
    if _NOTHING in line or not any(key in line for key in _OLDER):
        return line
    batch = msgspec.json.decode(line)
    if not isinstance(batch, dict) or "application" in batch:
        return line
    return msgspec.json.encode({**batch, "application": _older_answers(batch)})


def _older_answers(batch: Mapping[str, Any]) -> dict[str, Any]:
    names = (_RESIDUAL, *_PLAQUETTES)
    values = (batch.get("residual"), *(batch.get("plaquettes") or ()))
    return {name: one for name, one in zip(names, values, strict=False) if one is not None}
