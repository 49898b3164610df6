"""What a record of many ranks takes: the length of a line, and `weft show`.

    python -m bench.shown 1024

The record has one launch of a halo on so many ranks, 1,000 samples of six series of which the
engine keeps what analyses use (docs/engine-protocol.md), drawn about a known time.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np

from weft.applications.lattice import Lattice
from weft.launch.programs import choose_mpi, programs
from weft.plan.case import Case
from weft.plan.plan import make_plan
from weft.record.model import Batch, Clock, Header, Launch, OverRanks, RankFacts
from weft.record.writer import RecordWriter

SAMPLES = 1000
SHARES = (0.0, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
PARTS = ("post", "compute", "wait", "sum", "")
TIME_TICKS = 250_000
SEED = 1


def over_ranks(ranks: int) -> OverRanks:
    """What is kept of so many ranks with exponential noise on a common time."""
    draw = np.random.default_rng(SEED)
    values = {
        name: TIME_TICKS + draw.exponential(TIME_TICKS / 20, (ranks, SAMPLES)) for name in PARTS
    }
    slowest = values[""].argmax(axis=0)
    at = np.arange(SAMPLES)
    quarters = {
        name: tuple(map(tuple, (np.round(np.quantile(own, SHARES, axis=1).T * 4) / 4).tolist()))
        for name, own in values.items()
    }
    return OverRanks(
        ranks=tuple(range(ranks)),
        values=SAMPLES,
        shares=SHARES,
        quantiles=quarters,
        mean={name: _whole(own.mean(axis=0)) for name, own in values.items()},
        slowest={name: _whole(own[slowest, at]) for name, own in values.items()},
        slowest_rank=tuple(slowest.tolist()),
    )


def _whole(values: np.ndarray) -> tuple[int, ...]:
    return tuple(np.rint(values).astype(int).tolist())


def write(path: Path, ranks: int) -> int:
    """Write the record; the bytes of its longest line."""
    [program] = [one for one in programs(choose_mpi()) if one.transport == "tcp"]
    patterns = tuple(one for one in program.patterns if one.name == "halo")
    lattice = Lattice(extents=(4, 4, 4, 4))
    case = Case(test="halo", transport="tcp", bytes=36, ranks=ranks, application=lattice.options)
    clock = Clock(name="tsc", tick_ns=0.4, overhead_ticks=40, baseline_ns=20_000_000)
    facts = [RankFacts(rank=at, host=f"n{at // 16}", pid=at, cpu=0, numa=0) for at in range(ranks)]
    plan = make_plan(
        (case,), precision=0.01, budget_s=60, launches=1, seed=1, mpi="openmpi", options={},
        case_deadline_s=20,
    )  # fmt: skip
    batch = Batch(
        case=case.key, launch=0, order=0, role="measure", status="ok",
        ticks=(TIME_TICKS,) * SAMPLES, parts={name: (1,) * SAMPLES for name in PARTS if name},
        over_ranks=over_ranks(ranks), cpu_ns=(10**9,) * ranks,
    )  # fmt: skip
    header = Header(
        schema_version=1, weft_version="0", created_utc="2026-01-01T00:00:00+00:00",
        command=("weft",), plan=plan, patterns=patterns, hosts={},
    )  # fmt: skip
    launch = Launch(
        launch=0, transport="tcp", started_utc="2026-01-01T00:00:00+00:00", mpi="", details={},
        ranks=tuple(facts), clock=clock, load_average=0.0,
    )  # fmt: skip
    with RecordWriter.create(path) as writer:
        for line in (header, launch, batch):
            writer.write(line)
    return len(msgspec.json.encode(batch))


def main(words: list[str]) -> None:
    """Print the length of the line, and the time and memory of `weft show`."""
    ranks = int(words[0]) if words else 1024
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.jsonl"
        line_bytes = write(path, ranks)
        begun = time.monotonic()
        subprocess.run(
            [Path(sys.executable).with_name("weft"), "show", path], check=True, timeout=600
        )
        took_s = time.monotonic() - begun
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    print(f"{ranks} ranks: a line of {line_bytes / 1e6:.2f} MB;"
          f" weft show {took_s:.2f} s, {peak_mb:.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
