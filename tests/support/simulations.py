"""Simulated runs for tests: platforms of known numbers, and what a run on them gives."""

import json
import subprocess
from pathlib import Path
from typing import Any

import weft
from weft.analysis.summary import CaseSummary, summarise
from weft.launch.programs import SIMULATOR, engine_folder
from weft.plan.cases import Experiment
from weft.plan.request import simulation
from weft.plan.simulated import SimulatedPlatform
from weft.session import start
from weft.sim.crossbar import at_crossbar
from weft.sim.protocols import Piece, Protocols

# Two protocols, unlike overheads, and a bus that carries 1.6 of the 2 ways of the link: every
# number is another one, so that none can stand for another.
KNOWN = Protocols(
    transfer=(Piece(0, 2000.0, 1.0), Piece(2048, 9000.0, 0.8)),
    blocking_send=(Piece(0, 700.0),),
    send=(Piece(0, 900.0),),
    receive=(Piece(0, 500.0),),
    eager_below_bytes=2048,
    bus_factor=1.25,
)


def platform(protocols: Protocols = KNOWN, nodes: int = 8) -> SimulatedPlatform:
    """A crossbar of so many nodes."""
    named = SimulatedPlatform(name="known", kind="model", nodes=nodes)
    return at_crossbar(named, protocols, "known")


def simulated(
    folder: Path, tests: tuple[str, ...], sizes: str, simulated_on: SimulatedPlatform, **asked: Any
) -> weft.Run:
    """The record of a simulated run."""
    usual_part = Experiment(tests=tests, sizes=sizes, ranks=asked.pop("ranks", 2))
    parts = asked.pop("parts", (usual_part,))
    usual = {"budget_s": 100.0, "command": ("weft", "run"), "case_deadline_s": 20.0}
    request = simulation(simulated_on, parts, folder / "r.jsonl", **{**usual, **asked})
    path, _ = start(request, lambda _: None)
    return weft.load(path)


def by_size(run: weft.Run, test: str) -> dict[int, CaseSummary]:
    """A test's summaries by the message's size."""
    return {one.bytes: one for one in summarise(run) if one.test == test}


def peak_bytes(folder: Path, ranks: int, case: dict[str, Any], *words: str) -> int:
    """What the simulator of so many ranks took at most for a case, which ended well."""
    file = folder / "known.xml"
    file.write_text(platform(nodes=ranks).xml)
    line = json.dumps({"id": 1, "deadline_s": 300, **case, "verify": False})
    program = engine_folder() / SIMULATOR / "rank-sim"
    with subprocess.Popen(
        [program, "--platform", file, "--ranks", str(ranks), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as up:  # fmt: skip
        assert up.stdin
        assert up.stdout
        up.stdin.write(f"{line}\n".encode())
        up.stdin.flush()
        lines = [up.stdout.readline() for _ in range(2)]
        # What the kernel says of a process that ended holds what the one that started it had.
        status = Path(f"/proc/{up.pid}/status").read_text()
        up.stdin.close()
        up.stdout.read()
    assert json.loads(lines[1])["status"] == "ok"
    [most] = [row.split()[1] for row in status.splitlines() if row.startswith("VmHWM:")]
    return int(most) * 1024
