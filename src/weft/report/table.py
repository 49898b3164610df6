"""A table of words, as pages, papers and terminals show it."""

from __future__ import annotations

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of words; rows are as long as the head."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
