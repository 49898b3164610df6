"""All launches of several records of the same conditions pooled: a retry gains nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.conditions import differences_of_runs
from weft.analysis.peak_share import directions_of
from weft.analysis.stats.intervals import median_of_case
from weft.analysis.stats.ratios import Quantity
from weft.analysis.stats.slowdown import Paces
from weft.analysis.summary import NO_TIME, bandwidth_of, latency_of
from weft.errors import WeftError
from weft.estimate import Estimate, Unit
from weft.plan.case import Case
from weft.record.run import failure_of
from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """One case over all launches of all records.

    `paces` has, for each session, by launch the median latency in ns or the inverse of the
    bandwidth, each known to the relative `half_tick` of the clock. The figures are over the
    launches of one session, or over the sessions of several: launches of one session share
    its state, and stand for no other day. `failed` tells of the first failure, and `lost` of every
    launch that gave nothing; figures are those of the launches that went well. `status` is that of
    the batch for which it is not ok, empty where none is such. `assumed` is what launches are
    taken to scatter by where another program's table shows none, 0 elsewhere. `directions` is 2 for
    a test that loads both ways at once. `quantity` is what the test is about, as its description
    says and not what was measured of the case.
    """

    case: Case
    directions: int
    quantity: Quantity = "latency"
    launches: int = 0
    paces: tuple[dict[int, float], ...] = ()
    half_tick: float = 0.0
    assumed: float = 0.0
    latency_ns: Estimate | None = None
    bandwidth_bytes_per_s: Estimate | None = None
    failed: str = ""
    status: str = ""
    lost: tuple[str, ...] = ()

    @property
    def known(self) -> Paces:
        """Its launches as a slowdown is computed from them."""
        times = tuple(tuple(own.values()) for own in self.paces if own)
        return Paces(times, self.half_tick, self.assumed)

    @property
    def unit(self) -> Unit:
        """What its figures are over."""
        return "session" if sum(map(bool, self.paces)) > 1 else "launch"


def pool(runs: Sequence[Run], assumed: float = 0.0) -> dict[str, Pooled]:
    """Every planned case of the records by key, over all of their launches.

    Where all of them are other programs' tables, and one has a single launch of a case, launches
    are taken to scatter by `assumed`. Raises WeftError where records are not of like conditions
    and variants, or are one run.
    """
    for before, after in pairwise(runs):
        _check_alike(before, after)
    for index, run in enumerate(runs):
        if any(is_same_run(run, other) for other in runs[:index]):
            raise WeftError(
                f"{run.path} is given twice, or is another copy of one run",
                "name every run once, or its launches would count twice",
            )
    cases: dict[str, tuple[Run, Case]] = {}
    for run in runs:
        for key, case in run.cases.items():
            first, known = cases.setdefault(key, (run, case))
            if known != case:
                raise WeftError(
                    f"{first.path} and {run.path} measured {key} differently",
                    "check them apart, or measure again with the same options",
                )
    return {
        key: _pooled(case, runs, assumed)
        for key, (_, case) in counted_off(cases.items(), "pooling launches")
    }


def is_same_run(one: Run, other: Run) -> bool:
    """Whether two records are copies of one run, of which one may be longer."""
    return one.fingerprint == other.fingerprint


def _check_alike(before: Run, after: Run) -> None:
    """Raises WeftError: records of different conditions are never pooled."""
    unlike = differences_of_runs(before, after)
    if unlike:
        raise WeftError(
            f"{before.path} and {after.path} were not measured alike ({'; '.join(unlike)})",
            "check the records one by one: launches of different conditions are never pooled",
        )


def _pooled(case: Case, runs: Sequence[Run], assumed: float) -> Pooled:
    by_session: list[dict[int, float]] = []
    tick_ns = 0.0
    lost: list[str] = []
    failed = status = ""
    for run in runs:
        batches = run.by_case.get(case.key, [])
        bad = [b for b in batches if b.status != "ok"]
        failure = failure_of(batches)
        if failure:
            status = status or failure.status
        if failure and failure.status == "failed":
            failed = failed or failure.reason
        lost += [f"launch {b.launch} of {run.path.name}: {b.reason}" for b in bad]
        lost += _launches_lost(run, case, {b.launch for b in batches})
        good = [b for b in batches if b.role == "measure" and b.status == "ok"]
        medians_of = run.launch_medians_ns.get(case.key, {})
        by_session += [
            {launch: median for launch, median in medians_of.items() if launch in session}
            for session in run.sessions
        ]
        tick_ns = max(tick_ns, run.resolution_ns(good) if good else 0.0)
    pattern = next(run.patterns[case.test] for run in runs if case.test in run.patterns)
    medians = [median for own in by_session for median in own.values()]
    pooled = Pooled(
        case=case,
        directions=directions_of(pattern.latency_divisor, pattern.bandwidth_factor),
        quantity="latency" if pattern.latency_divisor else "bandwidth",
        launches=len(medians),
        failed=failed,
        status=status,
        lost=tuple(lost),
    )
    if not medians:
        return pooled
    if min(medians) <= 0:
        return msgspec.structs.replace(pooled, failed=failed or NO_TIME, status="failed")
    numbers = [number for number, own in enumerate(by_session) for _ in own]
    time_ns = median_of_case(medians, numbers, tick_ns)
    factor = pattern.bandwidth_factor * case.bytes
    share = 1 / (pattern.latency_divisor or factor * 1e9 or 1)
    return msgspec.structs.replace(
        pooled,
        paces=tuple({launch: time * share for launch, time in own.items()} for own in by_session),
        half_tick=tick_ns / 2 / min(medians),
        assumed=assumed if len(medians) == 1 and all(run.header.imported for run in runs) else 0.0,
        latency_ns=latency_of(pattern, time_ns),
        bandwidth_bytes_per_s=bandwidth_of(pattern, case.bytes, time_ns),
    )


def _launches_lost(run: Run, case: Case, reported: set[int]) -> list[str]:
    """Launches that ended badly without a line of this case; their transport may be unknown."""
    return [
        f"launch {end.launch} of {run.path.name}: {end.reason}"
        for end in run.lines.ends
        if end.status != "ok"
        and end.launch not in reported
        and (end.launch not in run.launches or run.launches[end.launch].transport == case.transport)
    ]
