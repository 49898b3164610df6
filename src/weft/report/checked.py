"""Checks as a table in a terminal: what did not pass first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.compare.acceptance import Checked, Outcome

_ORDER = ("fail", "cannot tell", "pass")


def checks_table(
    checks: Sequence[Checked],
    outcome: Outcome,
    unlike: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> RenderableType:
    """How the machines differ, one line per check, failures first, and the overall answer last.

    Sizes that pass with their curve, or cannot tell with it, have no line of their own. `notes` are
    the basis of the answers.
    """
    table = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    # A size that has no answer but its curve's says nothing more.
    curves = {check.case: check.outcome for check in checks}
    shown = [
        check
        for check in checks
        if check.outcome == "fail" or check.outcome != curves.get(check.curve)
    ]
    for check in sorted(shown, key=lambda check: _ORDER.index(check.outcome)):
        style = "" if check.outcome == "pass" else "bold"
        table.add_row(Text(check.outcome, style=style), check.case, Text(check.why))
    counts = [f"{sum(c.outcome == kind for c in checks)} {kind}" for kind in _ORDER]
    first = [Text(f"unlike the reference: {line}") for line in unlike]
    folded = Counter(check.outcome for check in checks if check not in shown)
    more = [
        Text(f"{kind}: {counted(count, 'size')} with their curves")
        for kind, count in folded.items()
    ]
    rests_on = [Text(f"note: {line}") for line in notes]
    words = Text(f"{outcome}: {', '.join(counts)} of {len(checks)} checks.")
    return Group(*first, table, *more, *rests_on, words)
