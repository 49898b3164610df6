"""Of which weft the engine's programs of this host are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.host.programs import answers

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE_S = 10.0
# Programs of before they said it.
UNSAID = "an older version"


class _Said(msgspec.Struct):
    weft: str = UNSAID


def engine_version(folder: Path) -> str | None:
    """What the rank programs in the folder of each MPI say; None where no program answers.

    One program is asked for each MPI: an install brings all of them. Unlike answers have commas
    between them.
    """
    firsts = [min(own.glob("rank-*"), default=None) for own in folder.glob("*")]
    asked = {str(path): (str(path), "--describe") for path in firsts if path}
    lines = [said.partition("\n")[0] for said in answers(asked, DEADLINE_S).values()]
    return ", ".join(sorted({said_version(line.encode()) for line in lines} - {""})) or None


def said_version(line: bytes) -> str:
    """The version of weft in a line by which a program describes itself; empty in any other."""
    try:
        return msgspec.json.decode(line, type=_Said).weft
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
