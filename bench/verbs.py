"""weft's verbs transport beside perftest in the lab's machine, in turn, as ratios.

One boot holds all rounds. Time there is emulated, so only the ratios of a round mean something;
the figure is their median over the rounds, with their range. Example:

    python -m bench.verbs --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
ROUNDS = 5
SAMPLES = 400
STREAM_BYTES = 65_536
QUEUE_DEPTH = 64
DEVICE = "rxe0"
ADDRESS = "10.9.0.1"
DEADLINE_S = 1800


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A test of weft's and the program of perftest that measures the same."""

    test: str
    bytes: int
    program: str
    latency_divisor: int = 0
    wait: str = "spin"

    @property
    def name(self) -> str:
        """In words."""
        kind = "latency" if self.latency_divisor else "bandwidth"
        return f"verbs {self.test} {self.bytes} B {kind} ({self.wait}) / {self.program}"


PAIRS = (
    Pair(test="ping_pong", bytes=8, program="ib_send_lat", latency_divisor=2),
    Pair(test="put_ping_pong", bytes=8, program="ib_write_lat", latency_divisor=2),
    Pair(test="get_latency", bytes=8, program="ib_read_lat", latency_divisor=1),
    # The target of ib_write_bw sleeps. One that spins takes a core that Soft-RoCE works on.
    Pair(test="put_stream", bytes=STREAM_BYTES, program="ib_write_bw", wait="block"),
)


def ours(pair: Pair) -> float:
    """Median of weft's: latency in ns, or bandwidth in bytes per second. In the guest."""
    from lab.guest import drive  # noqa: PLC0415 - found in the guest only

    operations = 1 if pair.latency_divisor else 4 * QUEUE_DEPTH
    case = {
        "id": 1, "test": pair.test, "bytes": pair.bytes, "warmup": 5, "queue_depth": QUEUE_DEPTH,
        "samples": SAMPLES if pair.latency_divisor else 5, "ops_per_sample": operations,
        "verify": False, "wait": pair.wait,
    }  # fmt: skip
    answers = drive("verbs", case, words=("--option", f"device={DEVICE}"))
    [batch] = answers.batches
    if batch["status"] != "ok":
        raise RuntimeError(f"{pair.test}: {batch['reason']}")
    ticks = statistics.median(batch["ticks"][batch["warmup"] :])
    time_ns = ticks * answers.lines[-1]["clock"]["tick_ns"]
    if pair.latency_divisor:
        return float(time_ns / pair.latency_divisor)
    return float(pair.bytes * batch["ops_per_sample"] / time_ns * 1e9)


def theirs(pair: Pair) -> float:
    """The same of perftest's: its typical (median) latency, its average bandwidth. In the guest."""
    from lab.guest import beside, run  # noqa: PLC0415 - found in the guest only

    count = SAMPLES if pair.latency_divisor else 20 * QUEUE_DEPTH
    words = [pair.program, "-d", DEVICE, "-x", "1", "-s", str(pair.bytes), "-n", str(count), "-F"]
    if not pair.latency_divisor:
        words += ["-t", str(QUEUE_DEPTH), "--report_gbits"]
    with beside(["taskset", "-c", "1", *words]):
        done = run("taskset", "-c", "0", *words, ADDRESS, until_works=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    row = next((r for r in rows if r and r[0] == str(pair.bytes)), None)
    if row is None:
        raise RuntimeError(f"{pair.program}: {done.stdout}{done.stderr}")
    if pair.latency_divisor:
        return float(row[4]) * 1e3
    return float(row[3]) * 1e9 / 8


def measure_here(rounds: int) -> None:
    """In the guest: a line of JSON for each pair in each round, weft first in every other one."""
    for round_ in range(rounds):
        for at, pair in enumerate(PAIRS):
            sides: list[tuple[str, Callable[[Pair], float]]] = [("ours", ours), ("theirs", theirs)]
            figures = {name: side(pair) for name, side in sides[:: 1 - 2 * (round_ % 2)]}
            sys.stdout.write(json.dumps({"pair": at, **figures}) + "\n")
            sys.stdout.flush()


def main() -> None:
    """Boot the machine, measure there, print a line for each pair."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--here", action="store_true", help="this is the machine: do not boot one")
    asked = parser.parse_args()
    if asked.here:
        measure_here(asked.rounds)
        return
    python = ["env", f"PYTHONPATH={ROOT / 'tests'}", sys.executable, "-m", "bench.verbs", "--here"]
    done = subprocess.run(
        [ROOT / "tests" / "lab" / "vm", "--deadline", str(DEADLINE_S), *python,
         "--rounds", str(asked.rounds)],
        stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT, env=dict(os.environ),
    )  # fmt: skip
    found: dict[int, list[dict[str, float]]] = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        found.setdefault(row.pop("pair"), []).append(row)
    for at, rows in found.items():
        ratios = [row["ours"] / row["theirs"] for row in rows]
        better = "less" if PAIRS[at].latency_divisor else "more"
        sys.stdout.write(
            f"{PAIRS[at].name}: {statistics.median(ratios):.3f} "
            f"[{min(ratios):.3f}, {max(ratios):.3f}] in {len(ratios)} rounds, {better} is better\n"
        )
    if done.returncode != 0:
        sys.exit(f"bench.verbs: the machine ended with {done.returncode}")


if __name__ == "__main__":
    main()
