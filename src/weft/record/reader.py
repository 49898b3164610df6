"""Reads a record: every whole line, typed, or one clear reason why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Footer,
    Header,
    Launch,
    LaunchEnd,
    Line,
)

if TYPE_CHECKING:
    from pathlib import Path

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class RecordLines(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a record by kind, each kind in the file's order.

    `truncated`: the file ends inside a line, which was left out. Without a footer the run did not
    end, or its end was cut off.
    """

    header: Header
    launches: tuple[Launch, ...]
    batches: tuple[Batch, ...]
    ends: tuple[LaunchEnd, ...]
    footer: Footer | None
    truncated: bool


def read(path: Path) -> RecordLines:
    """Read a `.jsonl` or `.jsonl.zst` record.

    Raises WeftError: no such file, not a record, a newer schema, damage before the end.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WeftError(
            f"cannot read {path}: {error.strerror}", "check the path; weft run makes a record"
        ) from None
    if data.startswith(_ZSTD_MAGIC):
        data = _decompress(data)
    whole_end = data.rfind(b"\n") + 1
    lines = data[:whole_end].splitlines()
    if not lines:
        raise _not_a_record(path)
    _check_version(lines[0], path)
    decoder = msgspec.json.Decoder(Line)
    decoded: list[Line] = []
    for number, line in enumerate(lines, start=1):
        try:
            decoded.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise WeftError(
                f"{path} is damaged in line {number}: {error}",
                f"keep the lines before it: head -n {number - 1} {path.name} > mended.jsonl",
            ) from None
    return _sort(decoded, path, truncated=whole_end != len(data))


def _decompress(data: bytes) -> bytes:
    """What a zstd file holds, as far as it goes: a cut file gives its whole blocks."""
    import zstandard  # noqa: PLC0415 - not needed to start the program

    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        return stream.decompress(data)
    except zstandard.ZstdError:
        return b""


def _not_a_record(path: Path) -> WeftError:
    return WeftError(f"{path} is not a weft record", "name a .jsonl or .jsonl.zst file of weft run")


def _check_version(line: bytes, path: Path) -> None:
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _not_a_record(path) from None
    if not isinstance(first, dict) or first.get("kind") != "header":
        raise _not_a_record(path)
    version = first.get("schema_version")
    if not isinstance(version, int) or version < 1:
        raise _not_a_record(path)
    if version > SCHEMA_VERSION:
        raise WeftError(
            f"{path} has record schema {version}, this weft reads up to {SCHEMA_VERSION}",
            "read it with a newer weft",
        )


def _sort(lines: list[Line], path: Path, *, truncated: bool) -> RecordLines:
    header = lines[0]
    if not isinstance(header, Header) or any(isinstance(line, Header) for line in lines[1:]):
        raise WeftError(f"{path} has a header in the wrong place", "use an unedited record")
    footers = [line for line in lines if isinstance(line, Footer)]
    if footers and (len(footers) > 1 or lines[-1] is not footers[0]):
        raise WeftError(f"{path} goes on after its footer", "use an unedited record")
    return RecordLines(
        header=header,
        launches=tuple(line for line in lines if isinstance(line, Launch)),
        batches=tuple(line for line in lines if isinstance(line, Batch)),
        ends=tuple(line for line in lines if isinstance(line, LaunchEnd)),
        footer=footers[0] if footers else None,
        truncated=truncated,
    )
