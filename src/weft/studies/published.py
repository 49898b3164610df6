"""The published studies that can be run again on their simulated platforms: tables and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.summary import summarise
from weft.charts import Chart
from weft.errors import WeftError, without_effect
from weft.names import choose
from weft.reference.library import find_platform
from weft.sim.assumptions import ASSUMED
from weft.sim.fidelity import beside, peaks_beside, statements_table
from weft.sim.platforms import Calibrated, calibrated, check_kind, with_rate
from weft.studies.reproduction import (
    SOLVER_RANKS,
    TABLED,
    simulated_solver,
    simulated_statements,
    simulated_times,
)
from weft.tables import Table
from weft.topics import results_of
from weft.topics.scaling import Scaling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.topics.scaling.rows import ScalingRows

STUDIES = ("sandia", "osu", "fermilab")
_USUAL_RATE = "800MFlop/s"


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """What a study gives: tables, and the charts of one that published curves."""

    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()


def reproduced(study: str, kind: str, rate: str = "", *, is_drawn: bool = False) -> Reproduction:
    """A study of this name on platforms of this kind; `rate` is what a rank of fermilab computes.

    `is_drawn` asks for its charts. Raises WeftError for what the study has not.
    """
    chosen = check_kind(kind)
    [name] = choose("study", [study], STUDIES)
    if name != "fermilab" and (rate or is_drawn):
        option = "--rate" if rate else "--output"
        raise without_effect(option, "only fermilab has curves of a solver")
    if name == "fermilab" and chosen == "table":
        raise WeftError("Fermilab published no tables", "run weft reproduce fermilab")
    if name == "osu" and chosen == "table":
        raise WeftError("the OSU study is published without tables", "run weft reproduce osu")
    if name == "fermilab":
        return _fermilab(rate or _USUAL_RATE)
    return Reproduction(tables=_sandia(chosen) if name == "sandia" else _osu())


def _sandia(kind: Calibrated) -> tuple[Table, ...]:
    found = [find_platform(name) for name in ("escher", "red-squall", "callisto")]
    times = {one.name: simulated_times(calibrated(one, kind), TABLED) for one in found}
    label = f"published and simulated ({kind})"
    return (*beside(found, times, kind), peaks_beside(found, times, label))


def _osu() -> tuple[Table, ...]:
    found = [find_platform(name) for name in ("osu-vapi", "osu-gm", "osu-elan3")]
    figures = {one.name: simulated_statements(calibrated(one, "model")) for one in found}
    return (statements_table(found, figures),)


def _fermilab(rate: str) -> Reproduction:
    published = [find_platform(name) for name in ASSUMED]
    simulated = [with_rate(calibrated(one, "model", max(SOLVER_RANKS)), rate) for one in published]
    found: list[tuple[str, ScalingRows]] = []
    for one, platform in zip(published, simulated, strict=True):
        run = simulated_solver(platform)
        rows = results_of(run, summarise(run)).of(Scaling())
        found.append((one.title, rows))
    assumed = [f"{one.title}: assumed {ASSUMED[one.name].why}." for one in published]
    table = solver_table(found, rate, assumed)
    return Reproduction(tables=(table,), charts=tuple(Scaling().overlaid(found)))


def solver_table(
    clusters: Sequence[tuple[str, ScalingRows]], rate: str, assumed: Sequence[str]
) -> Table:
    """A row a lattice, a column for each cluster and number of nodes: MFlop/s of a node."""
    by_lattice: dict[str, list[str]] = {}
    for _, rows in clusters:
        for row in sorted(rows.all, key=lambda row: (row.sites, row.ranks)):
            cell = f"{row.flops_per_s.value / 1e6:.0f}" if row.flops_per_s else "-"
            by_lattice.setdefault(row.lattice, []).append(cell)
    heads = [
        f"{title.split()[-1]} {ranks}" if at == 0 else str(ranks)
        for title, rows in clusters
        for at, ranks in enumerate(sorted({row.ranks for row in rows.all}))
    ]
    return Table(
        name="solver",
        caption="MILC's staggered solver simulated: MFlop/s of a node by lattice and nodes",
        head=("a node", *heads),
        rows=tuple((lattice, *cells) for lattice, cells in by_lattice.items()),
        notes=(
            f"A node computes {rate}, which the text does not say; flops by 1187 a site.",
            *assumed,
            "The published curves are a picture, so no published point stands beside these.",
        ),
    )
