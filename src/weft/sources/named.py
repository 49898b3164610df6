"""How a user names sources and their parts: A,B and NAME@TRANSPORT, NAME@LATTICE.

The only parser of commas between files and of `@`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from weft.names import is_there

if TYPE_CHECKING:
    from collections.abc import Iterable

# A transport with its mode or its settings ("ucx:rendezvous=8192"), several with commas, or a
# lattice: no slash, and no dot but in the value of a setting.
_PART = re.compile(r"[\w:^+-]+(?:=[^/@,]+)?(?:,[\w:^+-]+(?:=[^/@,]+)?)*")


def split_source(text: str) -> tuple[str, str]:
    """A source's name and what is meant of it: "run.jsonl@tcp"; empty where all of it is meant.

    A file of the whole name is that file, whatever it is called, and an `@` in a folder's or a
    file's name separates nothing: "a@b/run.jsonl", "run@noon.jsonl".
    """
    name, at, part = text.rpartition("@")
    is_part = bool(at and name and _PART.fullmatch(part))
    return (text, "") if not is_part or is_there(text) else (name, part)


def split_records(text: str) -> list[str]:
    """Each of the records that have commas between them, with the part that is meant of all.

    "a.jsonl,b.jsonl@tcp" are "a.jsonl@tcp" and "b.jsonl@tcp"; one with a part of its own keeps it.
    A file of the whole name is that file.
    """
    name, part = split_source(text)
    words = split_names(name)
    if words == [name]:
        return [text]
    return [one if not part or split_source(one)[1] else f"{one}@{part}" for one in words]


def split_names(text: str) -> list[str]:
    """Each of the files that have commas between them. A file of the whole name is that file."""
    if is_there(text):
        return [text]
    # A comma alone names nothing, which its reader says.
    return [one for one in text.split(",") if one] or [text]


def files_named(words: Iterable[str | Path]) -> list[Path]:
    """A path for each file: "a.txt,b.txt" are two."""
    return [Path(one) for word in words for one in split_names(str(word))]
