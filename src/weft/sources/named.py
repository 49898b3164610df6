"""How a user names sources and their parts: A,B and NAME@TRANSPORT, NAME@LATTICE.

The only parser of commas between records and of `@`.
"""

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


def split_records(text: str) -> list[str]:
    """Each of the records that have commas between them, with the part that is meant of all.

    "a.jsonl,b.jsonl@tcp" are "a.jsonl@tcp" and "b.jsonl@tcp"; one with a part of its own keeps it.
    A file of the whole name is that file.
    """
    name, part = split_source(text)
    if "," not in name or is_there(name):
        return [text]
    words = [one for one in name.split(",") if one]
    return [one if not part or split_source(one)[1] else f"{one}@{part}" for one in words]
