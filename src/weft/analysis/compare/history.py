"""Sessions of a machine in the order of time: figures of each case, and steps. Pure.

A session is a record. Sessions of one machine make a series whatever else differs between them;
what differs is named at its session, so that a step can be read beside it.
"""

from __future__ import annotations

import datetime
import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weft.analysis.compare.acceptance import TOLERANCE, Checked, Outcome, overall
from weft.analysis.compare.conditions import differences_of_runs, machine_of
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.pool import is_same_run, pool
from weft.analysis.stats.intervals import exp
from weft.analysis.stats.launches import next_session_of, what_would_tell
from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.needed import Needed, half_of
from weft.analysis.stats.ratios import Quantity, Ratio
from weft.analysis.stats.steps import (
    FEWEST,
    LEVEL,
    Steps,
    sessions_for_step,
    step_seen,
    steps_in,
)
from weft.analysis.stats.trend import trend_of
from weft.errors import WeftError
from weft.estimate import PLURAL, Estimate
from weft.stages import counted_off
from weft.units import format_percent
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from weft.analysis.compare.bounds import Limit
    from weft.analysis.compare.pool import Pooled
    from weft.plan.case import Case
    from weft.record.run import Run

# A step in one of these curves hardly moves the median of all.
FEWEST_OTHERS = 3
# What the mean of all curves of a machine is called.
TOGETHER = "all curves together"
# The logarithm of a factor between sessions beyond which no number says more.
_MOST = 20.0
_ENDED_EARLY = {
    None: "the run ended without a last line",
    "interrupted": "the run was interrupted",
    "failed": "the run failed",
}


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One record: when and where it was measured, and what is to know of it.

    `days` are since the first session of all. `changed` is how its conditions differ from those of
    the session of its machine before it, `failed` which cases gave no figure and why. `answer` is
    that of the limits, None where there are none for it.
    """

    record: str
    measured_utc: str
    days: float
    machine: str
    ended_early: str = ""
    changed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    answer: Outcome | None = None


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A case in one session, by the session's index: its figure over launches, or why none.

    `status` is why in one word, as of a batch; empty of a figure and of what was not measured.
    """

    session: int
    estimate: Estimate | None = None
    status: str = ""
    why: str = ""


class CaseLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A limit of a case, in the unit of its figures, and as it stands in the file."""

    text: str
    value: float


class CaseHistory(msgspec.Struct, frozen=True, kw_only=True):
    """One case on one machine over its sessions: latencies in ns or bandwidths in bytes/s."""

    case: str
    test: str
    transport: str
    bytes: int
    variant: str
    machine: str
    quantity: Quantity
    points: tuple[Point, ...]
    limits: tuple[CaseLimit, ...] = ()


class SessionStep(msgspec.Struct, frozen=True, kw_only=True):
    """From one session on a curve is so many times as fast as before, with a 95 % interval.

    `chance` is the p-value, times the places that the step might have.
    """

    session: int
    speed: Ratio
    chance: float


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """All sizes of one way to measure on one machine, together, session by session.

    `speeds` are those of `sessions` (indices), relative to the median session; `scatter` their
    relative standard deviation about the steps. Two sessions more whose times are longer by the
    share `smallest` would be found, and so would a step by the share `seen` in the middle, in POWER
    of cases. `against_others` are steps relative to the median of the machine's other curves, which
    takes away by how much all curves of a night are slow. `outliers` are the sessions (indices)
    that stand out alone. `drift` is the relative change of the time from the first session to the
    last, where there is no step and the sessions rise or fall, with `drift_chance`. `answers` has
    one for every session of all, of the limits of its own cases: None where there is none. `needed`
    sessions more would show a step of TOLERANCE, where none is found.
    """

    name: str
    machine: str
    sessions: tuple[int, ...]
    speeds: tuple[float, ...]
    steps: tuple[SessionStep, ...] = ()
    scatter: float | None = None
    smallest: float | None = None
    seen: float | None = None
    against_others: tuple[SessionStep, ...] = ()
    outliers: tuple[int, ...] = ()
    drift: float | None = None
    drift_chance: float | None = None
    answers: tuple[Outcome | None, ...] = ()
    needed: Needed | None = None


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions in the order of time, every case over them, and their curves.

    `together` has the mean of all curves of each machine with several, for curves of one night move
    alike. `advice` says how many sessions more would show a step, and what to type.
    """

    sessions: tuple[Session, ...]
    series: tuple[CaseHistory, ...]
    courses: tuple[Course, ...]
    advice: tuple[str, ...] = ()
    together: tuple[Course, ...] = ()

    @property
    def has_step(self) -> bool:
        """Whether a curve has a step, by itself or against the others, or all of them together."""
        every = (*self.courses, *self.together)
        return any(one.steps or one.against_others for one in every)

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines in the order of their first sessions."""
        return tuple(dict.fromkeys(session.machine for session in self.sessions))


class _Measured(NamedTuple):
    """A session's record, without its samples, with what it gives of each of its cases."""

    run: Run
    machine: str
    cases: dict[str, Pooled]


def history(runs: Iterable[Run], limits: Sequence[Limit] = ()) -> History:
    """The records in the order of time. Raises WeftError for a run that is given twice.

    Of each record its samples are let go before the next one is taken.

    Steps are looked for in every curve of every machine, in each against the others, and in all
    together: a false step in 5 % of histories, and a false drift in 5 %. WeftError too where no
    limit is for any case of any record.
    """
    measured = sorted(
        map(_measured, runs), key=lambda one: (one.run.header.created_utc, str(one.run.path))
    )
    for at, (run, *_) in enumerate(measured):
        if any(is_same_run(run, other.run) for other in measured[:at]):
            raise WeftError(
                f"{run.path} is given twice, or is another copy of one run", "name every run once"
            )
    checks = _checks(measured, limits)
    sessions = tuple(
        _session(measured, at, overall(own) if own else None) for at, own in enumerate(checks)
    )
    groups: dict[tuple[str, Case], list[tuple[int, Pooled]]] = {}
    for at, one in enumerate(measured):
        for pooled in one.cases.values():
            groups.setdefault((one.machine, pooled.case), []).append((at, pooled))
    courses, together = _courses(groups, checks)
    return History(
        sessions=sessions,
        series=tuple(_series(machine, known, limits) for (machine, _), known in groups.items()),
        courses=courses,
        advice=_advice(measured, courses),
        together=together,
    )


def _advice(measured: Sequence[_Measured], courses: Sequence[Course]) -> tuple[str, ...]:
    """Of each machine, what half of its curves without a step need, or what all need at first."""
    last = {one.machine: next_session_of(one.run) for one in measured}
    lines = []
    for machine, again in last.items():
        needed = [one.needed for one in courses if one.machine == machine and one.needed]
        if not needed:
            continue
        middle, which = half_of(needed)
        where = f" on {machine}" if len(last) > 1 else ""
        purpose = (
            f"see a step of {format_percent(100 * TOLERANCE)} in {which}"
            f" {counted(len(needed), 'curve')}{where} that {verb_of(len(needed), 'have')} none"
        )
        lines.append(what_would_tell(middle, purpose, [again], of="more"))
    return tuple(lines)


def _measured(run: Run) -> _Measured:
    return _Measured(run.without_samples(), machine_of(run.header), pool([run]))


def _checks(measured: Sequence[_Measured], limits: Sequence[Limit]) -> list[tuple[Checked, ...]]:
    """What the limits say of each session by itself. Raises WeftError where they are for none."""
    checks: list[tuple[Checked, ...]] = []
    refused = None
    for one in measured:
        try:
            checks.append(against_limits(one.cases, limits) if limits else ())
        except WeftError as error:
            checks.append(())
            refused = error
    if refused and not any(checks):
        raise refused
    return checks


def _session(measured: Sequence[_Measured], at: int, answer: Outcome | None) -> Session:
    one = measured[at]
    run = one.run
    before = next((m.run for m in reversed(measured[:at]) if m.machine == one.machine), None)
    begun = datetime.datetime.fromisoformat
    passed = begun(run.header.created_utc) - begun(measured[0].run.header.created_utc)
    failed = {key: _why_none(pooled) for key, pooled in one.cases.items()}
    return Session(
        record=str(run.path),
        measured_utc=run.header.created_utc,
        days=passed.total_seconds() / 86400,
        machine=one.machine,
        ended_early=_ENDED_EARLY.get(run.footer.outcome if run.footer else None, ""),
        changed=differences_of_runs(before, run) if before else (),
        failed=tuple(f"{key}: {why}" for key, why in failed.items() if why),
        answer=answer,
    )


def _why_none(pooled: Pooled) -> str:
    """Why a case has no good figure; empty where it has one."""
    if pooled.failed:
        return f"failed: {pooled.failed}"
    if pooled.launches == 0:
        return pooled.lost[0] if pooled.lost else "was not measured"
    return ""


def _series(
    machine: str, known: Sequence[tuple[int, Pooled]], limits: Sequence[Limit]
) -> CaseHistory:
    first = known[0][1]
    case = first.case
    # Of the test, so that a size without any figure is in its curve's unit.
    has_latency = first.quantity == "latency"
    points = []
    for at, pooled in known:
        why = _why_none(pooled)
        found = pooled.latency_ns if has_latency else pooled.bandwidth_bytes_per_s
        status = pooled.status if why else ""
        points.append(Point(session=at, estimate=None if why else found, status=status, why=why))
    return CaseHistory(
        case=case.key,
        test=case.test,
        transport=case.transport,
        bytes=case.bytes,
        variant=case.variant,
        machine=machine,
        quantity=first.quantity,
        points=tuple(points),
        limits=tuple(
            CaseLimit(text=limit.text, value=limit.bound_for(first.directions))
            for limit in limits
            if limit.takes(first.case) and (limit.kind == "latency_at_most") == has_latency
        ),
    )


def _courses(
    groups: Mapping[tuple[str, Case], Sequence[tuple[int, Pooled]]],
    checks: Sequence[Sequence[Checked]],
) -> tuple[tuple[Course, ...], tuple[Course, ...]]:
    """A course a curve and machine that has figures, and the mean of each machine's curves.

    The level of the steps is shared by all.
    """
    keys: dict[tuple[str, Case], set[str]] = {}
    tables: dict[tuple[str, Case], dict[tuple[int, int], dict[int, float]]] = {}
    for (machine, case), known in groups.items():
        place = (machine, case.but_for("bytes"))
        by_launch = tables.setdefault(place, {})
        keys.setdefault(place, set()).add(case.key)
        for at, pooled in known:
            # A record that was resumed has launches of several days, each with its own number.
            for own in () if pooled.failed else pooled.paces:
                for launch, pace in own.items():
                    by_launch.setdefault((at, launch), {})[case.bytes] = pace
    found = {place: _by_session(own) for place, own in tables.items() if own}
    of_machine: dict[str, dict[tuple[str, Case], dict[int, float]]] = {}
    for place, logs in found.items():
        of_machine.setdefault(place[0], {})[place] = logs
    each = LEVEL / max(len(found), 1)
    has_several = len(found) > len(of_machine)
    drift_level = each / 2 if has_several else each
    courses = []
    for place, logs in counted_off(found.items(), "looking for steps"):
        others = [own for other, own in of_machine[place[0]].items() if other != place]
        level = each / _ways(len(others) + 1)
        course = _course(_name(place[1]), place[0], logs, level, drift_level)
        if len(others) >= FEWEST_OTHERS:
            course = msgspec.structs.replace(
                course, against_others=_steps_against(logs, others, level)
            )
        answers = tuple(_answer_of(keys[place], judged) for judged in checks)
        courses.append(msgspec.structs.replace(course, answers=answers))
    together = [
        _course(
            TOGETHER, machine, mean, each * len(own) / _ways(len(own)), LEVEL / 2 / len(of_machine)
        )
        for machine, own in of_machine.items()
        if len(own) > 1 and (mean := _mean_of(list(own.values())))
    ]
    return tuple(courses), tuple(together)


def _ways(curves: int) -> int:
    """In how many ways steps are looked for in so many curves of a machine.

    In each by itself, in all together, and in each against FEWEST_OTHERS others or more.
    """
    return 1 + (curves > 1) + (curves > FEWEST_OTHERS)


def _name(case: Case) -> str:
    transport, test, _, *variant = case.key.split("/")
    return "/".join((transport, test, "*", *variant))


def _by_session(by_launch: Mapping[tuple[int, int], dict[int, float]]) -> dict[int, float]:
    """By session the logarithm of a curve's time over all sizes."""
    launches = sorted(by_launch)
    used = [launches[at] for at in connected([by_launch[launch] for launch in launches])]
    sessions: dict[int, list[float]] = {}
    for (at, _), own in zip(used, levels([by_launch[name] for name in used]), strict=True):
        sessions.setdefault(at, []).append(own)
    return {at: math.fsum(own) / len(own) for at, own in sessions.items()}


def _mean_of(curves: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """The mean of curves in the sessions that all of them have, each about its own mean."""
    return {at: math.fsum(own) / len(own) for at, own in _about_means(curves).items()}


def _about_means(curves: Sequence[Mapping[int, float]]) -> dict[int, list[float]]:
    """By session that all curves have, the value of each curve less its mean there."""
    shared = [at for at in curves[0] if all(at in own for own in curves)]
    means = [math.fsum(own[at] for at in shared) / max(len(shared), 1) for own in curves]
    return {at: [own[at] - mean for own, mean in zip(curves, means, strict=True)] for at in shared}


def _steps_against(
    logs: Mapping[int, float], others: Sequence[Mapping[int, float]], level: float
) -> tuple[SessionStep, ...]:
    """The steps of a curve relative to the median of others, in the sessions that all have."""
    shared = _about_means([logs, *others])
    apart = [own - statistics.median(rest) for own, *rest in shared.values()]
    return _session_steps(steps_in(apart, level), tuple(shared))


def _answer_of(keys: Collection[str], checks: Sequence[Checked]) -> Outcome | None:
    """The outcome of a session's checks of these cases; None if no limit covers them."""
    own = [check for check in checks if check.case in keys]
    return overall(own) if own else None


def _session_steps(found: Steps, indices: Sequence[int]) -> tuple[SessionStep, ...]:
    return tuple(
        SessionStep(
            session=indices[step.at],
            speed=Ratio(
                speed=exp(-step.shift),
                low=exp(-step.high),
                high=exp(-step.low),
                basis=PLURAL["session"],
            ),
            chance=step.chance,
        )
        for step in found.steps
    )


def _course(
    name: str, machine: str, sessions: Mapping[int, float], level: float, drift_level: float
) -> Course:
    """A curve from the logarithms of its sessions; the levels are rates of false findings."""
    indices, logs = tuple(sessions), list(sessions.values())
    middle = statistics.median(logs)
    found = steps_in(logs, level)
    steps = _session_steps(found, indices)
    drift = trend_of(logs) if len(logs) > 1 and not steps else None
    chance = drift.trend_chance if drift else None
    is_drift = chance is not None and chance <= drift_level
    needed = _for_a_step(len(logs), found.scatter, level) if not steps else None
    return Course(
        name=name,
        machine=machine,
        sessions=indices,
        speeds=tuple(exp(middle - log) for log in logs),
        steps=steps,
        scatter=None if found.scatter is None else exp(found.scatter) - 1,
        smallest=None if found.smallest is None else math.expm1(min(found.smallest, _MOST)),
        seen=None
        if found.scatter is None
        else math.expm1(min(step_seen(found.scatter, len(logs), level), _MOST)),
        outliers=tuple(indices[at] for at in found.outliers),
        drift=drift.change if drift and is_drift else None,
        drift_chance=chance if is_drift else None,
        needed=needed,
    )


def _for_a_step(sessions: int, scatter: float | None, level: float) -> Needed:
    """How many sessions more show a step of TOLERANCE, or until steps are looked for at all."""
    if scatter is None:
        return Needed(unit="session", count=FEWEST - sessions, difference=TOLERANCE)
    more = sessions_for_step(scatter, sessions, math.log1p(TOLERANCE), level)
    hidden = "" if math.isfinite(more) else "those before scatter by too much"
    return Needed(unit="session", count=more, difference=TOLERANCE, hidden=hidden)
