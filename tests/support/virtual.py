"""Runs over the engine's fake fabric: every time in them follows from costs that the test names.

`virtual-rank` (engine/tests/virtual_rank.cpp) speaks the engine's protocol with the engine's own
patterns; its ranks are threads in virtual time. It is built with the engine's tests.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.plan.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

WEFT = Path(sys.prefix) / "bin" / "weft"
_BUILT = Path(__file__).resolve().parents[2] / "build" / "release" / "engine" / "tests"
VIRTUAL_RANK = _BUILT / "virtual-rank"
# The number of ranks is the starter's, as under any other.
_STARTER = """#!/bin/sh
while [ "$1" != -n ]; do shift; done
VIRTUAL_COSTS="$VIRTUAL_COSTS ranks=$2"
export VIRTUAL_COSTS
shift 2
exec "$@"
"""


class _Description(msgspec.Struct):
    patterns: tuple[Pattern, ...]


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """The costs of fake_wires.hpp (engine/tests/support/) in ticks, and a tick's worth."""

    send_overhead: int = 7
    receive_overhead: int = 11
    latency: int = 500
    per_byte: int = 2
    gap: int = 0
    clock_read: int = 0
    register_buffer: int = 0
    deregister_buffer: int = 0
    idle_polls: int = 0
    ranks: int = 2
    tick_ns: float = 0.5


def run_virtual(
    folder: Path, tests: Iterable[str], *words: str, costs: Costs
) -> subprocess.CompletedProcess[str]:
    """`weft run` of these tests over the fabric; the record is `r.jsonl` in the folder."""
    programs = folder / "engine" / "openmpi"
    starters = folder / "bin"
    for made in (programs, starters):
        made.mkdir(parents=True, exist_ok=True)
    shutil.copy(VIRTUAL_RANK, programs / "rank-virtual")
    starter = starters / "mpirun.openmpi"
    starter.write_text(_STARTER)
    starter.chmod(0o755)
    script = " ".join(f"{name}={value}" for name, value in msgspec.structs.asdict(costs).items())
    ranks = () if "--ranks" in words else ("--ranks", str(costs.ranks))
    return subprocess.run(
        [WEFT, "run", *tests, *ranks, "-o", folder / "r.jsonl", *words],
        env={
            **os.environ,
            "PATH": f"{starters}:{Path(sys.executable).parent}:/usr/bin:/bin",
            "WEFT_ENGINE_DIR": str(folder / "engine"),
            "VIRTUAL_COSTS": script,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def shared_record(
    factory: pytest.TempPathFactory, name: str, measure: Callable[[Path], None]
) -> Path:
    """`r.jsonl` of a run into a folder of this name: parallel workers share one.

    A run takes longer than all that looks at it.
    """
    mine = factory.getbasetemp()
    shared = mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = shared / name / "r.jsonl"
        if not made.exists():
            measure(made.parent)
        return made


def described() -> dict[str, Pattern]:
    """What the engine says of its patterns, by name."""
    line = _output(["--describe"], "")
    return {one.name: one for one in msgspec.json.decode(line, type=_Description).patterns}


def needed_by_engine(lines: Iterable[str], ranks: int, ranks_here: int = 0) -> list[float]:
    """How many bytes each of these case lines needs, as the engine computes it."""
    given = "".join(f"{line}\n" for line in lines)
    told = _output(["--needed", str(ranks), str(ranks_here)], given)
    return [float(word) for word in told.split()]


def _output(words: list[str], given: str) -> str:
    done = subprocess.run(
        [VIRTUAL_RANK, *words],
        input=given,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return done.stdout
