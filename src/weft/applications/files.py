"""The file that a run's application is made of: a gauge field. Pure."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, Literal

import msgspec

# How the plan of a record calls it.
FILE_RECORDED_AS: Final = "gauge"


class ApplicationFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file with the links of a lattice, as the engine read it before the run.

    `checksums` are SciDAC's of the sites (suma, sumb) with big-endian numbers, whatever the format:
    the same links have the same ones in each format of one precision. Ranks refuse another field
    under the same path.
    """

    path: str
    format: str
    extents: tuple[int, ...]
    precision: Literal["single", "double"]
    checksums: tuple[int, int]

    @property
    def field(self) -> str:
        """Which field it is, wherever it lies: "8x8x8x8, single precision, d2f7866d 5f48ca3e"."""
        shape = "x".join(map(str, self.extents))
        return f"{shape}, {self.precision} precision, {self.checksums_in_words}"

    @property
    def checksums_in_words(self) -> str:
        """As logs have them, and the engine: "d2f7866d 5f48ca3e"."""
        return " ".join(f"{one:08x}" for one in self.checksums)

    @property
    def in_words(self) -> str:
        """Its name, format and field, for a table's note."""
        return f"{PurePath(self.path).name} ({self.format}, {self.field})"


class _Inspected(msgspec.Struct):
    extents: tuple[int, ...]
    application: dict[str, str]


def as_inspected(path: str, text: str) -> ApplicationFile:
    """The file at a path, of what the engine's --inspect says of it.

    Raises msgspec.DecodeError for what is no such answer.
    """
    said = msgspec.json.decode(text, type=_Inspected)
    checksums = [int(one, 16) for one in said.application["checksums"].split()]
    facts = {**said.application, "path": path, "extents": said.extents, "checksums": checksums}
    return msgspec.convert(facts, ApplicationFile)
