"""docs/tutorial-slurm.md: every command of it, one after the other, on the lab's first host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lab.cluster.cluster import CHECKOUT
from lab.runs import end_of_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
PAGE = CHECKOUT / "docs" / "tutorial-slurm.md"
# Against another record any answer is right in the lab: pass, fail, cannot tell.
ANY_ANSWER = (0, 1, 3)
# How precise a run became depends on what else its machine did.
VERDICT = "Settled. "
VERDICTS = (VERDICT, "Not settled. ")


def steps() -> list[tuple[str, str]]:
    """Each block of commands with the output that the page shows for it, if it does."""
    found: list[tuple[str, str]] = []
    for kind, text in re.findall(r"```(sh|text)\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if kind == "sh":
            found.append((text, ""))
        else:
            found[-1] = (found[-1][0], text)
    return found


def lasting(line: str) -> str:
    """What of a shown line is the same in every run: all up to its first digit."""
    return " ".join(re.split(r"\d", line, maxsplit=1)[0].split())


def test_every_command_of_the_tutorial_does_what_the_page_shows(
    cluster: Cluster, folder: Path
) -> None:
    for commands, shown in steps():
        done = cluster.run(
            *("bash", "-ec", commands),
            folder=folder,
            deadline_s=900,
            more={"WEFT_SOURCE": str(CHECKOUT)},
        )
        against_record = "--against monday" in commands
        assert done.returncode in (ANY_ANSWER if against_record else (0,)), (commands, done)
        end_of_jobs(cluster)
        printed = " ".join((done.stdout + done.stderr).split())
        for line in [] if against_record else shown.splitlines():
            if line.startswith(VERDICT):
                assert any(verdict in printed for verdict in VERDICTS), (commands, printed)
            else:
                assert lasting(line) in printed, (commands, line, printed)
    for name in ("monday.html", "check.xml", "limits.xml", "accepted.xml", "trend.html"):
        assert (folder / name).stat().st_size > 0, name
    assert len(list((folder / "records").iterdir())) == 2
