"""Drawn mutants that lived: kept, so that they are planted again when tests were written for them.

A source goes on meanwhile: a mutant is where its old text stands, nearest to its line.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mutants.drawn import Drawn
from mutants.pages import write_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mutants.shares import Fate

KEPT = Path(__file__).with_name("judged") / "lived.toml"


def kept(path: Path = KEPT) -> list[Drawn]:
    """Those that lived when they were tried last."""
    return msgspec.convert(tomllib.loads(path.read_text()).get("mutant", []), list[Drawn])


def keep(fates: Mapping[Drawn, Fate], path: Path = KEPT) -> None:
    """Add those that lived; those that have another fate now go."""
    _write([one for one, fate in fates.items() if fate == "lived"], [*fates], path)


def forget(gone: Sequence[Drawn], path: Path = KEPT) -> None:
    """Take these out: nobody can plant them."""
    _write((), gone, path)


def _write(more: Sequence[Drawn], instead_of: Sequence[Drawn], path: Path) -> None:
    old = {_named(one) for one in instead_of}
    left = [one for one in kept(path) if _named(one) not in old]
    every = sorted((*left, *more), key=lambda one: (one.path, one.line, one.new))
    made_by = 'Written by `make mutants ARGS="--drawn N --share"` and `ARGS="--again"`.'
    write_rows(path, "mutant", made_by, every)


def as_now(root: Path, mutants: Sequence[Drawn]) -> tuple[list[Drawn], list[Drawn]]:
    """Those whose old text is in its file still, where it stands, and those whose is not."""
    here, gone = [], []
    for one in mutants:
        path = root / one.path
        line = _nearest(path.read_text(), one) if path.exists() else 0
        if line:
            here.append(msgspec.structs.replace(one, line=line))
        else:
            gone.append(one)
    return here, gone


def _nearest(text: str, mutant: Drawn) -> int:
    """The line where its old text begins, nearest to its own; 0 where it does not stand there."""
    lines, old = text.splitlines(), mutant.old.splitlines()
    found = [at + 1 for at in range(len(lines)) if lines[at : at + len(old)] == old]
    return min(found, key=lambda at: abs(at - mutant.line), default=0)


def _named(mutant: Drawn) -> tuple[str, str, str]:
    return mutant.path, mutant.old, mutant.new
