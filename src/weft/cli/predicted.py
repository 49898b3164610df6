"""What `weft predict` shows: the fabrics of its records side by side, and their page."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.reference.library import Platform
    from weft.sim.answers import PredictedFabric, PredictedFigure
    from weft.sim.predicted import Variant
    from weft.topics.base import Results


def show(
    base: "SimulatedPlatform",
    variants: "Sequence[Variant]",
    runs: "Sequence[Run]",
    limit: float | None,
    page: Path,
    say: Callable[[str], None],
) -> None:
    """Print the fabrics side by side, write the page, and name the files. Raises WeftError."""
    from weft.analysis.summary import summarise
    from weft.report.page import write_report
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.sim.answers import answers_table, certainty_of
    from weft.topics import results_of

    results = [results_of(run, summarise(run)) for run in runs]
    answers = [_answer(one, own) for one, own in zip(variants, results, strict=True)]
    published = _published(base)
    certainty = certainty_of(published, base.kind) if published else None
    table = answers_table(base, answers, certainty, limit)
    console().print(*render_table(table), sep="\n")
    write_report(results, page)
    for run in runs:
        say(f"record: {run.path}")
    say(f"report: {page}")


def _published(base: "SimulatedPlatform") -> "Platform | None":
    """What a platform was calibrated from, where that is published."""
    from weft.reference.library import platforms

    if base.kind not in ("model", "table"):
        return None
    return next((one for one in platforms() if one.name == base.name), None)


def _answer(variant: "Variant", results: "Results") -> "PredictedFabric":
    """The figures of a record. Raises WeftError where a case has none."""
    from weft.fabric.network import hops_of
    from weft.fabric.topologies import build_fabric
    from weft.sim.answers import PredictedFabric

    bad = [one for one in results.summaries if one.status != "ok"]
    if bad:
        raise WeftError(
            f"{bad[0].case} has no figure: {bad[0].reason.rstrip('.')}",
            "type another test, or a longer --budget",
        )
    return PredictedFabric(
        variant=variant.label,
        nodes=variant.fabric.nodes,
        switches=hops_of(build_fabric(variant.fabric)).diameter,
        figures=_figures(results),
        record=str(results.run.path),
    )


def _figures(results: "Results") -> "tuple[PredictedFigure, ...]":
    from weft.sim.answers import PredictedFigure
    from weft.topics.scaling.rows import scaling_of
    from weft.units import format_bytes

    iterations = {row.case: row for row in scaling_of(results).all}
    found = []
    for one in results.summaries:
        row = iterations.get(one.case)
        point = f" {one.point}" if one.point is not None else ""
        if row is not None:
            lattice = results.run.cases[one.case].lattice
            found.append(
                PredictedFigure(
                    case=f"{one.test} {row.lattice}",
                    value=row.iteration_ns.value,
                    largest_bytes=lattice.face_bytes(one.bytes) if lattice else one.bytes,
                )
            )
            continue
        rate, time_ns = one.bandwidth_bytes_per_s, one.latency_ns
        estimate = rate or time_ns
        if estimate is None:
            raise WeftError(f"{one.case} has no time and no bandwidth", "type another test")
        found.append(
            PredictedFigure(
                case=f"{one.test}{point} {format_bytes(one.bytes)}",
                value=estimate.value,
                is_rate=rate is not None,
                largest_bytes=one.bytes,
            )
        )
    return tuple(found)
