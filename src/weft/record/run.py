"""A run as a notebook user wants it: typed, with polars tables."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from weft.record.frames import SAMPLE_COLUMNS, axes_of, batches_schema, facts_schema, leaves_of
from weft.record.launches import launch_medians, samples_by_launch
from weft.record.parts import parts_table
from weft.record.ranks import FIRST_RANK, ticks_of_samples
from weft.record.reader import RecordLines, read
from weft.stages import counted_off
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import polars as pl

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch, Clock, Footer, Header, Launch

# A case that fails in so many launches in a row gets no further one in that run.
MOST_TRIES = 2


def load(path: str | Path) -> Run:
    """Read a record. Raises WeftError when the file is no readable record."""
    return Run(Path(path), read(Path(path)))


def failure_of(batches: Sequence[Batch]) -> Batch | None:
    """The batch of a case, all of one case in their order, for which the case is not ok, if any.

    A batch that failed in a launch that went on (a wrong byte) stands whatever other launches gave.
    Launches that ended with the case (ranks died or hung) count where nothing was measured, or
    where the last MOST_TRIES launches of the case ended so: one loss is made good by the next try.
    """
    bad = [batch for batch in batches if batch.status != "ok"]
    for batch in bad:
        if batch.status == "failed" and not batch.ended_launch:
            return batch
    if not any(batch.role == "measure" and batch.status == "ok" for batch in batches):
        return bad[0] if bad else None
    tries = {batch.launch: batch for batch in batches}
    last = list(tries.values())[-MOST_TRIES:]
    gave_up = len(last) == MOST_TRIES and all(batch.status != "ok" for batch in last)
    return last[-1] if gave_up else None


class Run:
    """One record: its lines by kind, and tables made from them on first use.

    The axes of a case are columns of the tables of samples: case, test, transport, bytes, ranks,
    queue_depth, point (null: the test has no axis), variant.
    """

    def __init__(self, path: Path, lines: RecordLines) -> None:
        self.path = path
        self.lines = lines
        # Which part of the record it is: "over tcp", "with 3 of its 90 cases"; empty for all.
        self.part = ""

    def part_of(self, lines: RecordLines, part: str) -> Self:
        """Some of its lines, which are still of this record, never to be held against itself."""
        run = type(self)(self.path, lines)
        run.part = part
        run.fingerprint = self.fingerprint
        return run

    @property
    def header(self) -> Header:
        """What was planned, where, with what."""
        return self.lines.header

    @property
    def footer(self) -> Footer | None:
        """How the run ended; None if it did not, or its end was cut off."""
        return self.lines.footer

    @property
    def complete(self) -> bool:
        """Whether the run ended by itself and gave every case its launches."""
        ended = self.footer is not None and self.footer.outcome in ("precise", "budget")
        return ended and not self.missing

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The cases that lack some of the asked launches, by key; `weft run --resume` adds them.

        One that failed or timed out is among them, one that is not supported is not. Of an imported
        record there are none: weft cannot measure it.
        """
        refused = [b for b in self.lines.batches if b.status == "unsupported"]
        if self.header.imported:
            return ()
        # With a larger budget it was measured later.
        supported = {batch.case for batch in self.measured}
        unsupported = {b.case for b in refused if not (b.needs_budget_s and b.case in supported)}
        launches: dict[str, set[int]] = {key: set() for key in self.cases}
        for batch in self.measured:
            launches[batch.case].add(batch.launch)
        asked = self.header.plan.launches
        return tuple(
            key for key in self.cases if len(launches[key]) < asked and key not in unsupported
        )

    @cached_property
    def patterns(self) -> dict[str, Pattern]:
        """The benchmarks of this run by name."""
        return {pattern.name: pattern for pattern in self.header.patterns}

    @cached_property
    def cases(self) -> dict[str, Case]:
        """The planned cases by key, in plan order."""
        return {case.key: case for case in self.header.plan.cases}

    @cached_property
    def launches(self) -> dict[int, Launch]:
        """The launches by number."""
        return {launch.launch: launch for launch in self.lines.launches}

    @cached_property
    def sessions(self) -> tuple[frozenset[int], ...]:
        """The numbers of the launches that each command measured, in their order."""
        found: dict[int, set[int]] = {}
        for launch in self.lines.launches:
            found.setdefault(launch.session, set()).add(launch.launch)
        return tuple(frozenset(found[number]) for number in sorted(found))

    def sessions_of(self, launches: Iterable[int]) -> list[int]:
        """The number of the session of each launch."""
        return [self.launches[launch].session for launch in launches]

    def is_within_a_host(self, case: str) -> bool:
        """Whether all launches that measured the case had their ranks on one host: no link between.

        The ranks of a simulation are on nodes of its own.
        """
        if self.header.plan.simulated is not None:
            return self.cases[case].ranks == 1
        own = [self.launches[batch.launch] for batch in self.measured if batch.case == case]
        return all(len({rank.host for rank in launch.ranks}) == 1 for launch in own)

    @property
    def never_left_a_host(self) -> bool:
        """Whether no link is in any of its figures; a simulation is of nodes of its own."""
        transports = {case.transport for case in self.cases.values()}
        return self.header.plan.simulated is None and transports <= self.within_a_host

    @cached_property
    def within_a_host(self) -> frozenset[str]:
        """The transports of which a launch had its first two ranks, of several, on one host."""
        return frozenset(
            launch.transport
            for launch in self.lines.launches
            if len(launch.ranks) > 1 and len({rank.host for rank in launch.ranks[:2]}) == 1
        )

    @cached_property
    def clocks(self) -> dict[int, Clock]:
        """For each launch its best calibration: the one with the longer baseline."""
        clocks = {launch.launch: launch.clock for launch in self.lines.launches}
        for end in self.lines.ends:
            if end.launch in clocks:
                clocks[end.launch] = clocks[end.launch].or_longer(end.clock)
        return clocks

    @cached_property
    def measured(self) -> tuple[Batch, ...]:
        """The batches that were measured well, warm-up still in them."""
        return tuple(b for b in self.lines.batches if b.role == "measure" and b.status == "ok")

    @cached_property
    def by_case(self) -> dict[str, list[Batch]]:
        """The lines of every planned case by its key, in plan order, whatever came of them."""
        return _grouped(self.cases, self.lines.batches)

    @cached_property
    def measured_by_case(self) -> dict[str, list[Batch]]:
        """The batches that were measured well by their case, in plan order; no case without any."""
        return {key: own for key, own in _grouped(self.cases, self.measured).items() if own}

    @cached_property
    def launch_medians_ns(self) -> dict[str, dict[int, float]]:
        """By case and launch the median time of an operation, ns, of what was measured well."""
        return {
            case: launch_medians(samples_by_launch(own, self.time_ns))
            for case, own in self.measured_by_case.items()
        }

    def resolution_ns(self, batches: Iterable[Batch]) -> float:
        """What one tick of the clock is worth in the time of one operation, at worst.

        Of a figure that another program stated, its last digit.
        """
        return max(
            b.stated.digit_ns if b.stated else self.clocks[b.launch].resolution_ns(b.ops_per_sample)
            for b in batches
        )

    def only(self, cases: Collection[str]) -> Self:
        """The record as if just these cases had been planned, by key: others and their launches go.

        What the run as a whole says of itself stays: its notes, and how it ended.
        """
        lines = self.lines
        plan = self.header.plan
        kept = tuple(case for key, case in self.cases.items() if key in cases)
        batches = tuple(batch for batch in lines.batches if batch.case in cases)
        held = {batch.launch for batch in batches}
        header = msgspec.structs.replace(
            self.header, plan=msgspec.structs.replace(plan, cases=kept)
        )
        return self.part_of(
            msgspec.structs.replace(
                lines,
                header=header,
                batches=batches,
                launches=tuple(one for one in lines.launches if one.launch in held),
                ends=tuple(end for end in lines.ends if end.launch in held),
            ),
            f"{self.part} with {len(kept)} of its {counted(len(self.cases), 'case')}".lstrip()
            if len(kept) < len(self.cases)
            else self.part,
        )

    @cached_property
    def fingerprint(self) -> bytes:
        """That of the header and the first batch measured well: copies of one run have one."""
        return hashlib.blake2b(msgspec.json.encode((self.header, self.measured[:1]))).digest()

    def without_samples(self) -> Self:
        """The record without its samples, for who has made figures of them; it is still itself."""
        bare = tuple(
            msgspec.structs.replace(one, ticks=(), parts={}, over_ranks=None)
            for one in self.lines.batches
        )
        return self.part_of(msgspec.structs.replace(self.lines, batches=bare), self.part)

    def time_ns(self, batch: Batch, part: str = "") -> Any:
        """Nanoseconds of one operation, a numpy array of the batch's samples without warm-up.

        `part` names a further series of the batch instead, and FIRST_RANK rank 0's own where the
        figure is the mean over the ranks. Raises KeyError where it has none such.
        """
        if part == FIRST_RANK:
            series = batch.ticks
        else:
            series = batch.parts[part] if part else self._ticks(batch)
        return self.of_operation_ns(batch, series)

    def tick_of_operation_ns(self, batch: Batch) -> float:
        """What a tick of a sample is worth in the time of one operation."""
        return self.clocks[batch.launch].tick_ns / batch.ops_per_sample

    def of_operation_ns(self, batch: Batch, ticks: Any) -> Any:
        """Nanoseconds of one operation from ticks of the batch's samples, without its warm-up."""
        import numpy as np

        timed = np.asarray(ticks[batch.warmup :], dtype=np.float64)
        return timed * self.tick_of_operation_ns(batch)

    def _ticks(self, batch: Batch) -> Any:
        figure = self.patterns[self.cases[batch.case].test].figure
        return ticks_of_samples(figure, batch)

    @cached_property
    def samples(self) -> pl.DataFrame:
        """A row per raw sample of the batches that were measured well, in time order.

        Columns: the case's axes, launch, order, index, warmup, ops_per_sample, ticks,
        time_ns (one operation), latency_ns and bandwidth_bytes_per_s (null where a test has none).
        Calibration batches are not among them. Warm-up samples are, and are marked.
        """
        import numpy as np
        import polars as pl

        counts = np.array([len(batch.ticks) for batch in self.measured], dtype=np.int64)
        total = int(counts.sum())
        ticks = np.empty(total, dtype=np.float64)
        index = np.empty(total, dtype=np.int32)
        end = 0
        for batch in counted_off(self.measured, "collecting samples"):
            start, end = end, end + len(batch.ticks)
            ticks[start:end] = self._ticks(batch)
            index[start:end] = np.arange(end - start)
        facts = self._facts_of_measured()
        spread = pl.Series(np.repeat(np.arange(len(counts)), counts))
        frame = facts[spread].with_columns(index=pl.Series(index), ticks=pl.Series(ticks))
        time_ns = pl.col("ticks") * pl.col("ns_per_tick")
        return frame.with_columns(
            warmup=pl.col("index") < pl.col("warmup"),
            time_ns=time_ns,
            latency_ns=time_ns / pl.col("divisor"),
            bandwidth_bytes_per_s=pl.col("moved_bytes") * 1e9 / time_ns,
            ticks=pl.col("ticks").round().cast(pl.Int64),
        ).select(SAMPLE_COLUMNS)

    def _facts_of_measured(self) -> pl.DataFrame:
        """A row a measured batch: what its samples have in common, null where there is no figure.

        The time of one operation is ticks * ns_per_tick, of which latency is the part 1 / divisor.
        """
        import polars as pl

        rows = []
        for batch in self.measured:
            case = self.cases[batch.case]
            pattern = self.patterns[case.test]
            rows.append(
                {
                    **axes_of(case),
                    "launch": batch.launch,
                    "order": batch.order,
                    "warmup": batch.warmup,
                    "ops_per_sample": batch.ops_per_sample,
                    "ns_per_tick": self.tick_of_operation_ns(batch),
                    "divisor": pattern.latency_divisor or None,
                    "moved_bytes": pattern.bandwidth_factor * case.bytes or None,
                }
            )
        return pl.DataFrame(rows, schema=facts_schema())

    @cached_property
    def parts(self) -> pl.DataFrame:
        """A row per value of each series of the batches that were measured well, rank by rank.

        Columns: the case's axes, launch, order, index, warmup, rank, part, ticks, time_ns. `part`
        is empty for a rank's own times, which are `samples` for rank 0; else the name of a further
        series of the same samples, as the test calls it.
        """
        worth = ((batch, self.tick_of_operation_ns(batch)) for batch in self.measured)
        return parts_table(self.cases, worth)

    @cached_property
    def batches(self) -> pl.DataFrame:
        """One row per batch, whatever its status; without its ticks.

        `run.samples.join(run.batches, on=["case", "launch", "order"])` has what is to be known of
        each sample's batch: `case` is of one type in both.
        """
        import polars as pl

        rows = [
            {
                "case": batch.case,
                "launch": batch.launch,
                "order": batch.order,
                "role": batch.role,
                "status": batch.status,
                "reason": batch.reason,
                "ops_per_sample": batch.ops_per_sample,
                "samples": max(0, len(batch.ticks) - batch.warmup),
                "warmup": batch.warmup,
                "verified_bytes": batch.verified_bytes,
                "elapsed_ns": batch.elapsed_ns,
            }
            for batch in self.lines.batches
        ]
        return pl.DataFrame(rows, schema=batches_schema())

    @cached_property
    def host(self) -> pl.DataFrame:
        """One row per rank: rank, host, cpu, numa, launches, then the facts of its host by name.

        A rank that was placed differently in some launches has a row for each of its places;
        `launches` counts them. The host's facts are its manifest flattened: `cpu_model`,
        `software_kernel`; lists are JSON text.
        """
        import polars as pl

        places = Counter(
            (facts.rank, facts.host, facts.cpu, facts.numa)
            for launch in self.lines.launches
            for facts in launch.ranks
        )
        rows = []
        for (rank, host, cpu, numa), launches in sorted(places.items()):
            row = {"rank": rank, "host": host, "cpu": cpu, "numa": numa, "launches": launches}
            for name, value in leaves_of(self.header.hosts.get(host, {})):
                if name != "host":
                    row[name if name not in row else f"host_{name}"] = value
            rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _grouped(cases: Iterable[str], batches: Iterable[Batch]) -> dict[str, list[Batch]]:
    found: dict[str, list[Batch]] = {key: [] for key in cases}
    for batch in batches:
        found[batch.case].append(batch)
    return found
