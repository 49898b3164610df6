"""What simulated ranks cost here: memory of each, and the time of each message.

The simulator is driven as `weft predict` drives it, as coarse as so many ranks and such messages
allow: a halo on all ranks of one switch.

    python -m bench.simulated_ranks 256 1024 4096 --into docs/validation/many-ranks.md

writes the table of the page, with what their laws say of 16,384 ranks.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

from bench.scale import Row, table_of
from bench.tables import with_table
from weft.fabric.topologies import FabricAsked
from weft.launch.programs import SIMULATOR, engine_folder
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTENTS = (4, 4, 4, 4)
# A site's bytes of faces that are sent at once, and of such as are asked for first.
EAGER_BYTES, RENDEZVOUS_BYTES = 36, 288
EAGER_BELOW_BYTES = 4096
# What a rank sends in an iteration.
FACES = 8
# Before a case and behind it each rank sends a byte to each neighbour.
FURTHER = 2
# So many messages a case has, or one iteration.
MESSAGES = 80_000
_DEADLINE_S = 1200
_KIB = 1024


class SimulatedCost(msgspec.Struct, frozen=True, kw_only=True):
    """Of one number of simulated ranks; the times of one message are a processor's."""

    ranks: int
    peak_bytes: int
    eager_s: float
    rendezvous_s: float

    @property
    def rank_bytes(self) -> float:
        """The memory of one of them, bytes."""
        return self.peak_bytes / self.ranks


def cost_of(ranks: int) -> SimulatedCost:
    """A start of the simulator, and a halo of each kind of messages on all of its ranks.

    Raises RuntimeError where a case fails.
    """
    with tempfile.TemporaryDirectory(prefix="weft-simulated-") as folder:
        platform = Path(folder) / "platform.xml"
        platform.write_text(_platform(ranks).xml)
        words = ["--platform", str(platform), "--ranks", str(ranks), "--heads"]
        with subprocess.Popen(
            [str(engine_folder() / SIMULATOR / "rank-sim"), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as up:  # fmt: skip
            assert up.stdin
            assert up.stdout
            up.stdout.readline()
            eager_s = _message_s(up, ranks, EAGER_BYTES)
            rendezvous_s = _message_s(up, ranks, RENDEZVOUS_BYTES)
            status = Path(f"/proc/{up.pid}/status").read_text()
            up.stdin.close()
            up.stdout.read()
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return SimulatedCost(
        ranks=ranks, peak_bytes=int(peak) * _KIB, eager_s=eager_s, rendezvous_s=rendezvous_s
    )


def _message_s(up: subprocess.Popen[bytes], ranks: int, site_bytes: int) -> float:
    """What a message of a halo takes of a processor, s: a case's time over all of its messages."""
    assert up.stdin
    assert up.stdout
    iterations = max(MESSAGES // (ranks * FACES), 1)
    used = psutil.Process(up.pid)
    begun_s = sum(used.cpu_times()[:2])
    up.stdin.write(_case(iterations, site_bytes))
    up.stdin.flush()
    answer = json.loads(up.stdout.readline())
    if answer["status"] != "ok":
        raise RuntimeError(f"a simulated halo: {answer['reason']}")
    case_s = sum(used.cpu_times()[:2]) - begun_s
    return case_s / (ranks * FACES * (iterations + FURTHER))


def _case(samples: int, site_bytes: int) -> bytes:
    case = {
        "id": samples, "test": "halo", "bytes": site_bytes, "samples": samples, "warmup": 0,
        "ops_per_sample": 1, "verify": False, "deadline_s": _DEADLINE_S,
        "lattice": {"extents": list(EXTENTS), "sums": 0},
    }  # fmt: skip
    return json.dumps(case).encode() + b"\n"


def _platform(ranks: int) -> SimulatedPlatform:
    named = SimulatedPlatform(name="crossbar", kind="model", nodes=ranks)
    known = Protocols(
        transfer=(Piece(0, 2000.0, 1.0),),
        blocking_send=(Piece(0, 500.0),),
        send=(Piece(0, 500.0),),
        receive=(Piece(0, 500.0),),
        eager_below_bytes=EAGER_BELOW_BYTES,
        bus_factor=1.25,
    )
    one_switch = Variant(fabric=FabricAsked(nodes=ranks, switch=str(ranks)))
    face_bytes = EAGER_BYTES * math.prod(EXTENTS[1:])
    known_links = at_crossbar(named, known, "crossbar")
    return predicted(known_links, one_switch, shortest_bytes=face_bytes)


def rows_of(costs: Sequence[SimulatedCost]) -> list[Row]:
    """The lines of the table."""
    told = [
        ("memory of a simulated rank", "kB", 1e-3, "rank_bytes"),
        ("a processor's time of a simulated message, sent at once", "us", 1e6, "eager_s"),
        ("the same, asked for first (rendezvous)", "us", 1e6, "rendezvous_s"),
    ]
    return [
        Row(name=name, unit=unit, scale=scale, of_all=False,
            measured={one.ranks: getattr(one, field) for one in costs})
        for name, unit, scale, field in told
    ]  # fmt: skip


def _costs_of(counts: Sequence[int]) -> list[SimulatedCost]:
    costs = []
    for ranks in counts:
        cost = cost_of(ranks)
        costs.append(cost)
        sys.stdout.write(
            f"{cost.ranks} simulated ranks: {cost.rank_bytes / 1e3:.0f} kB each,"
            f" a message {cost.eager_s * 1e6:.1f} us of a processor,"
            f" {cost.rendezvous_s * 1e6:.1f} us where it is asked for first\n"
        )
        sys.stdout.flush()
    return costs


def main() -> None:
    """A line for each number of ranks, and the table of the page with --into."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.simulated_ranks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ranks", nargs="+", type=int, help="how many to simulate, in turn")
    parser.add_argument("--into", type=Path, help="write the table between the marks of this page")
    asked = parser.parse_args()
    costs = _costs_of(asked.ranks)
    if not asked.into:
        return
    page = asked.into.read_text(encoding="utf-8")
    words = table_of(rows_of(costs), "simulated")
    asked.into.write_text(with_table(page, "bench.simulated_ranks", words), encoding="utf-8")


if __name__ == "__main__":
    main()
