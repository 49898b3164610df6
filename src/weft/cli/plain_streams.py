"""Streams that cannot print every character: us for µs, +- for ±, and never an error."""

from __future__ import annotations

import codecs
import sys
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "weft.plain"
# What Python does with them if nobody chose anything else: an error, or escapes.
_USUAL = ("strict", "backslashreplace")
_PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "µ": "u", "μ": "u", "±": "+-", "×": "x", "÷": "/", "…": "...", "·": ".", "–": "-", "—": "-",
        "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "←": "<-", "“": '"', "”": '"', "‘": "'",
        "’": "'", "−": "-", "•": "*", "░": " ", "█": "#", "▏": "|",
    }
)  # fmt: skip


def print_plainly() -> None:
    """Give both output streams a plain form for each character that they cannot print."""
    codecs.register_error(_NAME, _plainly)
    for stream in (sys.stdout, sys.stderr):
        # A test or a notebook may have put another object in its place.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=_NAME if stream.errors in _USUAL else stream.errors)


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_plain, text)), error.end


def _plain(char: str) -> str:
    """The plain form of a character, its compatible form without accents, or "?".

    A byte of a file name that is no text is an escape.
    """
    if char in _PLAIN:
        return _PLAIN[char]
    if unicodedata.category(char) == "Cs":
        return f"\\u{ord(char):04x}"
    compatible = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return compatible or "?"
