"""A figure with its interval: what every measured median and every fitted parameter is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Self

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

# What is independent of each other: the launches of a run, or whole runs (sessions).
Unit = Literal["launch", "session"]
PLURAL: dict[Unit, str] = {"launch": "launches", "session": "sessions"}


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its interval [low, high], the interval's coverage, and how it was found.

    `launches` are the independent values behind it: launches, or sessions where several records
    were put together (`unit`); 0 where nothing was counted, as in what was published or in a plain
    table. One of them knows no interval. An end without a bound is infinite, and null in JSON.
    """

    value: float
    low: float
    high: float
    coverage: float
    method: str
    launches: int = 0
    unit: Unit = "launch"

    @property
    def is_bounded(self) -> bool:
        """Whether the interval has two ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width over the size of the value, as a precision is asked for.

        Infinite for a value of zero.
        """
        return (self.high - self.low) / 2 / abs(self.value) if self.value else math.inf

    def mapped(self, change: Callable[[float], float]) -> Self:
        """The estimate of a monotonic function of the quantity (time to bandwidth turns it).

        Where there is no interval there is none afterwards.
        """
        if math.isinf(self.low) and math.isinf(self.high):
            return msgspec.structs.replace(self, value=change(self.value))
        low, high = sorted((change(self.low), change(self.high)))
        return msgspec.structs.replace(self, value=change(self.value), low=low, high=high)
