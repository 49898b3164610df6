"""The engine's line protocol: what rank 0 reads and writes, a line each (docs/engine-protocol.md).

A launch begins with a `Hello`, has an `Answer` for each case, and ends with a `Bye`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weft.record.model import Clock, CounterKind, RankFacts, Sampled, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_SHOWN = 80


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's first line: where its ranks run, its clock's calibration, what hosts count."""

    transport: str
    mpi: str
    ranks: tuple[RankFacts, ...]
    clock: Clock
    details: dict[str, str] = {}
    counters: dict[str, dict[str, tuple[CounterKind, ...]]] = {}


class Answer(Sampled, frozen=True, kw_only=True):
    """The engine's answer to a case; with `ended_launch` its link is gone and it gives no other."""

    id: int


class Bye(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's last line.

    Of a simulation `link_bytes` are those that links of the fabric carried, and `peak_bytes` the
    most memory that it had at once.
    """

    clock: Clock
    link_bytes: dict[str, float] = {}
    peak_bytes: int = 0


class LaunchError(Exception):
    """The ranks are gone or did not answer; `status` is failed or timeout.

    `is_recorded`: they said so themselves, in an answer that is in the record.
    """

    def __init__(self, status: Status, reason: str, *, is_recorded: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.is_recorded = is_recorded


class UnknownLineError(Exception):
    """A line that is not of the protocol; `is_bye`: it is the last one, and another was due."""

    def __init__(self, reason: str, *, is_bye: bool) -> None:
        super().__init__(reason)
        self.is_bye = is_bye


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_T = TypeVar("_T", Hello, Answer, Bye)


def encode(case: Mapping[str, Any], deadline_s: float) -> bytes:
    """A case as rank 0 reads it; a rank gives up a little after whoever waits for its answer."""
    return msgspec.json.encode({**case, "deadline_s": int(deadline_s) + 2}) + b"\n"


def decode(line: bytes, kind: type[_T]) -> _T:
    """A line of the kind that is due. Raises UnknownLineError for any other."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        shown = line[:LONGEST_SHOWN].decode(errors="replace")
        reason = f"the engine wrote a line that is not of its protocol: {shown}"
        raise UnknownLineError(reason, is_bye=_is_bye(line)) from None


def answer_to(case: Mapping[str, Any], line: bytes) -> Answer:
    """The answer to this case. Raises UnknownLineError, or LaunchError for that to another one."""
    answer = decode(line, Answer)
    if answer.id != case["id"]:
        why = f": {answer.reason}" if answer.reason else ""
        raise LaunchError(
            "failed", f"the engine answered case {answer.id} instead of case {case['id']}{why}"
        )
    return answer


def _is_bye(line: bytes) -> bool:
    try:
        return msgspec.json.decode(line, type=_Kind).kind == "bye"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
