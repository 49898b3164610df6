"""A prediction: tests simulated on fabrics, and the fabrics side by side."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.studies.predicted_figures import answer_of, assumed_figures, figures_of
from weft.wording import counted

if TYPE_CHECKING:
    from weft.analysis.summary import CaseSummary
    from weft.applications.asked import ApplicationsAsked
    from weft.charts import Chart
    from weft.launch.protocol import Answer
    from weft.plan.case import Case
    from weft.plan.cases import Experiment
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.reference.library import Platform
    from weft.report.html import Card, Picture
    from weft.report.page import Front
    from weft.sim.answers import Certainty, PredictedFabric
    from weft.sim.assumptions import Assumption
    from weft.sim.predicted import Variant
    from weft.studies.placed_tests import PlacedTests
    from weft.studies.simulations import Effort
    from weft.tables import Table
    from weft.topics.base import Results


# In the engine's words where a case has too few ranks, and in those of a prediction.
_MORE_RANKS = "choose more with --ranks"
_MORE_NODES = "use more --nodes, or smaller --points"
# Fabrics that the first screen has cards of, and rows of one.
MOST_CARDS = 6
MOST_ON_A_CARD = 4
# This test charges its arithmetic at the speed of a rank.
_COMPUTING = "milc"
_SHARED = "the errors of the memory that ranks of a node share"


class Predicted(msgspec.Struct, frozen=True, kw_only=True):
    """What was simulated of each fabric, side by side as a table, and what its page begins with.

    `answers` are the fabrics with their figures.
    """

    answers: "tuple[PredictedFabric, ...]"
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
    shared: str = "",
    assumptions: "Sequence[Assumption]" = (),
) -> Predicted:
    """Simulate tests on each fabric, with the links and hosts of a platform.

    `limit` is how much slower than the first a fabric may be, as a fraction; `shared` is the
    name of the platform whose memory ranks of a node share, as the variants have it. Intervals
    cover the ranges of the `assumptions`. Before a large simulation small ones tell what it will
    cost here. Raises WeftError.
    """
    from weft.sim.assumed_shares import assumptions_in_words, with_shares
    from weft.sim.sensitivity import ends_of_ranges

    placed = effort.placed(base, variants, experiment)
    published = _published(base)
    _check_refused(effort.refused(placed[0]), published.name if published else "")
    effort.foresee(base, variants[0], experiment, len(variants))
    runs = effort.runs(placed)
    certainty, memory = known_certainty(base), memory_of(placed, shared)
    is_known = memory is not None or not _have_neighbours(placed)
    moved = effort.moved(base, variants, experiment, certainty if is_known else None, memory)
    ends = ends_of_ranges(assumptions)
    assumed = effort.assumed(base, variants, experiment, ends)
    results = tuple(
        _results_of(variant.label, of_variant)
        for variant, of_variant in zip(variants, runs, strict=True)
    )
    lacking = _lacking(results, published.name if published else "")
    answers = []
    for at, variant in enumerate(variants):
        shares = [one.share for one in placed[at]]
        of_moves, of_ends = (
            [figures_of([_results(run) for run in own], shares, lacking) for own in found]
            for found in (moved[at] if moved else (), assumed[at] if assumed else ())
        )
        answer = answer_of(
            variant,
            figures_of(results[at], shares, lacking),
            (of_moves, assumed_figures(ends, of_ends)),
            str(results[at][0].run.path),
        )
        answers.append(with_shares(answer, assumptions))
    lines = [
        *dict.fromkeys(lacking.values()), *memory_in_words(placed, certainty, memory),
        *assumptions_in_words(assumptions, answers),
    ]  # fmt: skip
    front, table = _front(base, answers, (certainty, memory), limit, lines)
    return Predicted(
        answers=tuple(answers),
        results=tuple(one for own in results for one in own),
        front=msgspec.structs.replace(
            front,
            section=msgspec.structs.replace(front.section, pictures=_pictures(variants, runs)),
        ),
        table=table,
        page=effort.page,
    )


def _pictures(
    variants: "Sequence[Variant]", runs: "Sequence[Sequence[Run]]"
) -> "tuple[Picture, ...]":
    """Each fabric, with the loads of its links over all that was simulated of it."""
    from weft.fabric.topologies import build_fabric
    from weft.report.fabric_svg import fabric_pictures

    found = []
    for variant, of_variant in zip(variants, runs, strict=True):
        carried: Counter[str] = Counter()
        for run in of_variant:
            for end in run.lines.ends:
                carried.update(end.link_bytes)
        tests = dict.fromkeys(case.test for run in of_variant for case in run.cases.values())
        title = f"{variant.label}: what links carried of {', '.join(tests)}"
        found.append((title, build_fabric(variant.fabric), carried))
    return fabric_pictures(found)


def check_asked(platform: str, nodes: int, samples: int, asked: "ApplicationsAsked") -> None:
    """Raises WeftError for a prediction without a platform or nodes, or for what it cannot do."""
    if not platform:
        raise WeftError(
            "a prediction needs the links and hosts of a platform",
            "use --platform escher (weft list platforms), or a file of weft calibrate",
        )
    if not nodes:
        raise WeftError("the fabric has no nodes", "use --nodes, like --nodes 256")
    if samples < 1:
        raise WeftError(f"--samples {samples} is out of range", "use 1 or more, like --samples 2")
    if asked.says_how_fast:
        raise WeftError(
            "a prediction computes nothing: the platform says how fast a rank is",
            "omit --threads and --long-links",
        )


def assumptions_of(
    base: "SimulatedPlatform",
    variants: "Sequence[Variant]",
    tests: Sequence[str],
    typed: frozenset[str],
) -> "tuple[Assumption, ...]":
    """The times these tests and fabrics use that were neither measured nor given."""
    from weft.fabric.network import hops_of
    from weft.fabric.topologies import build_fabric
    from weft.plan.planning import SUMMING
    from weft.sim.assumptions import assumed_adder, assumed_computing, assumed_switches
    from weft.sim.predicted import parameters_of
    from weft.studies.placed_tests import plain_name
    from weft.topics.scaling.rate import USUAL_FLOPS_PER_S

    found = []
    has_further = any(hops_of(build_fabric(one.fabric)).diameter > 1 for one in variants)
    if "hop" not in typed and has_further:
        found.append(assumed_switches())
    parameters = parameters_of(base)
    if "rate" in typed:
        return tuple(found)
    names = {plain_name(test) for test in tests}
    if names.intersection(SUMMING) and not parameters.sum_bytes_per_s:
        found.append(assumed_adder(parameters.flops_per_s))
    # A file that weft calibrated from a record has the speed that was measured.
    if _COMPUTING in names and parameters.flops_per_s == USUAL_FLOPS_PER_S:
        found.append(assumed_computing(parameters.flops_per_s))
    return tuple(found)


def known_certainty(base: "SimulatedPlatform") -> "Certainty | None":
    """How far a platform is from what was published of it, or from what its record held out.

    None where that is not known.
    """
    from weft.sim.answers import certainty_in, certainty_of

    published = _published(base)
    return certainty_of(published, base.kind) if published else certainty_in(base)


def memory_of(placed: "Sequence[Sequence[PlacedTests]]", shared: str) -> "Certainty | None":
    """How far the memory of a platform is known, which ranks of a node share; None where none do.

    Raises WeftError for a name that is no platform's.
    """
    from weft.sim.platforms import simulated_platform

    if not shared or not _have_neighbours(placed):
        return None
    return known_certainty(simulated_platform(shared))


def _have_neighbours(placed: "Sequence[Sequence[PlacedTests]]") -> bool:
    """Whether ranks have others on their node anywhere: a pair of a test of two ranks has none."""
    return any(one.platform.ranks_per_node > 1 for of_variant in placed for one in of_variant)


def memory_in_words(
    placed: "Sequence[Sequence[PlacedTests]]",
    certainty: "Certainty | None",
    memory: "Certainty | None",
) -> tuple[str, ...]:
    """What intervals have of the memory that ranks of a node share."""
    if certainty is None or not _have_neighbours(placed):
        return ()
    if memory is None:
        why = "how far it is from a real one is not known, so no difference has an interval"
        return (f"no interval has {_SHARED}: {why}",)
    missed = (
        f"{counted(memory.points, 'figure')} by {100 * memory.mean:.1f} % on average and"
        f" {100 * memory.worst:.1f} % at most"
    )
    return (f"intervals have {_SHARED} too, which misses {missed}",)


def _front(
    base: "SimulatedPlatform",
    answers: "Sequence[PredictedFabric]",
    known: "tuple[Certainty | None, Certainty | None]",
    limit: float | None,
    lacking: Sequence[str],
) -> "tuple[Front, Table]":
    """The table, and what a page shows first: algorithms by size, or fabrics side by side.

    `known` is how far the links are, and the memory of ranks of a node; `lacking` says which tests
    have no answer, and what no interval has.
    """
    from weft.report.html import Section
    from weft.report.page import Front
    from weft.sim.answer_charts import algorithms_chart, differences_chart, has_differences
    from weft.sim.answers import answers_table, limits_in_words, notes_of
    from weft.sim.switches import OF_TIMES, in_words, is_of_algorithms, switches_table

    certainty, memory = known
    charts: tuple[Chart, ...] = ()
    if is_of_algorithms(answers):
        table, words = switches_table(base, answers, certainty), in_words(answers)
        charts = (algorithms_chart(answers),)
        notes = notes_of(base, answers, certainty, OF_TIMES)
    else:
        table, words = answers_table(base, answers, certainty, limit, memory), []
        notes = notes_of(base, answers, certainty)
        if limit is not None:
            words = [limits_in_words(answers, limit)]
        charts = (differences_chart(answers, limit),) if has_differences(answers) else ()
    table = msgspec.structs.replace(table, notes=(*table.notes, *lacking))
    # On a page the words stand on top.
    bare = msgspec.structs.replace(table, notes=())
    tests = ", ".join(dict.fromkeys(one.case.partition(" ")[0] for one in answers[0].figures))
    return Front(
        title=f"{tests} on {counted(answers[0].nodes, 'node')} with links and hosts of"
        f" {base.name},"
        " predicted",
        summary="".join(
            f"{line[0].upper() + line[1:] if not at else line}. " for at, line in enumerate(words)
        ),
        warnings=("simulated, not measured", *notes, *lacking),
        section=Section(
            name="predicted", title="Predicted", charts=charts, tables=(bare,), findings=()
        ),
        cards=() if is_of_algorithms(answers) else _cards(table),
    ), table


def _cards(table: "Table") -> "tuple[Card, ...]":
    """A card a fabric, with the table's rows; none of more than a first screen has room for."""
    from weft.report.html import Card
    from weft.sim.answers import ASSUMED, OVER_RANKS

    figures: dict[str, list[tuple[str, str, str]]] = {}
    for row in table.rows:
        cells = dict(zip(table.head, row, strict=True))
        words = [cells.get(OVER_RANKS, ""), cells["by the calibration"]]
        words += [f"assumed: {one}" for one in [cells.get(ASSUMED, "")] if one]
        words += [f"{one} slower" for one in [cells.get("slower", "")] if one]
        value = (cells["case"], cells["figure"], "; ".join(filter(None, words)))
        figures.setdefault(cells["fabric"], []).append(value)
    if len(figures) > MOST_CARDS or any(len(own) > MOST_ON_A_CARD for own in figures.values()):
        return ()
    return tuple(
        Card(title=fabric, group=group, figures=tuple(own))
        for group, (fabric, own) in enumerate(figures.items())
    )


def _check_refused(asked: "Sequence[tuple[Case, Answer]]", published: str) -> None:
    """Raises WeftError for a case that does not fit the memory, or where no case can be simulated.

    Some that cannot are lines below the table.
    """
    from weft.measure.refused import why_none
    from weft.sim.alternatives import instead_of

    for case, said in asked:
        if said.status == "failed":
            what, _, fix = said.reason.partition("; ")
            raise WeftError(f"{case.key} {what}", fix or "use another test")
    if not all(said.status == "unsupported" for _, said in asked):
        return
    what, fix = why_none(asked)
    if fix:
        raise WeftError(what, fix.replace(_MORE_RANKS, _MORE_NODES))
    reasons = dict.fromkeys((case.test, said.reason.rstrip(".")) for case, said in asked)
    tests = tuple(dict.fromkeys(case.test for case, _ in asked))
    raise WeftError(
        "; ".join(_unsupported(test, reason) for test, reason in reasons),
        f"ask {instead_of(tests, published)} instead",
    )


def _results_of(label: str, runs: "Sequence[Run]") -> "tuple[Results, ...]":
    """Of all placements on a fabric: names of files do not tell fabrics from each other."""
    count = len(runs)
    names = [label if count == 1 else f"{label} ({at} of {count})" for at in range(1, count + 1)]
    return tuple(_results(run, name) for run, name in zip(runs, names, strict=True))


def _results(run: "Run", name: str = "") -> "Results":
    from weft.analysis.summary import summarise
    from weft.topics import results_of

    return results_of(run, summarise(run), name=name)


def _published(base: "SimulatedPlatform") -> "Platform | None":
    """What a platform was calibrated from, where that is published."""
    from weft.reference.library import platforms

    if base.kind not in ("model", "table"):
        return None
    return next((one for one in platforms() if one.name == base.name), None)


def _lacking(all_results: "Sequence[Sequence[Results]]", published: str) -> dict[str, str]:
    """Cases that no model answers on some fabric: for each why, and what to ask instead.

    `published` is the platform's name where it is one. Raises WeftError where there is no other.
    """
    from weft.sim.alternatives import instead_of

    found = {
        one.case: (one.test, why)
        for of_variant in all_results
        for results in of_variant
        for one in results.summaries
        if (why := _why_none(one, results.run.patterns[one.test].figure))
    }
    if all(one.case in found for results in all_results[0] for one in results.summaries):
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
        return _unsupported(one.test, one.reason.rstrip("."))
    if figure == "overhead":
        return f"{one.test} is not predicted: it is of the hosts, and no fabric changes it"
    return ""


def _unsupported(test: str, reason: str) -> str:
    return f"{test} is unsupported on a simulated platform: {reason}"
