"""How a user names a part of a source: NAME@TRANSPORT, NAME@LATTICE. The only parser of `@`."""

from __future__ import annotations

import re

from weft.names import is_there

# A transport with its mode, several with commas, or a lattice: no dot, no slash.
_PART = re.compile(r"[\w:^,-]+")


def split_source(text: str) -> tuple[str, str]:
    """A source's name and what is meant of it: "run.jsonl@tcp"; empty where all of it is meant.

    A file of the whole name is that file, whatever it is called, and an `@` in a folder's or a
    file's name separates nothing: "a@b/run.jsonl", "run@noon.jsonl".
    """
    name, at, part = text.rpartition("@")
    is_part = bool(at and name and _PART.fullmatch(part))
    return (text, "") if not is_part or is_there(text) else (name, part)
