"""A prediction: tests simulated on fabrics, and the fabrics side by side."""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.wording import counted

if TYPE_CHECKING:
    from weft.analysis.summary import CaseSummary
    from weft.applications.asked import ApplicationsAsked
    from weft.charts import Chart
    from weft.plan.cases import Experiment
    from weft.plan.pattern import Axis
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.reference.library import Platform
    from weft.report.page import Front
    from weft.sim.answers import Certainty, PredictedFabric, PredictedFigure
    from weft.sim.predicted import Variant
    from weft.studies.simulations import Effort
    from weft.tables import Table
    from weft.topics.base import Results


class Predicted(msgspec.Struct, frozen=True, kw_only=True):
    """What was simulated of each fabric, side by side as a table, and what its page begins with."""

    results: "tuple[Results, ...]"
    front: "Front"
    table: "Table"
    page: Path


def predicted_on(
    base: "SimulatedPlatform",
    variants: "Sequence[Variant]",
    experiment: "Experiment",
    effort: "Effort",
    limit: float | None = None,
) -> Predicted:
    """Simulate tests on each fabric, with the links and hosts of a platform.

    `limit` is how much slower than the first a fabric may be, as a fraction. Before a large
    simulation small ones tell what it will cost here. Raises WeftError.
    """
    platforms = effort.platforms(base, variants)
    effort.foresee(base, variants[0], experiment, len(variants))
    runs = [effort.run(one, experiment, at) for at, one in enumerate(platforms)]
    certainty = known_certainty(base)
    moved = effort.moved(base, variants, experiment, certainty)
    results = tuple(_results(run) for run in runs)
    published = _published(base)
    lacking = _lacking(results, published.name if published else "")
    answers = [
        _answer(variant, one, moved[at] if moved else (), lacking)
        for at, (variant, one) in enumerate(zip(variants, results, strict=True))
    ]
    front, table = _front(base, answers, certainty, limit, list(dict.fromkeys(lacking.values())))
    return Predicted(results=results, front=front, table=table, page=effort.page)


def check_asked(platform: str, nodes: int, samples: int, asked: "ApplicationsAsked") -> None:
    """Raises WeftError for a prediction without a platform or nodes, or for what it cannot do."""
    if not platform:
        raise WeftError(
            "a prediction needs the links and hosts of a platform",
            "type --platform escher (weft list platforms), or a file of weft calibrate",
        )
    if not nodes:
        raise WeftError("the fabric has no nodes", "type --nodes, like --nodes 256")
    if samples < 1:
        raise WeftError(f"--samples {samples} is out of range", "type 1 or more, like --samples 2")
    if asked.says_how_fast:
        raise WeftError(
            "a prediction computes nothing: the platform says how fast a rank is",
            "omit --threads and --long-links",
        )


def known_certainty(base: "SimulatedPlatform") -> "Certainty | None":
    """How far a platform is from what was published of it; None where that is not known."""
    from weft.sim.answers import certainty_of

    published = _published(base)
    return certainty_of(published, base.kind) if published else None


def _front(
    base: "SimulatedPlatform",
    answers: "Sequence[PredictedFabric]",
    certainty: "Certainty | None",
    limit: float | None,
    lacking: Sequence[str],
) -> "tuple[Front, Table]":
    """The table, and what a page shows first: algorithms by size, or fabrics side by side.

    `lacking` says which tests have no answer.
    """
    from weft.report.page import Front, Section
    from weft.sim.answer_charts import algorithms_chart, differences_chart
    from weft.sim.answers import answers_table, limits_in_words, notes_of
    from weft.sim.switches import OF_TIMES, in_words, is_of_algorithms, switches_table

    charts: tuple[Chart, ...] = ()
    if is_of_algorithms(answers):
        table, words = switches_table(base, answers, certainty), in_words(answers)
        charts = (algorithms_chart(answers),)
        notes = notes_of(base, answers, certainty, OF_TIMES)
    else:
        table, words = answers_table(base, answers, certainty, limit), []
        notes = notes_of(base, answers, certainty)
        if limit is not None:
            words = [limits_in_words(answers, limit)]
        charts = (differences_chart(answers, limit),) if len(answers) > 1 else ()
    table = msgspec.structs.replace(table, notes=(*table.notes, *lacking))
    # On a page the words stand on top.
    bare = msgspec.structs.replace(table, notes=())
    tests = ", ".join(dict.fromkeys(one.case.partition(" ")[0] for one in answers[0].figures))
    return Front(
        title=f"weft: {tests} on {counted(answers[0].nodes, 'node')} with links and hosts of"
        f" {base.name},"
        " predicted",
        summary="".join(
            f"{line[0].upper() + line[1:] if not at else line}. " for at, line in enumerate(words)
        ),
        warnings=("simulated, not measured", *notes, *lacking),
        section=Section(
            name="predicted", title="Predicted", charts=charts, tables=(bare,), findings=()
        ),
    ), table


def _point_in_words(point: int | None, axis: "Axis") -> str:
    """A place on a test's own axis: " 7 peers", " 1 peer", nothing of a test without one."""
    if point is None:
        return ""
    return f" {point} {axis.name.removesuffix('s') if point == 1 else axis.name}"


def _results(run: "Run") -> "Results":
    from weft.analysis.summary import summarise
    from weft.topics import results_of

    return results_of(run, summarise(run))


def _published(base: "SimulatedPlatform") -> "Platform | None":
    """What a platform was calibrated from, where that is published."""
    from weft.reference.library import platforms

    if base.kind not in ("model", "table"):
        return None
    return next((one for one in platforms() if one.name == base.name), None)


def _lacking(all_results: "Sequence[Results]", published: str) -> dict[str, str]:
    """Cases that no model answers on some fabric: for each why, and what to ask instead.

    `published` is the platform's name where it is one. Raises WeftError where there is no other.
    """
    from weft.sim.alternatives import instead_of

    found = {
        one.case: (one.test, why)
        for results in all_results
        for one in results.summaries
        if (why := _why_none(one, results.run.patterns[one.test].figure))
    }
    if all(one.case in found for one in all_results[0].summaries):
        tests = tuple(dict.fromkeys(test for test, _ in found.values()))
        raise WeftError(
            "; ".join(dict.fromkeys(why for _, why in found.values())),
            f"ask {instead_of(tests, published)} instead",
        )
    return {
        case: f"{why}; ask {instead_of([test], published)} instead"
        for case, (test, why) in found.items()
    }


def _why_none(one: "CaseSummary", figure: str) -> str:
    """Why a case has no figure that a fabric has a part in; else empty."""
    if one.status == "unsupported":
        return f"{one.test} is unsupported on a simulated platform: {one.reason.rstrip('.')}"
    if figure == "overhead":
        return f"{one.test} is not predicted: it is of the hosts, and no fabric changes it"
    return ""


def _answer(
    variant: "Variant",
    results: "Results",
    moved: "Sequence[Run]",
    lacking: Container[str],
) -> "PredictedFabric":
    """The figures of a record but for those `lacking`, and of those moved.

    Raises WeftError where a case has none.
    """
    from weft.fabric.routes import routes_of
    from weft.fabric.topologies import build_fabric
    from weft.sim.answers import PredictedFabric

    return PredictedFabric(
        variant=variant.label,
        nodes=variant.fabric.nodes,
        switches=routes_of(build_fabric(variant.fabric), variant.routing).most_switches,
        figures=_figures(results, lacking),
        moved=tuple(_figures(_results(run), lacking) for run in moved),
        algorithm=variant.algorithm,
        record=str(results.run.path),
    )


def _figures(results: "Results", lacking: Container[str]) -> "tuple[PredictedFigure, ...]":
    """Of every case but those, in the order of the plan. Raises WeftError where one has none."""
    from weft.plan.budget import in_words
    from weft.sim.answers import PredictedFigure
    from weft.topics.scaling.rows import scaling_of
    from weft.units import format_bytes

    asked = [one for one in results.summaries if one.case not in lacking]
    if bad := [one for one in asked if one.status != "ok"]:
        # As much longer as there are more cases than have a figure.
        budget_s = results.run.header.plan.budget_s * len(asked) / max(len(asked) - len(bad), 1)
        raise WeftError(
            f"{bad[0].case} has no figure: {bad[0].reason.rstrip('.')}",
            f"type another test, or --budget {in_words(budget_s)}",
        )
    iterations = {row.case: row for row in scaling_of(results).all}
    found = []
    for one in asked:
        row = iterations.get(one.case)
        point = _point_in_words(one.point, results.run.patterns[one.test].axis)
        if row is not None:
            found.append(
                PredictedFigure(
                    case=f"{one.test} {row.lattice}",
                    value=row.iteration_ns.value,
                    largest_bytes=results.run.cases[one.case].message_bytes,
                )
            )
            continue
        rate, time_ns = one.bandwidth_bytes_per_s, one.latency_ns
        estimate = time_ns or rate
        if estimate is None:
            raise WeftError(f"{one.case} has no time and no bandwidth", "type another test")
        found.append(
            PredictedFigure(
                case=f"{one.test}{point} {format_bytes(one.bytes)}",
                value=estimate.value,
                is_rate=time_ns is None,
                bytes=one.bytes,
                largest_bytes=one.bytes,
            )
        )
    return tuple(found)
