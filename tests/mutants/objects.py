"""Which functions of an object file differ from those of another: what a change of source changed.

Every function has a section of its own there (-ffunction-sections), and is known by its bytes and
by what its relocations name: other functions by their names, and constants by what they are.
"""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Flags of sections that are code, and whose equal constants, or texts, the linker merges.
_CODE, _MERGED, _TEXTS = 0x4, 0x10, 0x20


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
        from elftools.elf.elffile import ELFFile

        self._sections: list[Any] = list(ELFFile(io.BytesIO(data)).iter_sections())
        kinds = [one["sh_type"] for one in self._sections]
        self._symbols = list(self._sections[kinds.index("SHT_SYMTAB")].iter_symbols())
        self._relocations = {
            one["sh_info"]: one
            for one, kind in zip(self._sections, kinds, strict=True)
            if kind == "SHT_RELA"
        }
        self._known: dict[int, bytes] = {}

    def functions(self) -> dict[str, bytes]:
        return {
            one.name: self._told(one["st_shndx"])
            for one in self._symbols
            # Of another object there is a word in place of the section's number.
            if one["st_info"]["type"] == "STT_FUNC" and isinstance(one["st_shndx"], int)
        }

    def _told(self, number: int) -> bytes:
        if number not in self._known:
            self._known[number] = b""  # what leads back to itself says nothing more
            section = self._sections[number]
            made = hashlib.sha256(section.data())
            is_code = bool(section["sh_flags"] & _CODE)
            where = self._relocations.get(number)
            for one in where.iter_relocations() if where else ():
                made.update(f"{one['r_offset']} {one['r_info_type']} ".encode())
                made.update(self._target(one, is_code=is_code))
            self._known[number] = made.digest()
        return self._known[number]

    def _target(self, relocation: Any, *, is_code: bool) -> bytes:
        symbol, more = self._symbols[relocation["r_info_sym"]], relocation["r_addend"]
        number, value = symbol["st_shndx"], symbol["st_value"]
        if not isinstance(number, int):
            return bytes(symbol.name.encode())
        section = self._sections[number]
        if section["sh_flags"] & _CODE:
            # A place within another function moves with that one.
            return f"{symbol.name or section.name} {more if is_code else ''}".encode()
        if section["sh_flags"] & _MERGED and symbol["st_info"]["type"] != "STT_SECTION":
            content, width = section.data(), section["sh_entsize"]
            if section["sh_flags"] & _TEXTS:
                return bytes(content[value : content.find(b"\0" * width, value)])
            return bytes(content[value : value + width])
        return f"{section.name} {symbol.name} {more} ".encode() + self._told(number)
