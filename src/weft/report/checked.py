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

ORDER = ("fail", "cannot tell", "pass")


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
    shown, folded = folded_checks(checks)
    for check in sorted(shown, key=lambda check: ORDER.index(check.outcome)):
        style = "" if check.outcome == "pass" else "bold"
        table.add_row(Text(check.outcome, style=style), check.case, Text(check.why))
    first = [Text(f"unlike the reference: {line}") for line in unlike]
    kinds = Counter(check.outcome for check in folded)
    more = [
        Text(f"{kind}: {counted(count, 'size')} with their curves") for kind, count in kinds.items()
    ]
    rests_on = [Text(f"note: {line}") for line in notes]
    words = Text(f"{outcome}: {counts_in_words(checks)}.")
    return Group(*first, table, *more, *rests_on, words)


def folded_checks(checks: Sequence[Checked]) -> tuple[list[Checked], list[Checked]]:
    """Those that say something of their own, and sizes that have no answer but their curve's."""
    curves = {check.case: check.outcome for check in checks}
    own = [
        check
        for check in checks
        if check.outcome == "fail" or check.outcome != curves.get(check.curve)
    ]
    return own, [check for check in checks if check not in own]


def counts_in_words(checks: Sequence[Checked]) -> str:
    """How often each answer was given: "0 fail, 2 cannot tell, 4 pass of 6 checks"."""
    counts = [f"{sum(check.outcome == kind for check in checks)} {kind}" for kind in ORDER]
    return f"{', '.join(counts)} of {counted(len(checks), 'check')}"
