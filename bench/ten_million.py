"""A record of 10^7 samples: what loading, fitting and reporting it take in time and memory.

`python -m bench.ten_million` makes the record in a temporary folder, then does all three in a
process of its own and prints what it took. `--keep FOLDER` keeps record and report.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.plan.plan import Plan
from weft.record.model import SCHEMA_VERSION, Batch, Clock, Footer, Header, Launch, RankFacts
from weft.record.run import load
from weft.record.writer import RecordWriter, compress
from weft.report.page import write_report
from weft.sources.series import models_of
from weft.topics import results_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.record.model import Line

SAMPLES = 10_000_000
LAUNCHES = 20
TRANSPORTS = ("mpi", "tcp")
TESTS = (("ping_pong", 2, 2), ("ping_ping", 1, 1), ("sendrecv", 1, 2), ("stream", 0, 1),
         ("bidirectional_stream", 0, 2))  # fmt: skip
SIZES = tuple(1 << exponent for exponent in range(25))


def main() -> None:
    """Make the record, then look at a process that works through it."""
    parser = argparse.ArgumentParser(prog="python -m bench.ten_million", description=__doc__)
    parser.add_argument("--keep", type=Path, help="keep record and report in this folder")
    parser.add_argument("--worked", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worked:
        sys.stdout.write(json.dumps(worked_through(asked.worked)) + "\n")
        return
    figures = figures_of(make(asked.keep / "ten-million.jsonl")) if asked.keep else measured()
    sys.stdout.writelines(f"{name:<16}{value:.4g}\n" for name, value in figures.items())


def measured() -> dict[str, float]:
    """Make a record, and the figures of working through it."""
    with tempfile.TemporaryDirectory() as folder:
        return figures_of(make(Path(folder) / "ten-million.jsonl"))


def figures_of(record: Path) -> dict[str, float]:
    """What a new process that does it all takes, and how long it is until it has ended."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "bench.ten_million", "--worked", record],
        capture_output=True,
        check=True,
        text=True,
        timeout=600,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures | {"whole_s": time.perf_counter() - start}


def worked_through(record: Path) -> dict[str, float]:
    """Load, summarise, fit the latencies, write the report: seconds of the processor."""
    marks = [time.process_time()]
    run = load(record)
    marks.append(time.process_time())
    summaries = summarise(run)
    marks.append(time.process_time())
    models = models_of([run])
    marks.append(time.process_time())
    write_report([results_of(run, summaries)], record.with_suffix(".html"), models)
    marks.append(time.process_time())
    names = ("load_s", "summarise_s", "fit_s", "report_s")
    steps = {n: b - a for n, a, b in zip(names, marks[:-1], marks[1:], strict=True)}
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "samples": float(sum(len(batch.ticks) for batch in run.measured)),
        **steps,
        "processor_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss * 1024 / 1e6,
    }


def make(path: Path, samples: int = SAMPLES) -> Path:
    """Write the packed record: every test and transport, skewed times about a line."""
    return compress(write(path, samples))


def write(path: Path, samples: int = SAMPLES, seed: int = 1) -> Path:
    """The same, not packed."""
    with RecordWriter.create(path) as writer:
        for line in _lines(samples, seed):
            writer.write(line)
    return path


def _lines(samples: int, seed: int) -> Iterator[Line]:
    cases = tuple(
        Case(test=test, transport=transport, bytes=size)
        for transport in TRANSPORTS
        for test, _, _ in TESTS
        for size in SIZES
    )
    random = np.random.default_rng(seed)
    clock = Clock(name="tsc", tick_ns=0.5, overhead_ticks=40, baseline_ns=3_000_000_000)
    ranks = tuple(RankFacts(rank=rank, host="node", pid=rank, cpu=rank, numa=0) for rank in (0, 1))
    yield _header(cases)
    order = 0
    for launch in range(LAUNCHES):
        transport = TRANSPORTS[launch % len(TRANSPORTS)]
        yield Launch(
            launch=launch,
            transport=transport,
            started_utc="2026-01-02T03:04:06+00:00",
            mpi="Open MPI",
            ranks=ranks,
            clock=clock,
            details={},
            load_average=0.1,
        )
        for case in (case for case in cases if case.transport == transport):
            level = 2 * (2000 + 0.1 * case.bytes) * random.lognormal(0, 0.01)
            ticks = level * (1 + 0.02 * random.gamma(2.0, 1.0, _batch_samples(samples)))
            yield Batch(
                case=case.key,
                launch=launch,
                order=order,
                role="measure",
                status="ok",
                warmup=1,
                verified_bytes=1,
                elapsed_ns=1,
                ticks=tuple(ticks.astype(np.int64).tolist()),
            )
            order += 1
    yield Footer(finished_utc="2026-01-02T03:05:06+00:00", outcome="precise", batches=order)


def _batch_samples(samples: int) -> int:
    """Samples a batch, so that all batches have so many together."""
    return samples // (LAUNCHES * len(TESTS) * len(SIZES))


def _header(cases: tuple[Case, ...]) -> Header:
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version="0.1.0",
        created_utc="2026-01-02T03:04:05+00:00",
        command=("weft", "run"),
        plan=Plan(cases=cases, precision=0.01, budget_s=60, launches=LAUNCHES // 2, seed=1,
                  mpi="openmpi"),
        patterns=tuple(
            Pattern(name=name, title=name, summary=name, ranks=2, latency_divisor=divisor,
                    bandwidth_factor=factor)
            for name, divisor, factor in TESTS
        ),
        hosts={"node": {"host": "node", "cpu": {"model": "made"}}},
    )  # fmt: skip


if __name__ == "__main__":
    main()
