"""Names as a person types them: each of them known, or the nearest one."""

from __future__ import annotations

import difflib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# So many of what there is to choose from are named.
MOST = 60


def choose(kind: str, asked: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """The requested names, each once; a hyphen reads as an underscore, a capital as a small letter.

    Raises WeftError.
    """
    chosen: dict[str, None] = {}
    by_plain = {name.replace("-", "_"): name for name in known}
    for name in asked:
        if name in known:
            chosen[name] = None
            continue
        plain = name.strip().lower().replace("-", "_")
        if plain not in by_plain:
            near = [by_plain[one] for one in difflib.get_close_matches(plain, by_plain, n=1)]
            fix = f"did you mean {near[0]}?" if near else f"choose from {_first_of(known)}"
            what = f"there is no {kind} called {name}" if plain else f"no {kind} is named"
            raise WeftError(what, fix)
        chosen[by_plain[plain]] = None
    return tuple(chosen)


def _first_of(known: Sequence[str]) -> str:
    more = len(known) - MOST
    return ", ".join(known[:MOST]) + (f" and {more} more" if more > 0 else "")


def as_typed(name: object) -> str:
    """A file's name as a shell takes it in a command that a message advises: quoted where it must.

    A test of style looks for one that is not.
    """
    return shlex.quote(str(name))


def is_there(name: str) -> bool:
    """Whether a file has this name; of many records together it can be longer than any file's."""
    try:
        return Path(name).exists()
    except OSError:
        return False
