"""What a benchmark says of itself, as the engine describes it and the record keeps it."""

from __future__ import annotations

from typing import Literal

import msgspec

from weft.applications.info import RECORDED_AS, ApplicationInfo
from weft.file_values import Count, Name, Small
from weft.wording import counted

# The kind of figure of a test; empty in records of engines that did not report it.
FigureKind = Literal[
    "", "latency", "exchange", "one_sided_latency", "bandwidth", "burst", "overhead", "overlap",
    "loaded_latency", "registration", "copy", "iteration", "collective",
    "pairs",
]  # fmt: skip


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """What a benchmark varies beside the size: its name, unit and default points (as --points).

    Points may run up to `ranks-1` or `ranks/2` of the run.
    """

    name: str = ""
    unit: str = ""
    points: str = ""

    def at(self, point: int | None) -> str:
        """A place on it in words: "7 peers", "1 peer", "work 200 %"; empty where there is none.

        On an axis without a name, of an engine that did not report it, "point 7".
        """
        if point is None:
            return ""
        if not self.name:
            return f"point {point}"
        if self.name.endswith("s"):
            return counted(point, self.name.removesuffix("s"))
        return f"{self.name} {point} {self.unit}".rstrip()


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a benchmark that decide the memory of its cases (engine/run/footprint.hpp).

    The messages each way of one operation at most, those before the first operation, the series
    with its samples among them, whether it streams, and the receives that may be under way at
    once: so many, so many for each of Q, and so many for each unit of the point; the buffers that
    it takes in turn where the case names one; what an application needs for each site of a rank;
    the messages of a test that has memory of its own in place of buffers: so many, and so many for
    each rank; and the ranks that take part: so many, and so many for each unit of the point
    (neither, or the latter at point 0: all ranks). Of a star rank 0 has buffers for each of the
    others.
    """

    messages_per_operation: Small = 1
    messages_before: Small = 0
    series: Small = 1
    streams: bool = False
    receives: Small = 1
    receives_per_queue: Small = 0
    receives_per_point: Small = 0
    buffers: Small = 1
    bytes_per_site: Small = 0
    own_messages: Small = 0
    own_messages_per_rank: Small = 0
    ranks: Small = 0
    ranks_per_point: Small = 0
    is_star: bool = False

    def own_messages_of(self, case_ranks: int) -> int:
        """How many messages a rank gives and gets in an operation of all ranks; else 0."""
        return self.own_messages + self.own_messages_per_rank * case_ranks

    def ranks_of(self, case_ranks: int, point: int) -> int:
        """How many of a case's ranks take part at a point."""
        named = self.ranks + self.ranks_per_point * point
        if not named or (self.ranks_per_point and not point):
            return case_ranks
        return min(named, case_ranks)


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """What one benchmark measures, as the engine itself declares it (PatternInfo in engine/).

    With t the time of one operation: latency is t / latency_divisor (0: has no latency),
    bandwidth is bandwidth_factor * bytes / t (0: has no bandwidth). An operation takes about
    time_factor times as long as t, which leaves pauses out. With every_operation a sample is one
    operation in any case, and the series `interval` says how long the next one waits for it.

    `figure` "latency" is the time of one message from a rank to another, and no other figure is; a
    "collective" is the mean over the ranks; of "pairs" each rank has its own, and the test's is the
    median over them. Without has_size it has no messages: it is planned with
    0 bytes. With has_queue it keeps the case's Q messages in flight, else it knows no queue depth.
    With has_directions it can be measured from rank 1 to rank 0 too.
    A sample of a stream holds such a latency `latencies_per_sample` times beside its messages' own
    times. A burst is `messages_per_burst` messages, a pause of the delay method `pause_trips` round
    trips. Each operation of the samples holds `clock_reads` reads of the clock, of a further series
    as many as `part_clock_reads` says, which an analysis takes off. With splits_operations an
    operation is one message of any of several streams, and a stream's own series has its share.
    `parts` are the further series in the test's own order; `application` says what one is, if any.
    """

    name: Name
    title: str
    summary: str
    ranks: Small
    latency_divisor: Small
    bandwidth_factor: Small
    least_bytes: Count = 0
    has_size: bool = True
    time_factor: Small = 1
    every_operation: bool = False
    footprint: Footprint = Footprint()
    axis: Axis = Axis()
    figure: FigureKind = ""
    has_queue: bool = False
    has_directions: bool = False
    latencies_per_sample: Small = 0
    messages_per_burst: Small = 0
    pause_trips: Small = 0
    clock_reads: Small = 0
    part_clock_reads: dict[str, Small] = {}
    splits_operations: bool = False
    parts: tuple[str, ...] = ()
    application: ApplicationInfo = msgspec.field(default=ApplicationInfo(), name=RECORDED_AS)
    supported: bool = True
    reason: str = ""

    @property
    def has_buffers(self) -> bool:
        """Whether messages have the case's buffers: operations of all ranks have their own."""
        return self.figure != "collective"

    @property
    def has_waits(self) -> bool:
        """Whether it waits for messages: what the memory or the library does alone has none."""
        return self.figure not in ("collective", "copy", "registration")
