"""A record's figures in the tables of other programs (`weft show --like`). This is their list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weft
from weft.errors import WeftError
from weft.names import as_typed, choose
from weft.studies.peer_tables.figures import curves_of
from weft.studies.peer_tables.imb import IMB
from weft.studies.peer_tables.layout import of_what
from weft.studies.peer_tables.osu import OSU
from weft.studies.peer_tables.perftest import PERFTEST
from weft.wording import in_a_row

if TYPE_CHECKING:
    from weft.record.run import Run
    from weft.studies.peer_tables.figures import CurveFigures
    from weft.studies.peer_tables.layout import PeerLayout

LAYOUTS: tuple[PeerLayout, ...] = (OSU, IMB, PERFTEST)


def as_printed_by(run: Run, name: str) -> list[str]:
    """The lines that this program would print; what it has no table for is said before them.

    Raises WeftError for a name that is none, and for a record of which it has no test.
    """
    [chosen] = choose("layout", [name], [layout.name for layout in LAYOUTS])
    layout = next(one for one in LAYOUTS if one.name == chosen)
    known = set(layout.tests_among(_measured(run)))
    curves = curves_of(run, known)
    whole = [one for one in curves if not layout.lacks(one)]
    if not whole and curves:
        raise WeftError(
            f"{run.path} has no figure as {layout.program} prints them: {layout.lacks(curves[0])}",
            f"see what it has with: weft show {as_typed(run.path)}",
        )
    if not whole:
        raise WeftError(
            f"{run.path} has no figure that {layout.program} has a test for",
            f"it knows {in_a_row(sorted(known), 'and')}; see all with: weft show"
            f" {as_typed(run.path)}",
        )
    remarks = [*_origin(run, layout, whole), *_omitted(run, layout, curves)]
    tables = [
        line
        for one in whole
        for line in ("", *layout.lines(layout.title_of(one.pattern.name), one))
    ]
    return [*(f"# {remark}" for remark in remarks), *layout.head, *tables]


def _origin(run: Run, layout: PeerLayout, curves: list[CurveFigures]) -> list[str]:
    """What these figures are, and of which program."""
    imported = run.header.imported
    definition = f"as {imported.tool} states them" if imported else layout.definition
    what = f"in the layout of {layout.program}: {definition}"
    lines = [f"printed by weft {weft.__version__} from {run.path} {what}"]
    if any(one.is_of_means for curve in curves for one in curve.cases):
        lines.append("a sample is the mean of several operations: extremes are not of single ones")
    return [*lines, *(f"measured: {of_what(one)}" for one in curves)]


def _omitted(run: Run, layout: PeerLayout, curves: list[CurveFigures]) -> list[str]:
    measured = _measured(run)
    known = layout.tests_among(measured)
    left = [f"no test of {layout.program}: {test}" for test in measured if test not in known]
    alike = [
        f"{test} stands under {layout.title_of(test)}, of which weft's own loop is {same}"
        for test, same in layout.alike.items()
        if test in measured and test in known
    ]
    return [
        *left,
        *alike,
        *(f"omitted: {of_what(one)}: {layout.lacks(one)}" for one in curves if layout.lacks(one)),
    ]


def _measured(run: Run) -> list[str]:
    """The tests of which it has figures."""
    return list(dict.fromkeys(run.cases[key].test for key in run.measured_by_case))
