"""Which lines quick tests run, of what `make mutants` recorded: no test is run again for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutants.reached import lines_reached
from mutants.statements import in_functions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Counts = tuple[int, int, int, int]


def files_recorded(store: Path, tree: Path) -> Iterator[tuple[str, Counts]]:
    """Each source with its statements that no import runs, those that were run, and no branches:
    of these nothing is recorded.
    """
    for path in sorted((tree / "src" / "weft").rglob("*.py")):
        name, text = str(path.relative_to(tree)), path.read_text()
        lines = lines_reached(store, name, text)
        every = list(in_functions(text))
        run = sum(any(first <= at <= last for at in lines) for first, last in every)
        yield name, (len(every), run, 0, 0)
