"""A limits file from records of a machine as it should be (`weft check --make-limits`)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec

import weft
from weft.analysis.compare.made_limits import KEEPS, TAILED_LAUNCHES, MadeLimit, limit_of
from weft.analysis.compare.pool import pool
from weft.analysis.diagnosis.measured import is_map
from weft.analysis.stats.launches import launches_of, next_session_of
from weft.errors import WeftError
from weft.names import as_typed
from weft.outputs import write_output
from weft.plan.cases import LAUNCHES
from weft.sources.records import records_named
from weft.units import format_bandwidth, format_time
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.record.run import Run

# A limit that a machine keeps which is slower by as much says little.
WIDE = 0.5


class LimitsFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written: how many limits, their tolerances, and cases that have none.

    `wide` says how many are so far from their figures that they say little, and what to type, and
    `few` how many are of too few launches to be kept where these have a tail.
    """

    path: str
    limits: int
    least_tolerance: float
    greatest_tolerance: float
    without: tuple[str, ...]
    wide: str = ""
    few: str = ""


def write_limits(records: Sequence[Path], path: Path) -> LimitsFile:
    """A limit for each case of the records, all of one machine. Raises WeftError."""
    runs = records_named(records)
    _refuse_maps(runs)
    found = {key: limit_of(pooled) for key, pooled in pool(runs).items()}
    made = [one for one in found.values() if isinstance(one, MadeLimit)]
    without = tuple(f"{key}: {why}" for key, why in found.items() if isinstance(why, str))
    names = " ".join(map(str, records))
    if not made:
        raise WeftError(
            f"no case of {names} can have a limit, the first is {without[0]}",
            f"run {next_session_of(runs[0]).command(LAUNCHES)}, and give the new record",
        )
    sessions = counted(len(launches_of(runs)), "session")
    head = [
        f"# Made by weft {weft.__version__} from {names}, {sessions}.",
        f"# A machine like that one keeps each limit in {100 * KEEPS:.0f} % of runs or more.",
        *(f"# No limit for {one}." for one in without),
    ]
    write_output(path, "\n".join([*head, *(line for one in made for line in _lines(one)), ""]))
    tolerances = [one.tolerance for one in made]
    return LimitsFile(
        path=str(path),
        limits=len(made),
        least_tolerance=min(tolerances),
        greatest_tolerance=max(tolerances),
        without=without,
        wide=_wide(sum(tolerance > WIDE for tolerance in tolerances), runs[-1]),
        few=_few(sum(not one.is_for_a_tail for one in made), runs[-1]),
    )


def _refuse_maps(runs: Sequence[Run]) -> None:
    """Raises WeftError for a map: a limit of one is held by its ways, and cases are its rounds."""
    maps = [run.path for run in runs if is_map(run.header)]
    if maps:
        against = f"weft check NEXT --against {as_typed(maps[0])}"
        raise WeftError(
            f"no limits are made of a map, and {maps[0]} is one",
            f'hold the next map against it: {against}; or write a limit for test = "pair_rounds"',
        )


def _wide(count: int, run: Run) -> str:
    """What to type where limits are wide; empty where none is."""
    if not count:
        return ""
    again = next_session_of(run)
    # From so many on a limit is hardly wider than if the scatter were known.
    narrower = again.command(max(TAILED_LAUNCHES, 2 * again.launches))
    return (
        f"{counted(count, 'limit')} over {100 * WIDE:.0f} % from {'its' if count == 1 else 'their'}"
        f" {'figure' if count == 1 else 'figures'}, for launches scatter by much: for"
        f" {'a narrower one' if count == 1 else 'narrower ones'}, run {narrower}, and give the"
        " new record"
    )


def _few(count: int, run: Run) -> str:
    """What to type where a tail of the launches may break limits; empty where it cannot."""
    if not count:
        return ""
    return (
        f"{counted(count, 'limit')} of fewer than {TAILED_LAUNCHES} launches: where these have a"
        f" tail to slow times, or two modes, an equal machine keeps a limit in about 90 % of"
        f" runs; of {TAILED_LAUNCHES} launches in {100 * KEEPS:.0f} %: run"
        f" {next_session_of(run).command(TAILED_LAUNCHES)}, and give the new record"
    )


def _lines(limit: MadeLimit) -> list[str]:
    case, figure = limit.pooled.case, limit.figure
    is_latency = limit.kind == "latency_at_most"
    shown = (format_time if is_latency else format_bandwidth)(figure.value)
    fields = {
        "test": case.test,
        "transport": case.transport,
        "sizes": str(case.bytes),
        **({"variant": case.variant} if case.variant else {}),
        # As many digits as lose nothing, towards what is allowed.
        limit.kind: f"{math.ceil(10 * limit.bound) / 1e4:.4f} us"
        if is_latency
        else f"{math.floor(limit.bound / 100) / 1e4:.4f} MB/s",
    }
    half = f"{shown} ± {100 * figure.relative_half_width:.1f} %"
    return [
        "",
        f"[[limit]]  # {half}, tolerance {100 * limit.tolerance:.0f} %",
        *(f"{name} = {json.dumps(value)}" for name, value in fields.items()),
    ]
