"""A host's facts as lines that no starter of ranks tears when many hosts write at once.

Each line has the same length, which divides the buffers of pipes and starters, and is written at
once; a host's lines are put together again by their names and numbers.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE_BYTES = 512
_TEXT_BYTES = 400
_LINE = re.compile(r"weft-host (\w+) (\d+)/(\d+) ([A-Za-z0-9+/=]+) *")


def lines_of(facts: dict[str, Any], mark: str) -> list[bytes]:
    """The facts of one host; `mark` tells its lines from those of others."""
    text = base64.b64encode(zlib.compress(msgspec.json.encode(facts))).decode()
    parts = [text[at : at + _TEXT_BYTES] for at in range(0, len(text), _TEXT_BYTES)]
    lines = [
        f"weft-host {mark} {number}/{len(parts)} {part}" for number, part in enumerate(parts, 1)
    ]
    return [f"{line:<{LINE_BYTES - 1}}\n".encode() for line in lines]


def is_line(line: str) -> bool:
    """Whether it is a line of a host, unchanged."""
    return _LINE.fullmatch(line.rstrip("\n")) is not None


def facts_in(lines: Iterable[str]) -> list[dict[str, Any]]:
    """What whole hosts wrote, among lines of others; who did not write all is omitted."""
    parts: dict[str, dict[int, str]] = {}
    counts: dict[str, int] = {}
    for line in lines:
        match = _LINE.fullmatch(line.rstrip("\n"))
        if match:
            mark, number, count, text = match.groups()
            parts.setdefault(mark, {})[int(number)] = text
            counts[mark] = int(count)
    found = []
    for mark, own in parts.items():
        if len(own) == counts[mark]:
            facts = _decoded("".join(own[number] for number in sorted(own)))
            if facts is not None:
                found.append(facts)
    return found


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(zlib.decompress(base64.b64decode(text)), type=dict[str, Any])
    except (binascii.Error, zlib.error, msgspec.DecodeError):
        return None
