"""The record: one run as an append-only file of JSON Lines, typed.

A file is a `Header`, then `Launch`, `Batch` and `LaunchEnd` lines as they happen, then a `Footer`.
A file without its footer is valid and can be resumed. Published as schemas/record-1.schema.json.
All times are raw ticks; `Clock.tick_ns` turns them into nanoseconds.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA_VERSION = 1
USUAL_QUEUE_DEPTH = 64
USUAL_RANKS = 2

Status = Literal["ok", "failed", "unsupported", "timeout"]
Role = Literal["calibrate", "measure"]
Outcome = Literal["precise", "budget", "interrupted", "failed"]
# What kind of figure a test gives; empty in records of engines that did not say.
Figure = Literal[
    "", "latency", "exchange", "one_sided_latency", "bandwidth", "burst", "overhead", "overlap",
    "loaded_latency", "registration", "copy",
]  # fmt: skip
# What cases may differ in; all that stand behind `bytes` are the way a test is measured in.
CaseAxis = Literal[
    "test", "transport", "bytes", "ranks", "queue_depth", "schedule", "single", "wait", "pages",
    "point",
]  # fmt: skip


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """What a benchmark varies beside the size: its name, unit and usual points (as --points).

    Points may run up to `ranks-1` or `ranks/2` of the run.
    """

    name: str = ""
    unit: str = ""
    points: str = ""


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """What of a benchmark decides how much memory its cases take (engine/run/footprint.hpp).

    The messages each way of one operation at most, those before the first operation, the series
    with its samples among them, whether it streams, and the receives that may be under way at
    once: so many, and so many for each of Q; and the buffers that it takes in turn where the case
    names one.
    """

    messages_per_operation: int = 1
    messages_before: int = 0
    series: int = 1
    streams: bool = False
    receives: int = 1
    receives_per_queue: int = 0
    buffers: int = 1


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """What one benchmark measures, as the engine itself declares it (PatternInfo in engine/).

    With t the time of one operation: latency is t / latency_divisor (0: has no latency),
    bandwidth is bandwidth_factor * bytes / t (0: has no bandwidth). An operation takes about
    time_factor times as long as t, which leaves pauses out. With every_operation a sample is one
    operation in any case, and the series `interval` says how long the next one waits for it.

    `figure` "latency" is the time of one message from a rank to another, and no other figure is.
    With has_queue it keeps the case's Q messages in flight, else it knows no queue depth. A sample
    of a stream holds such a latency `latencies_per_sample` times beside its messages' own
    times. A burst is `messages_per_burst` messages, a pause of the delay method `pause_trips` round
    trips. Each operation of the samples holds `clock_reads` reads of the clock, of a further series
    as many as `part_clock_reads` says, which an analysis takes off. With splits_operations an
    operation is one message of any of several streams, and a stream's own series has its share.
    """

    name: str
    title: str
    summary: str
    ranks: int
    latency_divisor: int
    bandwidth_factor: int
    least_bytes: int = 0
    time_factor: int = 1
    every_operation: bool = False
    footprint: Footprint = Footprint()
    axis: Axis = Axis()
    figure: Figure = ""
    has_queue: bool = False
    latencies_per_sample: int = 0
    messages_per_burst: int = 0
    pause_trips: int = 0
    clock_reads: int = 0
    part_clock_reads: dict[str, int] = {}
    splits_operations: bool = False
    supported: bool = True
    reason: str = ""


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Which buffer each message of a case uses, in order (DESIGN.md, the contract).

    `one`: always the same buffer. `turn`: `count` buffers in FIFO order. `reuse`: `reuse_percent`
    of the messages use one buffer, the others one each of `count` further ones, none of them twice
    in a batch.
    """

    kind: Literal["one", "turn", "reuse"] = "one"
    count: int = 1
    reuse_percent: int = 100

    def slots(self, receives: int) -> tuple[int, int]:
        """How many buffers messages are sent from and arrive in, of so many receives at once."""
        if self.most_messages is not None:
            return self.count + 1, self.count + receives
        sent = self.count if self.kind == "turn" else 1
        return sent, -(-receives // sent) * sent

    def places(self, receives: int) -> int:
        """How many messages the orders of both sides name before they begin again."""
        most = self.most_messages
        return sum(self.slots(receives)) if most is None else 2 * most

    @property
    def most_messages(self) -> int | None:
        """For how many messages a batch has buffers; None where they may be used again."""
        if self.kind != "reuse" or self.reuse_percent == 100:
            return None
        return self.count + self.count * self.reuse_percent // (100 - self.reuse_percent)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to measure: a test on a transport at one message size.

    `point` is where it lies on the axis of its test; None where the test has no axis. `pages` are
    those of its memory: small, huge, or as the kernel gives them.
    """

    # Cases that are alike are equal. What puts cases side by side takes the case itself, or what
    # `but_for` leaves of it, as the key; a test of style sees to it that no other key is made.

    test: str
    transport: str
    bytes: int
    ranks: int = USUAL_RANKS
    queue_depth: int = USUAL_QUEUE_DEPTH
    schedule: Schedule = Schedule()
    single: bool = False
    wait: str = ""
    pages: str = ""
    point: int | None = None

    @property
    def key(self) -> str:
        """The case's name in a record: transport/test/bytes, and what differs from the usual."""
        variant = self.variant
        return f"{self.transport}/{self.test}/{self.bytes}" + (f"/{variant}" if variant else "")

    def but_for(self, *axes: CaseAxis) -> Case:
        """The case whatever these axes are: equal for cases that differ in nothing else.

        The axes are as usual in it, so that its `variant` has only the others.
        """
        usual = Case(test="", transport="", bytes=0)
        return msgspec.structs.replace(self, **{axis: getattr(usual, axis) for axis in axes})

    @property
    def older_key(self) -> str:
        """The key in records from before it had the ranks; their plans had one number of them."""
        return self.but_for("ranks").key

    @property
    def variant(self) -> str:
        """The way of measuring, in words: what differs from the usual; empty for the usual."""
        schedule = self.schedule
        reuse = f"r{schedule.reuse_percent}" if schedule.kind == "reuse" else ""
        differs = {
            f"{self.ranks}ranks": self.ranks != USUAL_RANKS,
            "single": self.single,
            f"q{self.queue_depth}": self.queue_depth != USUAL_QUEUE_DEPTH,
            self.wait: bool(self.wait),
            f"{self.pages}_pages": bool(self.pages),
            f"{schedule.kind}{schedule.count}{reuse}": schedule.kind != "one",
            f"at{self.point}": self.point is not None,
        }
        return "/".join(word for word, is_so in differs.items() if is_so)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was asked of a run; enough to repeat it or to finish it.

    `options` is what the transports were told: a setting's name, or transport.setting.
    `case_deadline_s` is the longest wait for a case beyond what it is expected to take.
    `samples` is how many a case takes in each launch; 0: as many as its share of the budget allows.
    `suite` is the name of the set of tests that was asked for; empty where tests were. `launcher`
    is what started the ranks, and starts them again where the run is finished later.
    """

    cases: tuple[Case, ...]
    precision: float
    budget_s: float
    launches: int
    seed: int
    mpi: str
    options: dict[str, str] = {}
    case_deadline_s: float = 20.0
    samples: int = 0
    suite: str = ""
    launcher: str = "local"


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The tick counter of rank 0, calibrated against CLOCK_MONOTONIC_RAW.

    `overhead_ticks` is the median cost of one pair of reads; `baseline_ns` is how long the
    calibration lasted, so that its worth can be judged.
    """

    name: str
    tick_ns: float
    overhead_ticks: int
    baseline_ns: int

    @property
    def cost_ns(self) -> float:
        """What a pair of reads costs, at least a tick: a coarse clock often reads none."""
        return max(self.overhead_ticks, 1) * self.tick_ns

    def resolution_ns(self, ops_per_sample: int) -> float:
        """What one tick is worth in the time of one operation, of a sample of so many."""
        return self.tick_ns / ops_per_sample


class RankFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank ran: host name, process, and the logical CPU and NUMA node it was pinned to."""

    rank: int
    host: str
    pid: int
    cpu: int
    numa: int


class Header(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    """First line: what was planned, where, with what."""

    schema_version: int
    weft_version: str
    created_utc: str
    command: tuple[str, ...]
    plan: Plan
    patterns: tuple[Pattern, ...]
    hosts: dict[str, dict[str, Any]]
    notes: tuple[str, ...] = ()


class Launch(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="launch"):
    """One start of a transport's ranks."""

    launch: int
    transport: str
    started_utc: str
    mpi: str
    ranks: tuple[RankFacts, ...]
    clock: Clock
    details: dict[str, str]
    load_average: float


class Batch(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="batch"):
    """One answer of the engine: the raw ticks of one case in one launch, in time order.

    The first `warmup` of `ticks` are warm-up. Each tick count spans `ops_per_sample` operations.
    `order` counts the batches of the whole run. `elapsed_ns` is the batch as the engine saw it,
    with filling and verification; `timed_ns` is the timed pass on rank 0 alone, and `cpu_ns` the
    CPU time that each rank's process spent in its own. `memory_bytes` is rank 0's memory of
    messages, where they arrive or, if none do, where they lie, and `huge_bytes` of it were on huge
    pages by the kernel's own list (0 and 0 in records of before, where the case chose no pages).
    `queue_held` is how many of Q messages that a stream's sender posted at once were in flight
    then, the median over the warm-up and the largest of the ranks; None where nobody looked.
    `parts` are further series of the same samples: a name of the test's own, with the rank before
    it where that is not rank 0. `ended_launch`: the launch ended with this batch, because its ranks
    died, did not answer in time or lost their link; a batch that failed without it was measured
    wrongly.
    """

    case: str
    launch: int
    order: int
    role: Role
    status: Status
    reason: str = ""
    ops_per_sample: int = 1
    warmup: int = 0
    verified_bytes: int = 0
    elapsed_ns: int = 0
    timed_ns: int = 0
    cpu_ns: tuple[int, ...] = ()
    memory_bytes: int = 0
    huge_bytes: int = 0
    queue_held: int | None = None
    ticks: tuple[int, ...] = ()
    parts: dict[str, tuple[int, ...]] = {}
    ended_launch: bool = False


class LaunchEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="launch_end"):
    """The end of a launch: the clock calibrated again over its whole length, or why not."""

    launch: int
    status: Status
    reason: str = ""
    clock: Clock | None = None


class GivenUp(msgspec.Struct, frozen=True, kw_only=True):
    """What a run stopped trying: a test of a transport on so many ranks (every test where empty).

    Its cases that have no batch were not tried.
    """

    transport: str
    ranks: int
    test: str = ""
    reason: str

    def takes(self, case: Case) -> bool:
        """Whether a case is one of those that were given up."""
        is_of_crew = (case.transport, case.ranks) == (self.transport, self.ranks)
        return is_of_crew and self.test in ("", case.test)

    @property
    def in_words(self) -> str:
        """What was given up and why."""
        what = f"{self.test} over {self.transport}" if self.test else self.transport
        ranks = f" on {self.ranks} ranks" if self.ranks > 2 else ""
        return f"{what}{ranks} was given up: {self.reason}"


class Footer(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="footer"):
    """Last line of a closed record. `unsettled` lists the cases short of the asked precision."""

    finished_utc: str
    outcome: Outcome
    batches: int
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    given_up: tuple[GivenUp, ...] = ()


Line = Header | Launch | Batch | LaunchEnd | Footer
