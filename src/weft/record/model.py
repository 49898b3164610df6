"""The record: one run as an append-only file of JSON Lines, typed.

A file is a `Header`, then `Launch`, `Batch` and `LaunchEnd` lines as they happen, then a `Footer`.
A file without its footer is valid and can be resumed. Published as schemas/record-1.schema.json.
All times are raw ticks; `Clock.tick_ns` turns them into nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from weft.file_values import Count, Details, Name, Number, Place, Seconds, Small, Tick, Word
from weft.plan.pattern import Pattern
from weft.plan.plan import Plan
from weft.wording import counted

if TYPE_CHECKING:
    from weft.plan.case import Case

SCHEMA_VERSION = 1

Status = Literal["ok", "failed", "unsupported", "timeout"]
Role = Literal["calibrate", "measure"]
Outcome = Literal["precise", "budget", "interrupted", "failed"]
StatedFigure = Literal["mean", "median", "minimum"]


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The tick counter of rank 0, calibrated against CLOCK_MONOTONIC_RAW.

    `overhead_ticks` is the median cost of one pair of reads; `baseline_ns` is how long the
    calibration lasted, so that its precision can be judged.
    """

    name: Word
    tick_ns: Annotated[float, msgspec.Meta(ge=1e-9, le=1e9)]
    overhead_ticks: Count
    baseline_ns: Count

    @property
    def cost_ns(self) -> float:
        """What a pair of reads costs, at least a tick: a coarse clock often reads none."""
        return max(self.overhead_ticks, 1) * self.tick_ns

    def or_longer(self, other: Clock | None) -> Clock:
        """The better calibration of two: the one with the longer baseline."""
        return other if other and other.baseline_ns > self.baseline_ns else self

    def resolution_ns(self, ops_per_sample: int) -> float:
        """What one tick is worth in the time of one operation, of a sample of so many."""
        return self.tick_ns / ops_per_sample


class RankFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank ran: host name, process, and the logical CPU and NUMA node it was pinned to.

    `socket` and `core` are those of the CPU, counted in hwloc's order; -1 if unknown.
    """

    rank: Small
    host: Word
    pid: Place
    cpu: Place
    numa: Place
    socket: Place = -1
    core: Place = -1


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Where the figures of a record come from that weft did not measure.

    `tool` printed them, in `version` where its output says so, into `files`. `command` started it,
    and `failed` is the line with which it ended badly; both are empty where no file has them.
    """

    tool: str
    version: str = ""
    files: tuple[str, ...] = ()
    command: str = ""
    failed: str = ""

    @property
    def program(self) -> str:
        """Its name, and its version where that is known."""
        return f"{self.tool} {self.version}".rstrip()


class KeptGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts below one switch, by their names, and its name; `absent` ones have no rank."""

    name: str
    members: tuple[str, ...]
    level: int = 1
    absent: tuple[str, ...] = ()


class KeptTopology(msgspec.Struct, frozen=True, kw_only=True):
    """The fabric of a map's hosts, as it was known when they were measured.

    `typed` are the words after --topology. Of words `asked` is the fabric and `routing` its routes.
    Of a file it has the groups of hosts and, where routes are known, from host to host the places
    in `links` of what a message passes; `cables` has the two links of each cable.
    """

    typed: tuple[str, ...]
    asked: dict[str, Any] = {}
    routing: str = ""
    groups: tuple[KeptGroup, ...] = ()
    links: tuple[str, ...] = ()
    ways: dict[str, dict[str, tuple[int, ...]]] = {}
    cables: dict[str, tuple[str, str]] = {}


class Header(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="header"):
    """First line: what was planned, where, with what.

    `topology` is the fabric of a map's hosts, if it was typed; older records have None.
    """

    schema_version: int
    weft_version: str
    created_utc: str
    command: tuple[str, ...]
    plan: Plan
    patterns: tuple[Pattern, ...]
    hosts: dict[Word, dict[str, Any]]
    notes: tuple[str, ...] = ()
    imported: Imported | None = None
    topology: KeptTopology | None = None

    @property
    def lacks_topology(self) -> bool:
        """Whether the command had --topology, but the record is too old to keep it."""
        typed = (word.partition("=")[0] for word in self.command)
        return self.topology is None and "--topology" in typed


CounterKind = Literal[
    "errors",
    "drops",
    "retransmissions",
    "duplicates",
    "ecn_marks",
    "link_flaps",
    "pauses",
    "waits",
]


class CounterRise(msgspec.Struct, frozen=True, kw_only=True):
    """How far a counter of a host rose since the batch before.

    `device` is an interface, an RDMA device with its port (`mlx5_0/1`) or a protocol of the host
    (`tcp`, `udp`, `ip`); `name` is the kernel's name of the counter. Duplicates are segments that
    TCP sent again although the first ones had arrived. Waits are ticks of a port without credits.
    """

    host: Word
    device: Word
    name: Word
    kind: CounterKind
    rise: Count


class Launch(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="launch"):
    """One start of a transport's ranks.

    `round` counts the rounds of the record, whichever command measured them; -1 in records of
    before. `session` counts the commands that measured it: 0 is the run, 1 its first resumption.
    `boots` has the boot id of each host of the launch, by name, where its kernel says it.
    `counters` has the kinds of events that each device of each host counts, as far as the engine
    read them; empty in records of before.
    """

    launch: Small
    transport: Name
    started_utc: str
    mpi: str
    ranks: tuple[RankFacts, ...]
    clock: Clock
    details: Details
    load_average: Seconds
    round: Place = -1
    session: Small = 0
    boots: dict[str, str] = {}
    counters: dict[str, dict[str, tuple[CounterKind, ...]]] = {}


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What another program printed of a case, of whose samples nothing else is known.

    The batch's only tick count is this `figure` of the time of one operation, over so many
    `operations` (0: it does not say). One unit of the last digit that it printed is worth
    `digit_ns`. `latencies_ns` are further percentiles of the latency that it states, "0" and "100"
    the shortest and the longest operation; `others` what else stands in the line, by its heads.
    `place` is the file and the line.
    """

    figure: StatedFigure
    place: str
    operations: Count = 0
    digit_ns: Annotated[float, msgspec.Meta(ge=0, le=1e18)] = 0.0
    latencies_ns: dict[str, Number] = {}
    others: dict[str, Number] = {}


class OverRanks(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of the ranks' series where they are too many for each value.

    `ranks` are those that have times of their own, rank 0's too. Series have their names, an empty
    one those times. Of each rank there are the `quantiles` at `shares` of its `values` samples
    behind the warm-up; of each sample, the warm-up's too, the `mean` over the ranks, and what the
    `slowest_rank` has. Of streams at once a sample has the `middle` (median) of the ranks' times
    and Jain's index of their rates in millionths, `fairness_ppm`.
    """

    ranks: tuple[Small, ...]
    values: Count
    shares: tuple[Annotated[float, msgspec.Meta(ge=0, le=1)], ...]
    quantiles: dict[str, tuple[tuple[Number, ...], ...]]
    mean: dict[str, tuple[Tick, ...]]
    slowest: dict[str, tuple[Tick, ...]]
    slowest_rank: tuple[Small, ...]
    middle: tuple[Tick, ...] = ()
    fairness_ppm: tuple[Count, ...] = ()

    @property
    def medians(self) -> dict[int, float]:
        """The median ticks of each rank's samples."""
        at = self.shares.index(0.5)
        own = self.quantiles[""]
        return {rank: values[at] for rank, values in zip(self.ranks, own, strict=True)}

    def fits(self, samples: int) -> bool:
        """Whether every series has as many values as there are samples, and every rank a median."""
        of_samples = (
            *self.mean.values(),
            *self.slowest.values(),
            self.slowest_rank,
            *filter(None, (self.middle, self.fairness_ppm)),
        )
        return (
            {"", *self.mean} == set(self.mean) == set(self.slowest) == set(self.quantiles)
            and all(len(one) == samples for one in of_samples)
            and all(len(own) == len(self.ranks) for own in self.quantiles.values())
            and all(len(row) == len(self.shares) for own in self.quantiles.values() for row in own)
            and 0.5 in self.shares
        )


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of a case in a launch: raw ticks in time order, and what was seen beside.

    The first `warmup` of `ticks` are warm-up. Each tick count spans `ops_per_sample` operations.
    `elapsed_ns` is the batch as the engine saw it, with filling and verification; `timed_ns` is the
    timed pass on rank 0 alone, and `cpu_ns` the CPU time that each rank's process spent in its own;
    simulated ranks have neither.
    `memory_bytes` is rank 0's memory of messages, where they arrive or, if none do, where they lie,
    and `huge_bytes` of it were on huge pages by the kernel's own list (0 and 0 in records of
    before, where the case chose no pages). `queue_held` is how many of Q messages that a stream's
    sender posted at once were in flight then, the median over the warm-up and the largest of the
    ranks; None where nobody looked. Of an application rank 0 sends `sent_bytes` in `sent_messages`
    messages an iteration; 0 and 0 where it has no neighbour. What it found out is in
    `application`, by the names that it gives. `pairs` counts the pairs of ranks that exchange
    measured messages, and `pairs_between_hosts` those whose ranks are on two hosts; 0 and 0 in
    older records and for operations of all ranks. `parts` are further series of the same samples: a
    name of the test's own, with the rank before it where that is not rank 0; of many ranks with
    many values those of rank 0 alone, and `over_ranks` has what is kept of all. `ended_launch`:
    the launch ended with this batch, because its ranks died, did not answer in time or lost their
    link; a batch that failed without it was measured wrongly. `stated`: the figure is another
    program's. `counters` are the hosts' counters of errors and other events that rose since the
    batch before.
    """

    status: Status
    reason: str = ""
    ops_per_sample: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)] = 1
    warmup: Count = 0
    verified_bytes: Count = 0
    elapsed_ns: Count = 0
    timed_ns: Count = 0
    cpu_ns: tuple[Count, ...] = ()
    memory_bytes: Count = 0
    huge_bytes: Count = 0
    queue_held: Place | None = None
    sent_bytes: Count = 0
    sent_messages: Count = 0
    pairs: Count = 0
    pairs_between_hosts: Count = 0
    ticks: tuple[Tick, ...] = ()
    application: dict[str, Number] = {}
    parts: dict[Word, tuple[Tick, ...]] = {}
    over_ranks: OverRanks | None = None
    ended_launch: bool = False
    stated: Stated | None = None
    counters: tuple[CounterRise, ...] = ()


class Batch(Sampled, frozen=True, kw_only=True, tag_field="kind", tag="batch"):
    """One answer of the engine, of one case in one launch.

    `order` counts the batches of the whole run. `needs_budget_s` is the budget for which an
    unsupported case would be measured; 0 where none is enough.
    """

    case: str
    launch: Place
    order: Count
    role: Role
    needs_budget_s: Seconds = 0.0


class LaunchEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="launch_end"):
    """The end of a launch: the clock calibrated again over its whole length, or why not.

    Of a predicted fabric `link_bytes` has what each link between switches carried in the launch,
    by its name, and `node` what the busiest node's cable did. `peak_bytes` is the most memory that
    its simulation had at once.
    """

    launch: Small
    status: Status
    reason: str = ""
    clock: Clock | None = None
    link_bytes: dict[str, Number] = {}
    peak_bytes: Count = 0


class GivenUp(msgspec.Struct, frozen=True, kw_only=True):
    """What a run stopped trying: a test of a transport on so many ranks (every test where empty).

    Its cases that have no batch were not tried.
    """

    transport: Name
    ranks: Small
    test: Name = ""
    reason: str

    def takes(self, case: Case) -> bool:
        """Whether a case is one of those that were given up."""
        is_of_group = case.transport == self.transport and case.ranks == self.ranks
        return is_of_group and self.test in ("", case.test)

    @property
    def in_words(self) -> str:
        """What was given up and why."""
        what = f"{self.test} over {self.transport}" if self.test else self.transport
        ranks = f" on {counted(self.ranks, 'rank')}" if self.ranks > 2 else ""
        return f"{what}{ranks} was given up: {self.reason}"


class Footer(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="footer"):
    """Last line of a closed record. `unsettled` lists the cases short of the target precision.

    `budget_s` is that of the command which wrote it; 0 in older records, which do not say.
    `lacking_s` is what the launches would take before which that budget ended, as the run says
    itself; 0 where it did not, and in older records. `silent_hosts` did not answer any more when
    the run ended.
    """

    finished_utc: str
    outcome: Outcome
    batches: Count
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    budget_s: Seconds = 0.0
    lacking_s: Seconds = 0.0
    silent_hosts: tuple[str, ...] = ()


Line = Header | Launch | Batch | LaunchEnd | Footer
