"""How much of a prediction is assumed, and how far assumptions move it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.sim.answers import SHOWN_SHARE
from weft.units import format_flops, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.sim.answers import PredictedFabric, PredictedFigure
    from weft.sim.assumptions import Assumption


def with_shares(fabric: PredictedFabric, assumptions: Sequence[Assumption]) -> PredictedFabric:
    """The fabric with the share of each assumption in its figures, and their ends."""
    if not fabric.assumed:
        return fabric
    figures = tuple(_with_shares(fabric, at, assumptions) for at in range(len(fabric.figures)))
    return msgspec.structs.replace(fabric, figures=figures)


def _with_shares(
    fabric: PredictedFabric, at: int, assumptions: Sequence[Assumption]
) -> PredictedFigure:
    figure = fabric.figures[at]
    values = [figure.value, *(one.figures[at].value for one in fabric.assumed)]
    return msgspec.structs.replace(
        figure,
        shares={one.part: _share(fabric, at, one) for one in assumptions},
        least=min(values),
        most=max(values),
    )


def _share(fabric: PredictedFabric, at: int, one: Assumption) -> float:
    """The part of the time that grows with the assumed time, by the mean slope over its range."""
    times = {one.usual_ns: 1.0}
    for ends in fabric.assumed:
        if set(ends.assumed_ns) == {one.part}:
            times[ends.assumed_ns[one.part]] = _times_as_long(fabric.figures[at], ends.figures[at])
    least, most = min(times), max(times)
    if least == most:
        return 0.0
    return one.usual_ns * (times[most] - times[least]) / (most - least)


def _times_as_long(figure: PredictedFigure, other: PredictedFigure) -> float:
    if figure.is_rate:
        return figure.value / other.value
    return other.value / figure.value


def assumptions_in_words(
    assumptions: Sequence[Assumption], answers: Sequence[PredictedFabric]
) -> tuple[str, ...]:
    """One line per assumption: its value, the range that intervals cover, its largest share."""
    lines = []
    for one in assumptions:
        taken, ends, fix = _named(one)
        if not all(fabric.assumed for fabric in answers):
            lines.append(f"assumed: {taken}; no interval covers {ends}; set your own with {fix}")
            continue
        share, figure, fabric = max(
            ((own.shares[one.part], own, each) for each in answers for own in each.figures),
            key=lambda found: found[0],
        )
        least = f"at most {100 * SHOWN_SHARE:g} % of each value"
        largest = f"up to {100 * share:.0f} % of a value ({figure.case}, {fabric.variant})"
        lines.append(
            f"assumed: {taken}, {largest if share > SHOWN_SHARE else least}; intervals cover"
            f" {ends}; set your own with {fix}"
        )
    return tuple(lines)


def _named(one: Assumption) -> tuple[str, str, str]:
    """The time that counts, its range, and the option that replaces both."""
    if one.part == "switches":
        ends = f"{format_time(one.least_ns)} to {format_time(one.most_ns)}"
        return f"{format_time(one.usual_ns)} for each further switch", ends, "--hop"
    usual, slow, fast = (
        format_flops(1e9 / time) for time in (one.usual_ns, one.most_ns, one.least_ns)
    )
    if one.part == "computing":
        return f"a rank computes {usual}", f"{slow} to {fast}", "--rate 4GFlop/s"
    return f"a rank adds {usual} in a sum", f"{slow} to {fast}", "--rate 40GB/s"
