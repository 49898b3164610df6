"""One thing to measure, and in what cases may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from weft.applications import case_of
from weft.applications.info import RECORDED_AS
from weft.file_values import Count, Name, Small

if TYPE_CHECKING:
    from weft.applications.interface import ApplicationCase

USUAL_QUEUE_DEPTH = 64
USUAL_RANKS = 2
# What cases may differ in; all behind `bytes` make the variant of a test.
CaseAxis = Literal[
    "test", "transport", "bytes", "ranks", "queue_depth", "schedule", "single", "wait", "pages",
    "point", "at_once", "direction", "application",
]  # fmt: skip

Direction = Literal["", "back"]


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Which buffer each message of a case uses, in order (engine/run/schedule.hpp).

    `one`: messages are sent from one buffer; receives under way at once have their own. `shared`:
    all receives share one buffer as well. `turn`: `count` buffers in FIFO order. `reuse`:
    `reuse_percent` of the messages use one buffer, the others one each of `count` further ones,
    none of them twice in a batch.
    """

    kind: Literal["one", "shared", "turn", "reuse"] = "one"
    count: Small = 1
    reuse_percent: Annotated[int, msgspec.Meta(ge=0, le=100)] = 100

    def slots(self, receives: int) -> tuple[int, int]:
        """How many buffers messages are sent from and arrive in, of so many receives at once."""
        if self.most_messages is not None:
            return self.count + 1, self.count + receives
        if self.kind == "shared":
            return 1, 1
        sent = self.count if self.kind == "turn" else 1
        return sent, -(-receives // sent) * sent

    def places(self, receives: int) -> int:
        """How many messages the orders of both sides name before they begin again."""
        most = self.most_messages
        return sum(self.slots(receives)) if most is None else 2 * most

    @property
    def is_repeated(self) -> bool:
        """Whether every message has the same buffer (engine/run/schedule.hpp)."""
        return self.kind in ("one", "shared")

    @property
    def most_messages(self) -> int | None:
        """For how many messages a batch has buffers; None where they may be used again."""
        if self.kind != "reuse" or self.reuse_percent == 100:
            return None
        return self.count + self.count * self.reuse_percent // (100 - self.reuse_percent)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to measure: a test on a transport at one message size.

    `point` is where it lies on the axis of its test; None where the test has no axis. `pages` are
    those of its memory: small, huge, or as the kernel gives them. `at_once` is how many pairs run
    at once in a test of pairs; 0: all. `direction` is "back" if rank 1 sends to rank 0 in a test
    that otherwise sends from rank 0 to rank 1. `application` are the options of an application,
    which only it understands (weft.applications); None where the test is none.
    """

    # Cases that are alike are equal. What puts cases side by side takes the case itself, or what
    # `but_for` leaves of it, as the key; a test of style sees to it that no other key is made.

    test: Name
    transport: Name
    bytes: Count
    ranks: Small = USUAL_RANKS
    queue_depth: Small = USUAL_QUEUE_DEPTH
    schedule: Schedule = Schedule()
    single: bool = False
    wait: str = ""
    pages: str = ""
    point: Small | None = None
    at_once: Small = 0
    direction: Direction = ""
    application: dict[str, Any] | None = msgspec.field(default=None, name=RECORDED_AS)

    def __hash__(self) -> int:
        # Options are a dictionary, and compared.
        return hash((self.test, self.transport, self.bytes, self.ranks, self.point))

    @property
    def key(self) -> str:
        """The case's name in a record: transport/test/bytes, and what differs from the defaults."""
        return self._key(self.variant)

    def _key(self, variant: str) -> str:
        return f"{self.transport}/{self.test}/{self.bytes}" + (f"/{variant}" if variant else "")

    @property
    def message_bytes(self) -> int:
        """The longest message at most."""
        of = self.of_application
        return of.message_bytes(self.bytes) if of else self.bytes

    @property
    def lanes(self) -> int:
        """With how many neighbours a rank has buffers of its own."""
        of = self.of_application
        return of.lanes if of else 1

    @property
    def threads(self) -> int:
        """The number of threads that each rank computes with."""
        of = self.of_application
        return of.threads if of else 1

    @property
    def of_application(self) -> ApplicationCase | None:
        """The case as its application has it; None where the test is none."""
        return None if self.application is None else case_of(self.application)

    def but_for(self, *axes: CaseAxis) -> Case:
        """The case whatever these axes are: equal for cases that differ in nothing else.

        The axes have their defaults in it, so that its `variant` has only the others.
        """
        default = Case(test="", transport="", bytes=0)
        return msgspec.structs.replace(self, **{axis: getattr(default, axis) for axis in axes})

    @property
    def older_keys(self) -> tuple[str, ...]:
        """The key in older records: before it had the ranks, and the application's own older words.

        Plans of the first had one number of ranks.
        """
        of = self.of_application
        older = self._key(self._variant(of.older_words)) if of else self.key
        return (self.but_for("ranks").key, older)

    @property
    def variant(self) -> str:
        """The options that differ from the defaults, in words; empty where none does."""
        of = self.of_application
        return self._variant(of.words if of else "")

    def _variant(self, of_application: str) -> str:
        schedule = self.schedule
        reuse = f"r{schedule.reuse_percent}" if schedule.kind == "reuse" else ""
        # Asked for at every turn, so nothing is written that is not in it.
        words = (
            f"{self.ranks}ranks" if self.ranks != USUAL_RANKS else "",
            "single" if self.single else "",
            f"q{self.queue_depth}" if self.queue_depth != USUAL_QUEUE_DEPTH else "",
            self.wait,
            f"{self.pages}_pages" if self.pages else "",
            f"{self.at_once}at_once" if self.at_once else "",
            self.direction,
            "shared" if schedule.kind == "shared" else "",
            "" if schedule.is_repeated else f"{schedule.kind}{schedule.count}{reuse}",
            f"at{self.point}" if self.point is not None else "",
            of_application,
        )
        return "/".join(filter(None, words))
