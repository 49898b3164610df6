"""What the reader of an output gives: figures as they were printed, each with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import msgspec

from weft.plan.case import USUAL_QUEUE_DEPTH, USUAL_RANKS, Case, Schedule
from weft.plan.pattern import Pattern
from weft.record.model import Stated, StatedFigure
from weft.sources.peers.text import OutputLine, OutputText

USEC, MSEC, SEC = Decimal(1000), Decimal(10**6), Decimal(10**9)
MIB = Decimal(2**20)
MEGA = Decimal(10**6)
GIGA = Decimal(10**9)

# An operation that takes longer is a misread one.
_LONGEST_NS = 3600e9


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a user says of outputs that do not say it; 0 and empty where nothing was said."""

    transport: str = ""
    ranks: int = 0
    bytes: int | None = None


class StatedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One figure: of which case, what its test is, the time of one operation in ns.

    A row with a `reason` has words in place of its figure, and no time.
    """

    case: Case
    test: Pattern
    stated: Stated
    time_ns: float = 0.0
    reason: str = ""


class StatedOutput(msgspec.Struct, frozen=True, kw_only=True):
    """All that one file states. `created_utc` is empty where it has no date."""

    rows: tuple[StatedRow, ...]
    version: str = ""
    command: str = ""
    host: str = ""
    created_utc: str = ""
    failed: str = ""
    notes: tuple[str, ...] = ()
    ignored: tuple[OutputLine, ...] = ()

    @property
    def values(self) -> int:
        """How many of its rows have a value."""
        return sum(not row.reason for row in self.rows)


def finished(text: OutputText, rows: Iterable[StatedRow], **more: Any) -> StatedOutput:
    """The rows of a text, and the lines that were skipped."""
    return StatedOutput(rows=tuple(rows), failed=text.failed, ignored=tuple(text.ignored), **more)


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """One format: how it is found by content, and what reads it. Both are pure.

    `read` skips lines that it does not understand, or raises LineError if it is strict.
    """

    name: str
    marks: tuple[re.Pattern[str], ...]
    read: Callable[[OutputText, Given], StatedOutput]


UNKNOWN_RANKS = 0


class StatedSection(msgspec.Struct, frozen=True, kw_only=True):
    """Where the figures of a section belong: test, transport, ranks, window, buffers and waits."""

    test: Pattern
    transport: str
    ranks: int = USUAL_RANKS
    queue_depth: int = USUAL_QUEUE_DEPTH
    schedule: Schedule = Schedule()
    single: bool = False
    wait: str = ""

    def case(self, size: int) -> Case:
        """The case of a size."""
        return Case(
            test=self.test.name,
            transport=self.transport,
            bytes=size,
            ranks=self.ranks,
            queue_depth=self.queue_depth,
            schedule=self.schedule,
            single=self.single,
            wait=self.wait,
        )

    def latency(
        self, line: OutputLine, size: int, word: str, unit_ns: Decimal = USEC, **stated: object
    ) -> StatedRow:
        """A row whose figure is a latency, in this unit. Zero is below the last digit."""
        value = line.value_of(word)
        if value is None:
            return self.without(line, size, _unmeasured(word))
        factor = max(self.test.latency_divisor, 1)
        digit_ns = float(digit_of(value) * unit_ns * factor)
        found = self._stated(line, digit_ns, stated)
        if value <= 0:
            return self.without(line, size, _none_of(word, value))
        time_ns = float(value * unit_ns * factor)
        if time_ns > _LONGEST_NS:
            return self.without(line, size, _too_long(word))
        return StatedRow(case=self.case(size), test=self.test, stated=found, time_ns=time_ns)

    def bandwidth(
        self, line: OutputLine, size: int, word: str, unit: Decimal = MEGA, **stated: object
    ) -> StatedRow:
        """A row whose figure is a bandwidth, in multiples of so many bytes/s."""
        value = line.value_of(word)
        if value is None:
            return self.without(line, size, _unmeasured(word))
        moved = Decimal(self.test.bandwidth_factor * size)
        if value <= 0 or not moved:
            return self.without(line, size, _none_of(word, value))
        time_ns = moved * SEC / (value * unit)
        digit_ns = float(time_ns * digit_of(value) / value)
        if time_ns > _LONGEST_NS:
            return self.without(line, size, _too_long(word))
        return StatedRow(
            case=self.case(size),
            test=self.test,
            stated=self._stated(line, digit_ns, stated),
            time_ns=float(time_ns),
        )

    def without(self, line: OutputLine, size: int, reason: str) -> StatedRow:
        """A row that has words in place of its figure."""
        return StatedRow(
            case=self.case(size),
            test=self.test,
            stated=Stated(figure="mean", place=line.place),
            reason=reason,
        )

    def _stated(self, line: OutputLine, digit_ns: float, more: dict[str, object]) -> Stated:
        figure: StatedFigure = "mean"
        found = Stated(figure=figure, place=line.place, digit_ns=digit_ns)
        return msgspec.structs.replace(found, **more)


def _unmeasured(word: str) -> str:
    """Why there is no figure in a word such as -nan."""
    return f"it states {word}, no value"


def _too_long(word: str) -> str:
    """Why there is no figure in a value of more time than a record keeps."""
    return f"it states {word}, over an hour for an operation"


def _none_of(word: str, value: Decimal) -> str:
    """Why there is no figure in a value that is not above 0."""
    return f"it states {word}, " + ("below nothing" if value < 0 else "below its last digit")


def digit_of(value: Decimal) -> Decimal:
    """What one unit of the last printed digit is worth."""
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
