"""The figures of a variant, of the records of all that was simulated of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.errors import WeftError
from weft.fabric.routes import routes_of
from weft.fabric.topologies import build_fabric
from weft.sim.answers import AssumedFigures, PredictedFabric, PredictedFigure
from weft.topics.exchange import over_ranks_of
from weft.topics.scaling.rows import scaling_of
from weft.units import format_bytes, format_duration

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.sim.predicted import Variant
    from weft.sim.sensitivity import Move
    from weft.topics.base import Results
    from weft.topics.scaling.rows import ScalingRow

# What of draws, or of pairs, is between the ends of their range.
_RANGE = (0.05, 0.95)


def answer_of(
    variant: Variant,
    figures: tuple[PredictedFigure, ...],
    changed: tuple[Sequence[tuple[PredictedFigure, ...]], tuple[AssumedFigures, ...]],
    record: str,
) -> PredictedFabric:
    """A variant with its figures, its first record, and its figures on changed platforms: moved
    ones, and those with other assumed times.
    """
    moved, assumed = changed
    routes = routes_of(build_fabric(variant.fabric), variant.routing)
    return PredictedFabric(
        variant=variant.label,
        nodes=variant.fabric.nodes,
        switches=routes.most_switches,
        figures=figures,
        moved=tuple(moved),
        assumed=assumed,
        algorithm=variant.algorithm,
        record=record,
    )


def assumed_figures(
    ends: Sequence[Move], found: Sequence[tuple[PredictedFigure, ...]]
) -> tuple[AssumedFigures, ...]:
    """Figures for each end of the assumptions; empty if they were not simulated."""
    return tuple(
        AssumedFigures(assumed_ns=end.assumed_ns, figures=figures)
        for end, figures in zip(ends, found, strict=False)
    )


def figures_of(
    placed: Sequence[Results], shares: Sequence[float], lacking: Container[str]
) -> tuple[PredictedFigure, ...]:
    """Of every case but those `lacking`, in the order of the placements: the means by
    their shares.

    Raises WeftError where a case has no figure.
    """
    by_case: dict[str, list[tuple[PredictedFigure, float]]] = {}
    for results, share in zip(placed, shares, strict=True):
        for figure in _figures(results, lacking):
            by_case.setdefault(figure.case, []).append((figure, share))
    return tuple(own[0][0] if len(own) == 1 else _mean(own) for own in by_case.values())


def _mean(own: Sequence[tuple[PredictedFigure, float]]) -> PredictedFigure:
    """One figure of several placements, by how much each counts, with the range of them."""
    values, shares = zip(*((figure.value, share) for figure, share in own), strict=True)
    mean = float(np.average(values, weights=shares))
    low, high = _between(values, shares)

    def mean_of(over_ranks: Sequence[float | None]) -> float | None:
        known = [one for one in over_ranks if one is not None]
        return float(np.average(known, weights=shares)) if len(known) == len(own) else None

    return msgspec.structs.replace(
        own[0][0],
        value=mean,
        low=low,
        high=high,
        mean_ns=mean_of([figure.mean_ns for figure, _ in own]),
        slowest_ns=mean_of([figure.slowest_ns for figure, _ in own]),
    )


def _drawn(figure: PredictedFigure, values: Sequence[float]) -> PredictedFigure:
    low, high = _between(values, [1 / len(values)] * len(values))
    return msgspec.structs.replace(figure, low=low, high=high, draws=len(values))


def _between(values: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    """The values below which 5 % and 95 % of all are, where each is so large a share of them."""
    order = np.argsort(values)
    below = np.cumsum(np.asarray(shares)[order])
    ends = [min(int(np.searchsorted(below, part - 1e-9)), len(order) - 1) for part in _RANGE]
    low, high = (float(values[order[at]]) for at in ends)
    return low, high


def _values(results: Results, one: CaseSummary) -> list[float]:
    """Of each launch a time, ns, or bytes/s where a case has no time. Raises WeftError."""
    estimate = one.latency_ns or one.bandwidth_bytes_per_s
    if estimate is None:
        raise WeftError(f"{one.case} has no time and no bandwidth", "use another test")
    medians = list(results.run.launch_medians_ns[one.case].values())
    middle = float(np.median(medians))
    # A figure goes with the time of an operation, or against it.
    if one.latency_ns is not None:
        return [estimate.value * median / middle for median in medians]
    return [estimate.value * middle / median for median in medians]


def _in_words(row: ScalingRow) -> str:
    """An application with all that tells it from others; each case is of single operations."""
    beyond = row.variant.removeprefix("single").strip()
    shape = f"{row.lattice} in all" if row.is_global else row.lattice
    return " ".join(filter(None, (row.test, shape, beyond)))


def _figures(results: Results, lacking: Container[str]) -> tuple[PredictedFigure, ...]:
    """Of every case but those, in the order of the plan. Raises WeftError where one has none."""
    asked = [one for one in results.summaries if one.case not in lacking]
    if bad := [one for one in asked if one.status != "ok"]:
        # As much longer as there are more cases than have a figure.
        budget_s = results.run.header.plan.budget_s * len(asked) / max(len(asked) - len(bad), 1)
        raise WeftError(
            f"{bad[0].case} has no figure: {bad[0].reason.rstrip('.')}",
            f"use another test, or --budget {format_duration(budget_s)}",
        )
    iterations = {row.case: row for row in scaling_of(results).all}
    found = []
    for one in asked:
        row = iterations.get(one.case)
        over = over_ranks_of(results.run, one.case)
        point = results.run.patterns[one.test].axis.at(one.point)
        if row is not None:
            found.append(
                PredictedFigure(
                    case=_in_words(row),
                    value=row.iteration_ns.value,
                    largest_bytes=results.run.cases[one.case].message_bytes,
                    mean_ns=over.mean_ns.value if over else None,
                    slowest_ns=row.iteration_ns.value if over else None,
                    is_of_slowest=True,
                )
            )
            continue
        values = _values(results, one)
        figure = PredictedFigure(
            case=" ".join(filter(None, (one.test, point, format_bytes(one.bytes)))),
            value=sum(values) / len(values),
            is_rate=one.latency_ns is None,
            bytes=one.bytes,
            largest_bytes=one.bytes,
            mean_ns=over.mean_ns.value if over else None,
            slowest_ns=over.slowest_ns.value if over else None,
            is_of_slowest=results.run.patterns[one.test].figure == "exchange",
        )
        found.append(_drawn(figure, values) if len(values) > 1 else figure)
    return tuple(found)
