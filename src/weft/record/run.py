"""A run as a notebook user wants it: typed, with polars tables."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.record.reader import RecordLines, read

if TYPE_CHECKING:
    import polars as pl

    from weft.record.model import Batch, Case, Clock, Footer, Header, Launch, Pattern


def load(path: str | Path) -> Run:
    """Read a record.

    Two lines plot a distribution in a notebook:

        run = weft.load("run.jsonl.zst")
        run.samples.filter(pl.col("bytes") == 8).plot.line("index", "latency_ns")

    Raises WeftError when the file is no readable record.
    """
    return Run(Path(path), read(Path(path)))


class Run:
    """One record: its lines by kind, and tables made from them on first use."""

    def __init__(self, path: Path, lines: RecordLines) -> None:
        self.path = path
        self.lines = lines

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
        """Whether the record was closed by its own run."""
        return self.footer is not None and self.footer.outcome in ("precise", "budget")

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
    def clocks(self) -> dict[int, Clock]:
        """For each launch its best calibration: the one at its end has the longer baseline."""
        clocks = {launch.launch: launch.clock for launch in self.lines.launches}
        for end in self.lines.ends:
            if end.clock is not None:
                clocks[end.launch] = end.clock
        return clocks

    @cached_property
    def measured(self) -> tuple[Batch, ...]:
        """The batches that were measured well, warm-up still in them."""
        return tuple(b for b in self.lines.batches if b.role == "measure" and b.status == "ok")

    def time_ns(self, batch: Batch) -> Any:
        """Nanoseconds of one operation, a numpy array of the batch's samples without warm-up."""
        import numpy as np  # noqa: PLC0415 - not needed to start the program

        ticks = np.asarray(batch.ticks[batch.warmup :], dtype=np.float64)
        return ticks * (self.clocks[batch.launch].tick_ns / batch.ops_per_sample)

    @cached_property
    def samples(self) -> pl.DataFrame:
        """A row a raw sample of the batches that were measured well, in time order.

        Columns: case, test, transport, bytes, launch, order, index, warmup, ops_per_sample, ticks,
        time_ns (one operation), latency_ns and bandwidth_bytes_per_s (null where a test has none).
        """
        import polars as pl  # noqa: PLC0415 - not needed to start the program

        parts = [self._samples_of(batch) for batch in self.measured]
        return pl.concat(parts) if parts else pl.DataFrame(schema=_samples_schema())

    def _samples_of(self, batch: Batch) -> pl.DataFrame:
        import numpy as np  # noqa: PLC0415 - as above
        import polars as pl  # noqa: PLC0415

        case = self.cases[batch.case]
        pattern = self.patterns[case.test]
        count = len(batch.ticks)
        ticks = np.asarray(batch.ticks, dtype=np.int64)
        time_ns = ticks * (self.clocks[batch.launch].tick_ns / batch.ops_per_sample)
        has_latency = pattern.latency_divisor > 0
        has_bandwidth = pattern.bandwidth_factor > 0 and case.bytes > 0
        moved = pattern.bandwidth_factor * case.bytes * 1e9
        with np.errstate(divide="ignore"):
            columns = {
                "case": pl.repeat(batch.case, count, eager=True),
                "test": pl.repeat(case.test, count, eager=True),
                "transport": pl.repeat(case.transport, count, eager=True),
                "bytes": np.full(count, case.bytes),
                "launch": np.full(count, batch.launch),
                "order": np.full(count, batch.order),
                "index": np.arange(count),
                "warmup": np.arange(count) < batch.warmup,
                "ops_per_sample": np.full(count, batch.ops_per_sample),
                "ticks": ticks,
                "time_ns": time_ns,
                "latency_ns": time_ns / pattern.latency_divisor if has_latency else [None] * count,
                "bandwidth_bytes_per_s": moved / time_ns if has_bandwidth else [None] * count,
            }
        return pl.DataFrame(columns, schema_overrides=_samples_schema())

    @cached_property
    def batches(self) -> pl.DataFrame:
        """A row a batch, whatever its status; without its ticks."""
        import polars as pl  # noqa: PLC0415 - not needed to start the program

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
        return pl.DataFrame(rows, infer_schema_length=None)

    @cached_property
    def host(self) -> pl.DataFrame:
        """A row a rank: rank, host, cpu, numa, and the host's manifest as JSON text."""
        import msgspec  # noqa: PLC0415 - only here
        import polars as pl  # noqa: PLC0415

        seen: dict[int, dict[str, Any]] = {}
        for launch in self.lines.launches:
            for rank in launch.ranks:
                manifest = self.header.hosts.get(rank.host, {})
                seen[rank.rank] = {
                    "rank": rank.rank,
                    "host": rank.host,
                    "cpu": rank.cpu,
                    "numa": rank.numa,
                    "manifest": msgspec.json.encode(manifest).decode(),
                }
        return pl.DataFrame(list(seen.values()))


def _samples_schema() -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415 - not needed to start the program

    return {
        "case": pl.Categorical,
        "test": pl.Categorical,
        "transport": pl.Categorical,
        "bytes": pl.Int64,
        "launch": pl.Int32,
        "order": pl.Int32,
        "index": pl.Int32,
        "warmup": pl.Boolean,
        "ops_per_sample": pl.Int32,
        "ticks": pl.Int64,
        "time_ns": pl.Float64,
        "latency_ns": pl.Float64,
        "bandwidth_bytes_per_s": pl.Float64,
    }
