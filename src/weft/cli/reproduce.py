"""`weft reproduce`: a study's tests on its simulated platforms, beside what it published."""

from typing import TYPE_CHECKING, Annotated

import typer

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.tables import Table

_EXAMPLES = """Examples:

weft reproduce sandia

weft reproduce sandia --kind table

weft reproduce osu"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("reproduce", epilog=_EXAMPLES)(reproduce)


def reproduce(
    study: Annotated[str, typer.Argument(help="Reproduce this study: sandia or osu.")],
    kind: Annotated[
        str,
        typer.Option(help="Simulate a model of few parameters, or a table right at each size."),
    ] = "model",
) -> None:
    """Run a published study's tests on its simulated platforms, beside the published figures.

    sandia: tables 4 to 8 of Doerfler (2005) on Escher, Red Squall and Callisto. osu: what the text
    of Liu et al. (2003) states of VAPI, GM and Elan3.
    """
    from weft.names import choose
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.sim.platforms import check_kind

    chosen = check_kind(kind)
    [name] = choose("study", [study], ("sandia", "osu"))
    if name == "osu" and chosen == "table":
        raise WeftError("the OSU study is published without tables", "type weft reproduce osu")
    for table in _sandia(chosen) if name == "sandia" else _osu():
        console().print(*render_table(table), sep="\n")


def _sandia(kind: str) -> "list[Table]":
    from weft.reference.library import find_platform
    from weft.reproduction import TABLED, simulated_times
    from weft.sim.fidelity import beside, peaks_beside
    from weft.sim.platforms import calibrated, check_kind

    found = [find_platform(name) for name in ("escher", "red-squall", "callisto")]
    times = {one.name: simulated_times(calibrated(one, check_kind(kind)), TABLED) for one in found}
    label = f"published and simulated ({kind})"
    return [*beside(found, times, label), peaks_beside(found, times, label)]


def _osu() -> "list[Table]":
    from weft.reference.library import find_platform
    from weft.reproduction import simulated_statements
    from weft.sim.fidelity import statements_table
    from weft.sim.platforms import calibrated

    found = [find_platform(name) for name in ("osu-vapi", "osu-gm", "osu-elan3")]
    figures = {one.name: simulated_statements(calibrated(one, "model")) for one in found}
    return [statements_table(found, figures)]
