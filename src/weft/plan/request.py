"""What a user asks of a run. Pure."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec

from weft.plan.allocation import Allocation
from weft.plan.cases import SIMULATED, Experiment
from weft.plan.simulated import SimulatedPlatform


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command line, checked for form but not yet against any machine.

    With a `suite` the experiments are its own; `ranks` is 0 where the suite chooses their number.
    With a `platform` nothing is measured here: it is simulated. `begun_s` is when the command
    began, as time.monotonic counts: the budget holds from then on. `typed` are the options of
    the command line that were typed, by their parameters: none of them may be without effect.
    """

    experiments: tuple[Experiment, ...] = ()
    suite: str = ""
    transports: tuple[str, ...]
    ranks: int
    precision: float
    budget_s: float
    launches: int
    seed: int
    output: Path | None
    mpi: str
    options: dict[str, str]
    command: tuple[str, ...]
    case_deadline_s: float
    launcher: str = ""
    interface: str = ""
    device: str = ""
    allocation: Allocation = Allocation()
    samples: int = 0
    fits_memory: bool = False
    begun_s: float
    report: bool
    platform: SimulatedPlatform | None = None
    is_quiet: bool = False
    typed: frozenset[str] = frozenset()


def simulation(
    platform: SimulatedPlatform, experiments: tuple[Experiment, ...], output: Path, **asked: Any
) -> Request:
    """A request to simulate these experiments, without a report; `asked` are other fields of it."""
    usual: dict[str, Any] = {
        "transports": (), "ranks": max(one.ranks for one in experiments), "precision": 0.01,
        "seed": 1, "mpi": "", "options": {}, "begun_s": time.monotonic(), "report": False,
        **SIMULATED,
    }  # fmt: skip
    return Request(platform=platform, experiments=experiments, output=output, **{**usual, **asked})
