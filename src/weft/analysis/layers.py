"""What each layer of a stack adds to the one below, by message size. Pure.

Two transports are layers of one stack where their own notes say that their messages went over the
same device and medium, in the same class of service as far as it is known, and where both were
measured by the same loop. UCX and libfabric both use the medium itself, so each is compared with
the layer below both. Others are listed apart. The difference of two layers is that of launches
of the same round (`weft.analysis.stats.rounds`). Its 95 % interval holds at all sizes together;
where it holds zero the answer is "cannot tell".

Between figures that share no rounds the difference has the interval [b.low - a.high, b.high -
a.low]: it covers the true difference whenever both intervals cover their medians, so in at least
90 % of cases and, as the launches are independent, in far more.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from weft.analysis.stats.intervals import CONFIDENCE
from weft.analysis.stats.launches import rests_on, what_tells_half
from weft.analysis.stats.needed import Needed, to_be_beside
from weft.analysis.stats.rounds import (
    difference,
    differences,
    latencies_by_round,
    session_of_rounds,
)
from weft.analysis.stats.slowdown import difference_of_pairs, ends_together
from weft.analysis.summary import CaseSummary
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.fabric.medium import medium_of
from weft.fabric.service_class import classes_of, unlike_class
from weft.plan.cases import LATENCY
from weft.plan.command import weft_run
from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.case import Case
    from weft.record.run import Run

# From the wire up. TCP is the wire's own layer where no network card offers a lower one.
STACK = ("verbs", "tcp", "ofi", "ucx", "mpi")
# UCX does not use libfabric, nor libfabric UCX.
_BESIDE_EACH_OTHER = frozenset({"ofi", "ucx"})
Verdict = Literal["adds", "saves", "cannot tell"]
_BLOCKING = "MPI_Send and MPI_Recv"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one layer adds to the one below at one size, in ns of one operation's time.

    `added_ns` is of as many launches, or sessions, as both have. Its interval holds for all sizes
    of the two layers together, so many, and decides; `by_itself_ns` has that of this size alone.
    """

    bytes: int
    below_ns: Estimate
    above_ns: Estimate
    added_ns: Estimate
    by_itself_ns: Estimate
    verdict: Verdict
    together: int = 1

    @property
    def has_interval(self) -> bool:
        """Whether its ends are known: what has none is neither significant nor not."""
        return self.added_ns.is_bounded

    def in_rounds(
        self,
        below: Mapping[int, float],
        above: Mapping[int, float],
        sessions: Mapping[int, int] = MappingProxyType({}),
    ) -> Step:
        """The step with what is added by the rounds that both layers share, if two or more do.

        Where these are of several `sessions`, over the sessions.
        """
        paired = difference(below, above, sessions)
        if paired is None:
            return self
        alone = msgspec.structs.replace(
            self.added_ns,
            value=paired.value,
            low=paired.low,
            high=paired.high,
            launches=paired.launches,
            unit=paired.unit,
        )
        return msgspec.structs.replace(
            self, added_ns=alone, by_itself_ns=alone, verdict=_verdict(alone)
        )

    def needed(self, precision: float) -> Needed | None:
        """What tells a difference as large as it may well be, or that share of the layer below.

        None where there is a verdict.
        """
        if self.verdict != "cannot tell":
            return None
        return to_be_beside(self.by_itself_ns, 0.0, precision * self.below_ns.value, self.together)


class LayerPair(msgspec.Struct, frozen=True, kw_only=True):
    """A layer and the one below it in one variant of a test, over all sizes that both have."""

    test: str
    variant: str
    medium: str
    below: str
    above: str
    steps: tuple[Step, ...]


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """A transport that is no layer of a stack with the others, its latencies by size, and why."""

    test: str
    variant: str
    transport: str
    latencies_ns: dict[int, Estimate]
    why: str


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """What is stacked, what is not, and in `advice` what would tell more and on what it rests."""

    pairs: tuple[LayerPair, ...]
    apart: tuple[Apart, ...]
    advice: tuple[str, ...] = ()


# What is known of a transport in one variant of a test: its cases, medium, loop and classes.
class _Layer(msgspec.Struct, frozen=True, kw_only=True):
    transport: str
    cases: dict[int, CaseSummary]
    medium: str
    loop: str
    classes: dict[str, str]


# By case and round the latencies, and the session of each round.
class _Rounds(NamedTuple):
    latencies_ns: Mapping[str, Mapping[int, float]]
    sessions: Mapping[int, int]


def layers_of(run: Run, summaries: Sequence[CaseSummary], order: Sequence[str] = ()) -> Layers:
    """Each layer against the one below it, for every test with a latency and every variant.

    `order` names the transports from the wire up, and vouches for the medium of those that do not
    say theirs; without it they are in the order of STACK, and those that are not in it come last.
    Raises WeftError where fewer than two were measured, or two share no test, variant and size.
    """
    timed = [s for s in summaries if s.latency_ns is not None and s.status == "ok"]
    stack = _ordered(tuple(dict.fromkeys(s.transport for s in timed)), order)
    if len(stack) < 2:
        raise WeftError(
            f"layers need two transports with latencies, there is {', '.join(stack) or 'none'}",
            f"measure them in one run: {weft_run(LATENCY, '--transport', 'tcp,ofi')}",
        )
    tests: dict[Case, dict[str, dict[int, CaseSummary]]] = {}
    for summary in timed:
        case = run.cases[summary.case]
        own = tests.setdefault(case.but_for("transport", "bytes"), {})
        if case.transport in stack:
            own.setdefault(case.transport, {})[case.bytes] = summary
    rounds = _Rounds(latencies_by_round(run), session_of_rounds(run))
    pairs: list[LayerPair] = []
    apart: list[Apart] = []
    any_shared = False
    for test, found in counted_off(tests.items(), "stacking layers"):
        layers = _layers(run, test, {name: found[name] for name in stack if name in found}, order)
        for group in _alike(layers):
            stacked = _stacked(group)
            pairs += _pairs(test, stacked, rounds)
            alone = [layer for layer in group if all(layer not in both for both in stacked)]
            apart += [_apart(test, layer, layers) for layer in alone]
        sizes = [size for layer in layers for size in layer.cases]
        any_shared = any_shared or len(set(sizes)) < len(sizes)
    if not any_shared:
        raise WeftError(
            f"{' and '.join(stack)} share no test and size", "measure both with the same --sizes"
        )
    return Layers(pairs=tuple(pairs), apart=tuple(apart), advice=_advice(run, pairs))


def _advice(run: Run, pairs: Sequence[LayerPair]) -> tuple[str, ...]:
    precision = run.header.plan.precision
    hidden = [found for pair in pairs for step in pair.steps if (found := step.needed(precision))]
    lines = (what_tells_half(hidden, run), *rests_on(run))
    return tuple(filter(None, lines)) if pairs else ()


def _layers(
    run: Run, test: Case, found: dict[str, dict[int, CaseSummary]], order: Sequence[str]
) -> list[_Layer]:
    media, classes = {}, {}
    for name in found:
        launches = [one for one in run.lines.launches if one.transport == name]
        own = [one for one in launches if len(one.ranks) == test.ranks]
        media[name], classes[name] = medium_of(own), classes_of(own)
    known = {medium for medium in media.values() if medium}
    vouched = (known or {"one medium, as --order says"}) if order and len(known) < 2 else {""}
    [unsaid] = vouched
    return [
        _Layer(
            transport=name,
            cases=cases,
            medium=media[name] or unsaid,
            loop=_BLOCKING if _is_blocking(test, name) else "",
            classes=classes[name],
        )
        for name, cases in found.items()
    ]


def _is_blocking(test: Case, transport: str) -> bool:
    """Whether a case is MPI_Send and MPI_Recv (engine/transports/mpi/queues.hpp)."""
    return transport == "mpi" and test.test == "ping_pong" and test.wait in ("", "library")


def _alike(layers: Sequence[_Layer]) -> list[list[_Layer]]:
    """The layers in groups of one medium, loop and class; of an unknown medium each by itself."""
    groups: list[list[_Layer]] = []
    for layer in layers:
        for group in groups:
            if layer.medium and all(_is_alike(one, layer) for one in group):
                group.append(layer)
                break
        else:
            groups.append([layer])
    return groups


def _stacked(group: Sequence[_Layer]) -> list[tuple[_Layer, _Layer]]:
    """Each layer of a group with the nearest one below that it can use."""
    found = []
    for at, above in enumerate(group):
        below = [one for one in group[:at] if _can_lie_on(above, one)]
        found += [(one, above) for one in below[-1:]]
    return found


def _can_lie_on(above: _Layer, below: _Layer) -> bool:
    families = {layer.transport.partition(":")[0] for layer in (above, below)}
    return len(families) == 2 and families != _BESIDE_EACH_OTHER


def _is_alike(one: _Layer, other: _Layer) -> bool:
    is_of_one = (one.medium, one.loop) == (other.medium, other.loop)
    return is_of_one and unlike_class(one.classes, other.classes) is None


def _apart(test: Case, layer: _Layer, layers: Sequence[_Layer]) -> Apart:
    others = [other for other in layers if other is not layer]
    if not others:
        why = f"no other transport was measured in {test.test} {test.variant}".rstrip()
    elif not layer.medium:
        why = (
            "it does not say over which device and medium its messages went; where you know that"
            f" others share it, name them: --order {others[0].transport},{layer.transport}"
        )
    elif found := _unlike_class(layer, others):
        other, (own, theirs) = found
        why = (
            f"its packets had {own}, those of {other.transport} {theirs}; choose one class for"
            " both (--option TRANSPORT.traffic_class, TRANSPORT.service_level)"
        )
    elif len(names := [one.transport for one in layers if _is_alike(one, layer)]) > 1:
        why = (
            f"{' and '.join(names)} use {layer.medium} side by side, and none lies on another;"
            f" compare them: weft compare RECORD@{names[0]} RECORD@{names[1]}"
        )
    elif any(other.medium == layer.medium for other in others):
        blocking = next(one for one in (layer, *others) if one.loop == _BLOCKING)
        why = (
            f"{blocking.transport} was measured by {_BLOCKING}, the others with receives posted"
            " ahead; measure all of them with --wait spin"
        )
    else:
        why = f"its messages went over {layer.medium}, those of no other transport did"
    latencies = {size: s.latency_ns for size, s in layer.cases.items() if s.latency_ns}
    return Apart(
        test=test.test,
        variant=test.variant,
        transport=layer.transport,
        latencies_ns=latencies,
        why=why,
    )


def _unlike_class(layer: _Layer, others: Sequence[_Layer]) -> tuple[_Layer, tuple[str, str]] | None:
    """The first of the others that differs in its class alone, and both classes in words."""
    for other in others:
        found = unlike_class(layer.classes, other.classes)
        if found and (other.medium, other.loop) == (layer.medium, layer.loop):
            return other, found
    return None


def _pairs(
    test: Case, stacked: Sequence[tuple[_Layer, _Layer]], rounds: _Rounds
) -> list[LayerPair]:
    found = []
    for below, above in stacked:
        sizes = sorted(below.cases.keys() & above.cases.keys())
        pairs = [(below.cases[n], above.cases[n]) for n in sizes]
        steps = looked_at_together(
            [_step(*pair, rounds) for pair in pairs], [_shares(*pair, rounds) for pair in pairs]
        )
        if steps:
            found.append(
                LayerPair(
                    test=test.test,
                    variant=test.variant,
                    medium=below.medium,
                    below=below.transport,
                    above=above.transport,
                    steps=steps,
                )
            )
    return found


def _step(below: CaseSummary, above: CaseSummary, rounds: _Rounds) -> Step:
    if below.latency_ns is None or above.latency_ns is None:
        raise AssertionError(below.case)  # only cases with a latency are layers
    step = step_between(below.bytes, below.latency_ns, above.latency_ns)
    return step.in_rounds(*_times(below, above, rounds), rounds.sessions)


def _times(
    below: CaseSummary, above: CaseSummary, rounds: _Rounds
) -> tuple[Mapping[int, float], Mapping[int, float]]:
    one, two = (rounds.latencies_ns.get(own.case, {}) for own in (below, above))
    return one, two


def _shares(below: CaseSummary, above: CaseSummary, rounds: _Rounds) -> list[float]:
    return differences(*_times(below, above, rounds), rounds.sessions)[0]


def looked_at_together(
    steps: Sequence[Step], added_ns: Sequence[Sequence[float]]
) -> tuple[Step, ...]:
    """The steps of all sizes, each with the interval that holds at all of them together.

    `added_ns` are the differences behind each. It is the longer one of the median's and of
    Student's, of shares of the layer below, whose scatter the sizes know together.
    """
    known = {
        at: (apart, step.below_ns.value)
        for at, (step, own) in enumerate(zip(steps, added_ns, strict=True))
        if (apart := difference_of_pairs([one / step.below_ns.value for one in own]))
    }
    if len(known) < 2:
        return tuple(steps)
    ends = dict(zip(known, ends_together([one for one, _ in known.values()]), strict=True))
    found = list(steps)
    for at, (apart, below_ns) in known.items():
        low, high = ((apart.log + sign * ends[at]) * below_ns for sign in (-1, 1))
        alone = steps[at].added_ns
        judged = msgspec.structs.replace(alone, low=min(alone.low, low), high=max(alone.high, high))
        found[at] = msgspec.structs.replace(
            steps[at], added_ns=judged, verdict=_verdict(judged), together=len(known)
        )
    return tuple(found)


def _ordered(measured: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    for name in order:
        if name not in measured:
            raise WeftError(
                f"{name} has no latency in this record", f"it has {', '.join(measured) or 'none'}"
            )
    if order:
        return tuple(order)
    families = {name: name.partition(":")[0] for name in measured}
    return tuple(sorted(measured, key=lambda name: _height(families[name])))


def _height(family: str) -> int:
    return STACK.index(family) if family in STACK else len(STACK)


def step_between(size: int, below: Estimate, above: Estimate) -> Step:
    """The difference of two latencies in ns, with its interval and what can be said of it."""
    added = Estimate(
        value=above.value - below.value,
        low=above.low - below.high,
        high=above.high - below.low,
        coverage=CONFIDENCE,
        method="difference of two layers",
        launches=min(below.launches, above.launches),
    )
    return Step(
        bytes=size,
        below_ns=below,
        above_ns=above,
        added_ns=added,
        by_itself_ns=added,
        verdict=_verdict(added),
    )


def _verdict(added: Estimate) -> Verdict:
    return "adds" if added.low > 0 else "saves" if added.high < 0 else "cannot tell"
