"""What to type for more launches: their number, or the budget that has them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from weft.plan.budget import in_words

if TYPE_CHECKING:
    from weft.record.run import Run


def words_for_launches(run: Run, wanted: int) -> str:
    """The option that gives each case so many launches: --launches where fewer were asked for.

    Else the budget was short, and it is as much longer as launches are missing: in proportion, of
    the transport that had fewest.
    """
    plan = run.header.plan
    if plan.launches < wanted:
        return f"--launches {wanted} or more"
    made = {(run.cases[batch.case].transport, batch.launch) for batch in run.measured}
    fewest = min(Counter(transport for transport, _ in made).values(), default=1)
    spent_s = (run.footer.budget_s if run.footer else 0.0) or plan.budget_s
    return f"--budget {in_words(spent_s * max(wanted / fewest, 1.0))}"
