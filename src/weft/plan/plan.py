"""The plan of a run: everything that it was asked to do."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import msgspec

from weft.applications.files import FILE_RECORDED_AS, ApplicationFile
from weft.errors import WeftError
from weft.file_values import Seconds, Small, Tick
from weft.plan.allocation import Allocation
from weft.plan.case import Case
from weft.plan.simulated import SimulatedPlatform
from weft.plan.variations import Variation

if TYPE_CHECKING:
    from collections.abc import Mapping

SAMPLES = 0
LAUNCHER = "local"
MOST_SAMPLES = 1_000_000
# Series of more ranks than these beside rank 0, with more values together, do not reach the record
# whole: as engine/run/gather.hpp has it.
FEW_RANKS = 16
MOST_WHOLE_VALUES = 1 << 18


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run was asked to do; enough to repeat it or to resume it.

    `options` are those of the transports: transport.option, or an option's name alone in older
    records. `case_deadline_s` is the timeout per case, added to its expected time. `samples` is how
    many a case takes in each launch; 0: as many as its share of the budget allows. `suite` is the
    name of the suite; empty where tests were named. `launcher` started the ranks, and starts them
    again where the run is resumed, on the nodes of `allocation`. `application_file` is
    what its applications are made of; without it they are drawn from the seed. With `simulated`
    nothing was measured: the times are a simulator's on that platform. With `keep_all` every value
    of every rank reaches the record, however many there are. `variations` are transports of the
    cases that have settings of their own, by their names. With `fixed_launches` no case has more
    launches than `launches`, however wide its interval is.
    """

    cases: tuple[Case, ...]
    precision: Annotated[float, msgspec.Meta(ge=0, le=1e6)]
    budget_s: Seconds
    launches: Small
    seed: Tick
    mpi: str
    options: dict[str, str] = {}
    case_deadline_s: Seconds = 20.0
    samples: Small = 0
    suite: str = ""
    launcher: str = "local"
    allocation: Allocation = Allocation()
    simulated: SimulatedPlatform | None = None
    application_file: ApplicationFile | None = msgspec.field(default=None, name=FILE_RECORDED_AS)
    keep_all: bool = False
    variations: dict[str, Variation] = {}
    fixed_launches: bool = False


def make_plan(
    cases: tuple[Case, ...],
    *,
    precision: float,
    budget_s: float,
    launches: int,
    seed: int,
    mpi: str,
    options: Mapping[str, str],
    case_deadline_s: float,
    samples: int = SAMPLES,
    suite: str = "",
    launcher: str = LAUNCHER,
    allocation: Allocation = Allocation(),  # noqa: B008 - frozen
    simulated: SimulatedPlatform | None = None,
    application_file: ApplicationFile | None = None,
    keep_all: bool = False,
    variations: Mapping[str, Variation] = MappingProxyType({}),
    fixed_launches: bool = False,
) -> Plan:
    """A plan from what was checked. Raises WeftError for counts out of range."""
    if not 0 <= samples <= MOST_SAMPLES:
        raise WeftError(
            f"--samples {samples} is out of range", f"use --samples 1 to {MOST_SAMPLES}"
        )
    if not 1 <= launches <= 1000:
        raise WeftError(f"--launches {launches} is out of range", "use --launches 1 to 1000")
    if seed < 0:
        raise WeftError(f"a seed of {seed} is out of range", "use --seed 0 or more")
    return Plan(
        cases=cases,
        precision=precision,
        budget_s=budget_s,
        launches=launches,
        seed=seed,
        mpi=mpi,
        options=dict(options),
        case_deadline_s=case_deadline_s,
        samples=samples,
        suite=suite,
        launcher=launcher,
        allocation=allocation,
        simulated=simulated,
        application_file=application_file,
        keep_all=keep_all,
        variations=dict(variations),
        fixed_launches=fixed_launches,
    )
