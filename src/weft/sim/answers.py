"""Variants of a fabric side by side: what a buyer asks of predictions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.sim.fidelity import errors_of, predicted_ns
from weft.sim.platforms import check_kind, protocols_of
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.simulated import SimulatedPlatform
    from weft.reference.library import Platform

# A published table is of two nodes at one switch.
PUBLISHED_NODES = 2


class PredictedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What a case takes, ns, or moves, bytes/s (`is_rate`), in messages up to a size."""

    case: str
    value: float
    is_rate: bool = False
    largest_bytes: int = 0


class PredictedFabric(msgspec.Struct, frozen=True, kw_only=True):
    """A variant with its figures, and the record that they are in."""

    variant: str
    nodes: int
    switches: int
    figures: tuple[PredictedFigure, ...]
    record: str = ""


class Certainty(msgspec.Struct, frozen=True, kw_only=True):
    """How far the calibrated model is from what was published, as fractions, and up to where."""

    mean: float
    worst: float
    points: int
    largest_bytes: int


def certainty_of(published: Platform, kind: str) -> Certainty | None:
    """Over all its published tables; None where it has none."""
    found = errors_of(published, predicted_ns(protocols_of(published, check_kind(kind))))
    if not found:
        return None
    points = sum(one.points for one in found)
    return Certainty(
        mean=sum(one.mean_percent * one.points for one in found) / points / 100,
        worst=max(one.worst_percent for one in found) / 100,
        points=points,
        largest_bytes=max(point.bytes for one in published.series for point in one.points),
    )


def slower(first: PredictedFigure, other: PredictedFigure) -> float:
    """By which fraction the other is slower than the first: below 0 it is faster."""
    if first.is_rate:
        return first.value / other.value - 1
    return other.value / first.value - 1


def within(answers: Sequence[PredictedFabric], limit: float) -> tuple[str, ...]:
    """The variants of which no figure is slower than that of the first by more than a fraction."""
    first = answers[0]
    return tuple(
        one.variant
        for one in answers
        if all(slower(a, b) <= limit for a, b in zip(first.figures, one.figures, strict=True))
    )


def answers_table(
    base: SimulatedPlatform,
    answers: Sequence[PredictedFabric],
    certainty: Certainty | None,
    limit: float | None = None,
) -> Table:
    """Each case with each variant: its figure, the interval of the calibration, the difference."""
    rows = []
    for at, first in enumerate(answers[0].figures):
        for one in answers:
            figure = one.figures[at]
            more = "" if one is answers[0] else f"{100 * slower(first, figure):+.1f} %"
            rows.append(
                (figure.case, one.variant, _shown(figure), _interval(figure, certainty), more)
            )
    notes = [*_notes(base, answers, certainty)]
    if limit is not None:
        named = ", ".join(within(answers, limit))
        notes.insert(0, f"within {100 * limit:g} % of {answers[0].variant}: {named}")
    return Table(
        name="predicted",
        caption=f"Predicted on {answers[0].nodes} nodes with links and hosts of {base.name}:"
        " simulated, not measured",
        head=("case", "fabric", "figure", "by the calibration", "slower"),
        rows=tuple(rows),
        notes=tuple(notes),
        left=(0, 1),
    )


def _shown(figure: PredictedFigure, factor: float = 1.0) -> str:
    shape = format_bandwidth if figure.is_rate else format_time
    return shape(figure.value * factor)


def _interval(figure: PredictedFigure, certainty: Certainty | None) -> str:
    if certainty is None:
        return "not known"
    # An error is of the model's figure over the published one.
    low, high = 1 / (1 + certainty.worst), 1 / (1 - min(certainty.worst, 0.99))
    return f"{_shown(figure, low)} to {_shown(figure, high)}"


def _notes(
    base: SimulatedPlatform, answers: Sequence[PredictedFabric], certainty: Certainty | None
) -> list[str]:
    if certainty is None:
        known = f"how far {base.name} is from a real platform is not known: nothing is published"
        known += " of it point by point"
    else:
        known = (
            f"the model misses {certainty.points} published figures by"
            f" {100 * certainty.mean:.1f} % on average and {100 * certainty.worst:.1f} % at most;"
            " the interval is of the most, and differences between fabrics share that error"
        )
    nodes = max(one.nodes for one in answers)
    switches = max(one.switches for one in answers)
    beyond = []
    if nodes > PUBLISHED_NODES:
        beyond.append(f"{nodes} nodes ({PUBLISHED_NODES} were calibrated)")
    if switches > 1:
        beyond.append(f"{switches} switches on a way (1 was)")
    largest = max((one.largest_bytes for each in answers for one in each.figures), default=0)
    if certainty and largest > certainty.largest_bytes:
        beyond.append(
            f"messages of {format_bytes(largest)} ({format_bytes(certainty.largest_bytes)} were)"
        )
    return [known, *([f"extrapolated: {', '.join(beyond)}"] if beyond else [])]
