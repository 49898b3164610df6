"""What simulated ranks cost here: memory of each, and the time of each message.

The simulator is driven as `weft predict` drives it, as coarse as so many ranks and such messages
allow: a halo on all ranks of one switch.
"""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from weft.fabric.topologies import FabricAsked
from weft.launch.programs import SIMULATOR, engine_folder
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols

EXTENTS = (4, 4, 4, 4)
BYTES_OF_SITE = 36
FEW, MANY = 2, 12
_DEADLINE_S = 1200
_KIB = 1024


class SimulatedCost(msgspec.Struct, frozen=True, kw_only=True):
    """Of one number of simulated ranks."""

    ranks: int
    peak_bytes: int
    messages: int
    seconds: float

    @property
    def rank_bytes(self) -> float:
        """The memory of one of them, bytes."""
        return self.peak_bytes / self.ranks

    @property
    def message_s(self) -> float:
        """The time of one message, s."""
        return self.seconds / self.messages


def cost_of(ranks: int) -> SimulatedCost:
    """A start of the simulator, and a halo of few and of many iterations on all of its ranks.

    What an iteration takes is the difference of the two. Raises RuntimeError where the case fails.
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
            took = {}
            for samples in (FEW, MANY):
                begun = time.perf_counter()
                up.stdin.write(_case(samples))
                up.stdin.flush()
                answer = json.loads(up.stdout.readline())
                took[samples] = time.perf_counter() - begun
                if answer["status"] != "ok":
                    raise RuntimeError(f"{ranks} simulated ranks: {answer['reason']}")
            status = Path(f"/proc/{up.pid}/status").read_text()
            up.stdin.close()
            up.stdout.read()
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return SimulatedCost(
        ranks=ranks,
        peak_bytes=int(peak) * _KIB,
        messages=ranks * int(answer["sent_messages"]) * (MANY - FEW),
        seconds=took[MANY] - took[FEW],
    )


def _case(samples: int) -> bytes:
    case = {
        "id": samples, "test": "halo", "bytes": BYTES_OF_SITE, "samples": samples, "warmup": 0,
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
        eager_below_bytes=4096,
        bus_factor=1.25,
    )
    one_switch = Variant(fabric=FabricAsked(nodes=ranks, switch=str(ranks)))
    face_bytes = BYTES_OF_SITE * math.prod(EXTENTS[1:])
    known_links = at_crossbar(named, known, "crossbar")
    return predicted(known_links, one_switch, shortest_bytes=face_bytes)
