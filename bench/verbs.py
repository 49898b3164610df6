"""weft's verbs transport beside perftest in the lab's machine, in turn.

One boot holds all rounds, for time there is emulated: only the ratios of one boot mean something.
In each round weft measures all that was asked for in one launch, and perftest's programs follow, or
the other way round.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]
SAMPLES = 400
STREAM_BYTES = 65_536
QUEUE_DEPTH = 64
DEVICE = "rxe0"
ADDRESS = "10.9.0.1"
DEADLINE_S = 3600
# A launch's first figures come from processes that have just started; perftest has no warm-up.
WARMUP = 5


class LabComparison(msgspec.Struct, frozen=True, kw_only=True):
    """A test of weft's and the program of perftest that measures the same.

    `latency_divisor` turns weft's times into perftest's latency; without it both are bandwidths.
    """

    name: str
    test: str
    bytes: int
    program: str
    latency_divisor: int = 0
    wait: str = "spin"

    @property
    def figure(self) -> str:
        """What is compared."""
        return "latency_ns" if self.latency_divisor else "bandwidth_bytes_per_s"

    @property
    def what(self) -> str:
        """In words."""
        kind = self.figure.partition("_")[0]
        return (
            f"verbs {self.test} {self.bytes} B {kind} / {self.program} on Soft-RoCE in the lab's"
            f" machine (weft: {self.wait})"
        )

    def case(self, number: int) -> dict[str, object]:
        """What the engine is told."""
        return {
            "id": number, "test": self.test, "bytes": self.bytes, "warmup": WARMUP,
            "queue_depth": QUEUE_DEPTH, "verify": False, "wait": self.wait,
            "samples": SAMPLES if self.latency_divisor else 5,
            "ops_per_sample": 1 if self.latency_divisor else 4 * QUEUE_DEPTH,
        }  # fmt: skip

    def words(self) -> list[str]:
        """perftest's command line, without the server's address."""
        count = SAMPLES if self.latency_divisor else 20 * QUEUE_DEPTH
        words = [self.program, "-d", DEVICE, "-x", "1", "-s", str(self.bytes), "-n", str(count)]
        return [*words, "-F", *([] if self.latency_divisor else ["-t", str(QUEUE_DEPTH)])]


def comparisons() -> tuple[LabComparison, ...]:
    """All of them, in the order in which a round measures them."""
    return (
        LabComparison(
            name="verbs-send-latency", test="ping_pong", bytes=8, program="ib_send_lat",
            latency_divisor=2,
        ),
        LabComparison(
            name="verbs-write-latency", test="put_ping_pong", bytes=8, program="ib_write_lat",
            latency_divisor=2,
        ),
        # The target of both sleeps: one that spins makes a read over Soft-RoCE half as long again.
        LabComparison(
            name="verbs-read-latency", test="get_latency", bytes=8, program="ib_read_lat",
            latency_divisor=1,
        ),
        # The target of ib_write_bw sleeps. One that spins takes a core that Soft-RoCE works on.
        LabComparison(
            name="verbs-write-bandwidth", test="put_stream", bytes=STREAM_BYTES,
            program="ib_write_bw", wait="block",
        ),
    )  # fmt: skip


def figure_of(pair: LabComparison, batch: dict[str, object], tick_ns: float) -> float:
    """The median of a batch of the engine's: latency in ns, or bandwidth in bytes/s."""
    if batch["status"] != "ok":
        raise RuntimeError(f"{pair.name}: {batch['reason']}")
    answer = msgspec.convert(batch, _Batch)
    time_ns = statistics.median(answer.ticks[answer.warmup :]) * tick_ns
    if pair.latency_divisor:
        return time_ns / pair.latency_divisor
    return pair.bytes * answer.ops_per_sample / time_ns * 1e9


class _Batch(msgspec.Struct):
    ticks: list[int]
    warmup: int
    ops_per_sample: int


def parse_perftest(told: str, pair: LabComparison) -> float:
    """perftest's typical (median) latency in ns, or its average bandwidth in bytes/s."""
    rows = [line.split() for line in told.splitlines()]
    row = next((r for r in rows if r and r[0] == str(pair.bytes)), None)
    if row is None:
        raise RuntimeError(f"{pair.program} printed no figures: {told[-300:]}")
    # bytes, iterations, least, most, typical in us; or bytes, iterations, peak, average in MiB/s.
    return float(row[4]) * 1e3 if pair.latency_divisor else float(row[3]) * 2**20


def _ours(pairs: Sequence[LabComparison]) -> dict[str, float]:
    from lab.guest import drive  # noqa: PLC0415 - found in the guest only

    cases = [pair.case(number) for number, pair in enumerate(pairs)]
    answers = drive("verbs", *cases, words=("--option", f"device={DEVICE}"))
    if len(answers.batches) != len(pairs):
        raise RuntimeError(f"weft ended early: {answers}")
    tick_ns = float(answers.lines[-1]["clock"]["tick_ns"])
    return {
        pair.name: figure_of(pair, batch, tick_ns)
        for pair, batch in zip(pairs, answers.batches, strict=True)
    }


def _theirs(pairs: Sequence[LabComparison]) -> dict[str, float]:
    from lab.guest import beside, run  # noqa: PLC0415 - found in the guest only

    found = {}
    for pair in pairs:
        with beside(["taskset", "-c", "1", *pair.words()]):
            done = run("taskset", "-c", "0", *pair.words(), ADDRESS, until_works=True)
        found[pair.name] = parse_perftest(done.stdout + done.stderr, pair)
    return found


def measure_here(names: Sequence[str], rounds: int) -> Iterator[dict[str, object]]:
    """In the guest: for each round and comparison what to print, weft first in every other one."""
    pairs = [pair for pair in comparisons() if pair.name in names]
    for round_ in range(rounds):
        sides = (("ours", _ours), ("theirs", _theirs))[:: 1 - 2 * (round_ % 2)]
        found = {name: side(pairs) for name, side in sides}
        for pair in pairs:
            figures = {side: found[side][pair.name] for side in found}
            if min(figures.values()) <= 0:
                # perftest's clock in the emulated machine at times gives it no bandwidth at all.
                sys.stderr.write(f"round {round_ + 1}: skipped: {pair.name}: {figures}\n")
                continue
            yield {"name": pair.name, **figures}


def in_one_boot(names: Sequence[str], rounds: int) -> dict[str, list[dict[str, float]]]:
    """The figures of each round, ours and theirs, by name. Boots the lab's machine."""
    python = ["env", f"PYTHONPATH={ROOT / 'tests'}", sys.executable, "-m", "bench.verbs"]
    done = subprocess.run(
        [ROOT / "tests" / "lab" / "vm", "--deadline", str(DEADLINE_S), *python, str(rounds),
         *names],
        stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT, env=dict(os.environ),
    )  # fmt: skip
    if done.returncode != 0:
        sys.stderr.write(f"bench: the lab's machine ended with {done.returncode}\n")
    return figures_by_name(done.stdout)


def figures_by_name(told: str) -> dict[str, list[dict[str, float]]]:
    """From the guest's lines."""
    found: dict[str, list[dict[str, float]]] = {}
    for line in told.splitlines():
        row = json.loads(line)
        found.setdefault(row["name"], []).append({"ours": row["ours"], "theirs": row["theirs"]})
    return found


if __name__ == "__main__":
    for printed in measure_here(sys.argv[2:], int(sys.argv[1])):
        sys.stdout.write(json.dumps(printed) + "\n")
        sys.stdout.flush()
