"""`weft reproduce`: a study's tests on its simulated platforms, beside what it published."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.sim.platforms import Calibrated
    from weft.tables import Table
    from weft.topics.scaling.rows import ScalingRows

_EXAMPLES = """Examples:

weft reproduce sandia

weft reproduce sandia --kind table

weft reproduce osu

weft reproduce fermilab --rate 800MFlop/s -o curves.html"""
STUDIES = ("sandia", "osu", "fermilab")
_USUAL_RATE = "800MFlop/s"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reproduce", epilog=_EXAMPLES)(reproduce)


def reproduce(
    study: Annotated[str, typer.Argument(help="Reproduce this study: sandia, osu, fermilab.")],
    kind: Annotated[
        str,
        typer.Option(help="Simulate a model of few parameters, or a table right at each size."),
    ] = "model",
    rate: Annotated[
        str,
        typer.Option(help="Let a rank of fermilab compute so much. Default: 800MFlop/s."),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=output_option,
            help="Draw fermilab's curves: .svg, .pdf or .html.",
        ),
    ] = None,
) -> None:
    """Run a published study's tests on its simulated platforms, beside the published figures.

    sandia: tables 4 to 8 of Doerfler (2005) on Escher, Red Squall and Callisto. osu: what the text
    of Liu et al. (2003) states of VAPI, GM and Elan3. fermilab: the curves of MILC's staggered
    solver on the two clusters of Holmgren (2003), whose points are published as a picture only.
    """
    from weft.names import choose
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.sim.platforms import check_kind

    chosen = check_kind(kind)
    [name] = choose("study", [study], STUDIES)
    if name != "fermilab" and (rate or output is not None):
        option = "--rate" if rate else "-o"
        raise WeftError(f"{option} is for the curves of fermilab", f"omit {option}")
    if name == "fermilab" and chosen == "table":
        raise WeftError("Fermilab published no tables", "type weft reproduce fermilab")
    if name == "fermilab":
        console().print(*render_table(_fermilab(rate or _USUAL_RATE, output)), sep="\n")
        return
    if name == "osu" and chosen == "table":
        raise WeftError("the OSU study is published without tables", "type weft reproduce osu")
    for table in _sandia(chosen) if name == "sandia" else _osu():
        console().print(*render_table(table), sep="\n")


def _sandia(kind: "Calibrated") -> "list[Table]":
    from weft.reference.library import find_platform
    from weft.sim.fidelity import beside, peaks_beside
    from weft.sim.platforms import calibrated
    from weft.studies.reproduction import TABLED, simulated_times

    found = [find_platform(name) for name in ("escher", "red-squall", "callisto")]
    times = {one.name: simulated_times(calibrated(one, kind), TABLED) for one in found}
    label = f"published and simulated ({kind})"
    return [*beside(found, times, kind), peaks_beside(found, times, label)]


def _osu() -> "list[Table]":
    from weft.reference.library import find_platform
    from weft.sim.fidelity import statements_table
    from weft.sim.platforms import calibrated
    from weft.studies.reproduction import simulated_statements

    found = [find_platform(name) for name in ("osu-vapi", "osu-gm", "osu-elan3")]
    figures = {one.name: simulated_statements(calibrated(one, "model")) for one in found}
    return [statements_table(found, figures)]


def _fermilab(rate: str, output: Path | None) -> "Table":
    from weft.analysis.summary import summarise
    from weft.reference.library import find_platform
    from weft.report.picture import check_kind, write_picture
    from weft.sim.assumptions import ASSUMED
    from weft.sim.platforms import calibrated, with_rate
    from weft.studies.reproduction import SOLVER_RANKS, simulated_solver
    from weft.topics import results_of
    from weft.topics.scaling import Scaling

    published = [find_platform(name) for name in ASSUMED]
    simulated = [with_rate(calibrated(one, "model", max(SOLVER_RANKS)), rate) for one in published]
    if output is not None:
        check_kind(output)
    found: list[tuple[str, ScalingRows]] = []
    for one, platform in zip(published, simulated, strict=True):
        run = simulated_solver(platform)
        rows = results_of(run, summarise(run)).of(Scaling())
        found.append((one.title, rows))
    assumed = [f"{one.title}: assumed {ASSUMED[one.name].why}." for one in published]
    table = _solver_table(found, rate, assumed)
    if output is not None:
        write_picture(output, Scaling().overlaid(found), table)
        typer.echo(f"picture: {output}", err=True)
    return table


def _solver_table(
    clusters: "list[tuple[str, ScalingRows]]", rate: str, assumed: list[str]
) -> "Table":
    """A row a lattice, a column for each cluster and number of nodes: MFlop/s of a node."""
    from weft.studies.reproduction import SOLVER_RANKS
    from weft.tables import Table

    by_lattice: dict[str, list[str]] = {}
    for _, rows in clusters:
        for row in sorted(rows.all, key=lambda row: (row.sites, row.ranks)):
            cell = f"{row.flops_per_s.value / 1e6:.0f}" if row.flops_per_s else "-"
            by_lattice.setdefault(row.lattice, []).append(cell)
    heads = [
        f"{title.split()[-1]} {ranks}" if ranks == SOLVER_RANKS[0] else str(ranks)
        for title, _ in clusters
        for ranks in SOLVER_RANKS
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
