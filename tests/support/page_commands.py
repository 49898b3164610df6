"""The commands of a page: the lines of its blocks for a shell, and how they are made short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.copies import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
# A command and not words about one: it begins a line of its own, in any box or in none.
TYPED = re.compile(r"^ {4,}(?:\$ )?(?:weft|make|python|mpirun|srun|sbatch|pip)\b.*$", re.MULTILINE)


def commands(page: str) -> list[str]:
    """Each line of the `sh` blocks of a page of docs/, without what is said beside it."""
    blocks = BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text())
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [re.split(r"\s+# ", line)[0] for line in lines if line]


def untyped(page: str) -> list[str]:
    """What a page shows as a command outside its `sh` blocks, where no test types it."""
    return TYPED.findall(BLOCK.sub("", (ROOT / "docs" / f"{page}.md").read_text()))


def outputs(command: str) -> list[str]:
    """The files that a command says it writes."""
    options = "-o|--csv|--latex|--methods|--junit|--openmetrics|>"
    return re.findall(rf"(?:{options}) (\S+)", command)


def changed(command: str, changes: Mapping[str, str]) -> str:
    """A command with other words for some of its own."""
    for words, others in changes.items():
        command = re.sub(words, others, command)
    return command
