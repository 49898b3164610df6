"""Times of pairs of endpoints, as a map measured them."""

from __future__ import annotations

from typing import Any

import msgspec
from numpy.typing import NDArray


class PairTimes(msgspec.Struct, frozen=True, kw_only=True):
    """What each message took, one value for each time that a pair was measured.

    `names` are those of the endpoints. The arrays have one shape, (values,): `source` and `target`
    are places in `names`, `visit` counts what ran at once (a round of a launch), in the order of
    time, and `time_ns` is not a number where a pair failed.
    """

    names: tuple[str, ...]
    source: NDArray[Any]
    target: NDArray[Any]
    visit: NDArray[Any]
    time_ns: NDArray[Any]

    def at(self, places: NDArray[Any]) -> PairTimes:
        """Only these values: a mask, or their places."""
        return msgspec.structs.replace(
            self,
            source=self.source[places],
            target=self.target[places],
            visit=self.visit[places],
            time_ns=self.time_ns[places],
        )
