"""What a user asks of a run. Pure."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weft.plan.allocation import Allocation
from weft.plan.case import Case
from weft.plan.cases import SIMULATED, Experiment
from weft.plan.simulated import SimulatedPlatform
from weft.plan.variations import Variation

if TYPE_CHECKING:
    from weft.plan.plan import Plan


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command line, checked for form but not yet against any machine.

    With a `suite` the experiments are its own; `ranks` is 0 where the suite chooses their number.
    With a `platform` nothing is measured here: it is simulated. `begun_s` is when the command
    began, as time.monotonic counts: the budget holds from then on. `typed` are the options of
    the command line that were typed, by their parameters: none of them may be without effect.
    With `cases`, those of the record `again`, neither experiments nor suite choose any, and `file`
    is the one of its application. `variations` are transports with settings of their own.
    `fixed_launches`: as the plan has it.
    """

    cases: tuple[Case, ...] = ()
    file: str = ""
    experiments: tuple[Experiment, ...] = ()
    suite: str = ""
    transports: tuple[str, ...]
    ranks: int
    precision: float
    budget_s: float
    launches: int
    fixed_launches: bool = False
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
    keep_all: bool = False
    fits_memory: bool = False
    begun_s: float
    report: bool
    platform: SimulatedPlatform | None = None
    is_quiet: bool = False
    variations: dict[str, Variation] = {}
    typed: frozenset[str] = frozenset()
    again: Path | None = None

    @property
    def file_path(self) -> str:
        """The file that an application is made of; empty where none is named."""
        named = (one.variants.application.file for one in self.experiments)
        return self.file or next(named, "")


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


def request_again(plan: Plan, **asked: Any) -> Request:
    """A request for all that a plan measured, under its conditions; `asked` are other fields."""
    kept = (
        "cases", "suite", "precision", "budget_s", "launches", "fixed_launches", "seed", "mpi",
        "case_deadline_s", "samples", "keep_all", "launcher", "allocation", "variations",
    )  # fmt: skip
    usual: dict[str, Any] = {name: getattr(plan, name) for name in kept}
    families = {case.transport.partition(":")[0] for case in plan.cases}
    usual |= {
        "transports": tuple(dict.fromkeys(case.transport for case in plan.cases)),
        # Older plans have options of transports that they did not measure.
        "options": {n: v for n, v in plan.options.items() if n.partition(".")[0] in families},
        "ranks": max(case.ranks for case in plan.cases),
        "file": plan.application_file.path if plan.application_file else "",
        "platform": plan.simulated,
    }
    return Request(**{**usual, **asked})
