"""Which functions of an object file differ from those of another: what a change of source changed.

Every function has a section of its own there (-ffunction-sections), and is known by its bytes and
by what its relocations name: other functions by their names, and constants by what they are.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Of ELF's 64 bit: headers of sections, symbols and relocations with an addend.
_SECTION, _SYMBOL, _RELOCATION = "<IIQQQQIIQQ", "<IBBHQQ", "<QQq"
_TYPE_NO_BITS, _TYPE_RELOCATIONS, _TYPE_SYMBOLS = 8, 4, 2
_FLAG_CODE, _FLAG_MERGED, _FLAG_STRINGS = 0x4, 0x10, 0x20
_OF_FUNCTION, _OF_SECTION = 2, 3


def changed_functions(before: Path, after: Path) -> set[str]:
    """The names of functions that differ or are in one of both only, as the linker calls them; of
    a part that the compiler made of one its name.
    """
    old, new = functions_of(before.read_bytes()), functions_of(after.read_bytes())
    return {
        name.partition(".")[0] for name in old.keys() | new.keys() if old.get(name) != new.get(name)
    }


def functions_of(data: bytes) -> Mapping[str, bytes]:
    """By function what tells it from another."""
    return _Object(data).functions()


class _Object:
    def __init__(self, data: bytes) -> None:
        at, size, count, names = (
            *struct.unpack_from("<Q", data, 0x28),
            *struct.unpack_from("<HHH", data, 0x3A),
        )
        self._data = data
        self._headers = [struct.unpack_from(_SECTION, data, at + n * size) for n in range(count)]
        texts = self._content(names)
        self._names = [_text(texts, one[0]) for one in self._headers]
        table = next(n for n, one in enumerate(self._headers) if one[1] == _TYPE_SYMBOLS)
        strings = self._content(self._headers[table][6])
        # Each with its name, its kind, its section and its place there.
        self._symbols = [
            (_text(strings, name), info & 0xF, section, value)
            for name, info, _, section, value, _ in struct.iter_unpack(
                _SYMBOL, self._content(table)
            )
        ]
        self._relocations = {
            one[7]: n for n, one in enumerate(self._headers) if one[1] == _TYPE_RELOCATIONS
        }
        self._known: dict[int, bytes] = {}

    def functions(self) -> dict[str, bytes]:
        return {
            name: self._told(section)
            for name, kind, section, _ in self._symbols
            if kind == _OF_FUNCTION and 0 < section < len(self._headers)
        }

    def _content(self, section: int) -> bytes:
        header = self._headers[section]
        if header[1] == _TYPE_NO_BITS:
            return b""
        return self._data[header[4] : header[4] + header[5]]

    def _told(self, section: int) -> bytes:
        if section not in self._known:
            self._known[section] = b""  # what leads back to itself says nothing more
            made = hashlib.sha256(self._content(section))
            is_code = bool(self._headers[section][2] & _FLAG_CODE)
            where = self._relocations.get(section)
            for place, info, more in struct.iter_unpack(
                _RELOCATION, self._content(where) if where is not None else b""
            ):
                made.update(struct.pack("<QI", place, info & 0xFFFFFFFF))
                made.update(self._target(self._symbols[info >> 32], more, is_code=is_code))
            self._known[section] = made.digest()
        return self._known[section]

    def _target(self, symbol: tuple[str, int, int, int], more: int, *, is_code: bool) -> bytes:
        name, kind, section, value = symbol
        if not 0 < section < len(self._headers):
            return name.encode()
        flags = self._headers[section][2]
        if flags & _FLAG_CODE:
            # A place within another function moves with that one.
            own = name or self._names[section]
            return f"{own} {more if is_code else ''}".encode()
        if flags & _FLAG_MERGED and kind != _OF_SECTION:
            content = self._content(section)
            width = self._headers[section][9]
            if flags & _FLAG_STRINGS:
                return content[value : content.find(b"\0" * width, value)]
            return content[value : value + width]
        return f"{self._names[section]} {name} {more} ".encode() + self._told(section)


def _text(texts: bytes, at: int) -> str:
    return texts[at : texts.index(b"\0", at)].decode()
