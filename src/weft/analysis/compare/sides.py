"""The sides of a comparison: a record, several records or a published platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from weft.analysis.bus import buses_of
from weft.analysis.compare.conditions import Conditions, conditions_of, fact_at, joined
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sessions import in_time
from weft.analysis.stats.launches import launches_of, next_session_of
from weft.analysis.stats.ratios import Figure, Kind, Quantity
from weft.analysis.summary import summarise
from weft.estimate import Estimate
from weft.plan.command import NextSession
from weft.units import format_bytes
from weft.wording import counted, never_left_its_host, status_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.compare.pool import Pooled
    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.run import Run
    from weft.reference.library import Fact, Platform, PublishedPoint

MOST_SHOWN = 4
# Single figures that are results; the others are what a machine was like.
_RESULTS = ("latency", "bandwidth", "host_overhead", "notification", "blocking")


class Place(msgspec.Struct, frozen=True):
    """What a curve is of. `variant` has the options that differ from the defaults.

    An application's curve is along its `ranks` and not along message sizes.
    """

    test: str
    transport: str
    quantity: Quantity
    directions: int
    variant: str = ""
    along: Literal["size", "ranks"] = "size"


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison: curves by place (figures by message size), single figures.

    `sessions` are the launches of each record behind it, `in_time` what is to be known of them.
    `is_within_a_host`: its messages crossed no link. `next_sessions` are how to measure its records
    again; empty of what was published. `stated_by` is the program whose figures they are, where
    weft did not measure them, `measured` when its records began.
    """

    name: str
    title: str
    is_published: bool
    conditions: Conditions
    curves: dict[Place, dict[int, Figure]]
    singles: dict[str, tuple[str, str, Figure]] = {}
    left_out: tuple[str, ...] = ()
    sessions: tuple[int, ...] = ()
    in_time: tuple[str, ...] = ()
    is_simulated: bool = False
    is_within_a_host: bool = False
    next_sessions: tuple[NextSession, ...] = ()
    stated_by: str = ""
    measured: tuple[str, ...] = ()

    @property
    def transports(self) -> tuple[str, ...]:
        """The transports of the curves, in order."""
        return tuple(dict.fromkeys(place.transport for place in self.curves))


def side_of_platform(platform: Platform, link: str) -> Side:
    """A published platform: its tables as curves, the results among its figures as singles."""
    curves: dict[Place, dict[int, Figure]] = {}
    for series in platform.series:
        place = Place(series.test, series.transport, series.quantity, series.directions)
        curves[place] = {point.bytes: _published_point(point) for point in series.points}
    facts = [f for f in platform.facts if f.key.startswith(_RESULTS) and f.si is not None]
    singles = {f.key: (f.what, f.si_unit, _published_fact(f)) for f in facts}
    published = {key: text for key, text in platform.conditions.items() if key != "intervals"}
    return Side(
        name=platform.name,
        title=platform.title,
        is_published=True,
        conditions=Conditions(
            facts={"measured": platform.citation.date, **published, "link": link}
        ),
        curves=curves,
        singles={k: v for k, v in singles.items() if v[1] in ("ns", "bytes/s")},
    )


def _published_point(point: PublishedPoint) -> Figure:
    return _rounded(point.published, point.si)


def _published_fact(fact: Fact) -> Figure:
    """The rounding of "around 831" is unknown: its last digit is taken as exact."""
    figure = _rounded(fact.published, fact.si or 0.0)
    return msgspec.structs.replace(figure, published=f"{fact.about} {fact.published}".strip())


def _rounded(published: str, si: float) -> Figure:
    """A published figure with half a unit of its last digit on either side."""
    digits = len(published.partition(".")[2])
    half = si * 0.5 * 10.0**-digits / float(published.replace(",", ""))
    return Figure(
        estimate=Estimate(
            value=si, low=si - half, high=si + half, coverage=0.0, method="rounding as published"
        ),
        kind="published",
        published=published,
    )


def side_of_run(run: Run, summaries: Sequence[CaseSummary], title: str) -> Side:
    """A record's good cases; the others are in `left_out`."""
    cases = pool([run])
    platform = run.header.plan.simulated
    return Side(
        name=str(run.path),
        title=f"{title} ({platform.label})" if platform else title,
        is_published=False,
        conditions=_conditions_of(run, summaries),
        curves=_curves(cases[s.case] for s in summaries if s.status == "ok"),
        left_out=tuple(
            f"{one.case}: {status_in_words(one.status)}: {one.reason}"
            for one in summaries
            if one.status != "ok"
        ),
        sessions=launches_of([run]),
        in_time=in_time([run]),
        is_simulated=platform is not None,
        is_within_a_host=never_left_a_host([run]),
        next_sessions=(next_session_of(run),),
        stated_by=run.header.imported.tool if run.header.imported else "",
        measured=(run.header.created_utc,),
    )


def side_of_runs(runs: Sequence[Run], title: str) -> Side:
    """Several records as one side: every figure is over the records, as the unit (sessions).

    Raises WeftError where they are not of like conditions.
    """
    first = side_of_run(runs[0], summarise(runs[0], with_shapes=False), title)
    pooled = pool(runs).values()
    good = [p for p in pooled if p.launches and not p.failed]
    lost = (p for p in pooled if p not in good)
    days = sorted({run.header.created_utc[:10] for run in runs})
    when = " to ".join(dict.fromkeys((days[0], days[-1])))
    conditions = msgspec.structs.replace(
        first.conditions, facts={**first.conditions.facts, "measured": when}
    )
    return msgspec.structs.replace(
        first,
        conditions=conditions,
        name=",".join(str(run.path) for run in runs),
        curves=_curves(good),
        left_out=tuple(f"{p.case.key}: {p.failed or 'was not measured'}" for p in lost),
        sessions=launches_of(runs),
        in_time=in_time(runs),
        is_within_a_host=never_left_a_host(runs),
        next_sessions=tuple(map(next_session_of, runs)),
        measured=tuple(sorted(run.header.created_utc for run in runs)),
    )


def never_left_a_host(runs: Sequence[Run]) -> bool:
    """Whether no link is in any figure of what was measured."""
    return all(run.never_left_a_host for run in runs)


def sides_within_a_host(is_near: Iterable[tuple[str, bool]], consequence: str) -> list[str]:
    """Whose messages crossed no link, in words, where those of others did.

    `is_near` has each side's name and whether its messages stayed within a host, `consequence` what
    the answer then is not.
    """
    sides = [*is_near]
    if all(near for _, near in sides):
        return []
    return [never_left_its_host(title, consequence) for title, near in sides if near]


def _curves(cases: Iterable[Pooled]) -> dict[Place, dict[int, Figure]]:
    """The figures of cases that went well, by place and size, with the launches behind them."""
    curves: dict[Place, dict[int, Figure]] = {}
    for pooled in cases:
        case = pooled.case
        found = {"latency": pooled.latency_ns, "bandwidth": pooled.bandwidth_bytes_per_s}
        for quantity, estimate in found.items():
            if estimate is None:
                continue
            kind: Kind = "launches" if estimate.launches > 1 else "one launch"
            place = _place_of(case, cast("Quantity", quantity), pooled.directions)
            at = case.ranks if place.along == "ranks" else case.bytes
            curves.setdefault(place, {})[at] = Figure(
                estimate=estimate, kind=kind, launches=estimate.launches, paces=pooled.known
            )
    return curves


def _place_of(case: Case, quantity: Quantity, directions: int) -> Place:
    """Cases of an application are one curve on all numbers of ranks, of one size of a site."""
    if case.application is None:
        return Place(case.test, case.transport, quantity, directions, case.variant)
    words = f"{case.but_for('ranks').variant}, {format_bytes(case.bytes)} a site"
    return Place(case.test, case.transport, quantity, directions, words, "ranks")


def _conditions_of(run: Run, summaries: Sequence[CaseSummary]) -> Conditions:
    """The conditions of a record, by the names that platforms use too."""
    hosts = run.header.hosts
    transports = {s.transport for s in summaries}
    launches = [launch for launch in run.lines.launches if launch.transport in transports]
    pinned = {tuple((rank.host, rank.cpu) for rank in launch.ranks) for launch in launches}
    spread = {len({rank.host for rank in launch.ranks}) for launch in launches}
    found = conditions_of(run.header, launches)
    facts = {
        "measured": run.header.created_utc[:10],
        **found.facts,
        "ranks": _some(s.ranks for s in summaries),
        "placement": _some(counted(count, "host") for count in spread)
        + (f"; CPUs {_some(','.join(str(cpu) for _, cpu in pins) for pins in pinned)}"),
        "memory": _some(_memory(host) for host in hosts.values()),
        "software": _some(launch.mpi for launch in launches),
        "network": _some(
            ", ".join(f"{name} {text}" for name, text in own.items() if name != "MPI")
            for kind, own in found.kinds.items()
            if kind in transports
        ),
        "link": _some(s.link for s in summaries),
        "bus": _some(
            f"{bus.device}: {bus.in_words}"
            for bus in buses_of(run, summaries)
            if set(bus.transports) & transports
        ),
        **_host_pairs(summaries),
        "queue depth": _some(s.queue_depth for s in summaries),
        "launches": _some(s.launches for s in summaries if s.status == "ok"),
    }
    return msgspec.structs.replace(found, facts=facts)


def _host_pairs(summaries: Sequence[CaseSummary]) -> dict[str, str]:
    """How many of several pairs were between hosts; nothing on one host and of single pairs."""
    found = [s.pairs.in_words for s in summaries if s.pairs and s.pairs.pairs > 1]
    return {"pairs between hosts": _some(found)} if found else {}


def _memory(manifest: Any) -> str:
    total = fact_at(manifest, "memory", "total_bytes")
    return format_bytes(total >> 30 << 30) if isinstance(total, int) else ""


def _some(values: Iterable[Any]) -> str:
    """As many of the different values as can be read."""
    return joined(values, MOST_SHOWN)
