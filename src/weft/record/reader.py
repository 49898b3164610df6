"""Reads a record: every whole line, typed, or one clear reason why not."""

from __future__ import annotations

import datetime
import io
from typing import TYPE_CHECKING

import msgspec

from weft.applications import completed
from weft.applications.answers import modern
from weft.errors import WeftError
from weft.names import as_typed
from weft.record.model import (
    SCHEMA_VERSION,
    Batch,
    Footer,
    Header,
    Launch,
    LaunchEnd,
    Line,
)
from weft.record.undescribed import as_measured
from weft.stages import counted_off

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

# How the encoder writes a header, and the end of a run.
_START = b'{"kind":"header"'
_FOOTER = b'{"kind":"footer"'
_INTERRUPTED = b'"outcome":"interrupted"'
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PIECE_BYTES = 1 << 20
# What one piece becomes stays small: zstd packs at most 128 KiB into 4 bytes.
_PACKED_PIECE_BYTES = 1 << 10
_LONGEST_LINE_BYTES = 256 << 20
_LONGEST_HEADER_BYTES = 64 << 20
_LARGEST_RATIO = 10_000
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


class RecordLines(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a record by kind, each kind in the file's order.

    `truncated`: the file was cut, inside a line (which was omitted) or inside its compression.
    Without a footer the run did not end, or its end was cut off.
    """

    header: Header
    launches: tuple[Launch, ...]
    batches: tuple[Batch, ...]
    ends: tuple[LaunchEnd, ...]
    footer: Footer | None
    truncated: bool


def read(path: Path) -> RecordLines:
    """Read a `.jsonl` or `.jsonl.zst` record.

    Raises WeftError: no such file, not a record, one cut inside its header, a newer schema, damage
    before the end.
    """
    data, cut = plain_bytes(path)
    whole_end = data.rfind(b"\n") + 1
    lines = data[:whole_end].split(b"\n")[:-1]
    if not lines:
        raise _cut_short(path) if _may_be_a_header(data, cut=cut) else _not_a_record(path)
    _check_version(lines[0], path)
    return _sort(_decode(lines, path), path, truncated=cut or whole_end != len(data))


def plain_bytes(path: Path) -> tuple[bytes, bool]:
    """A file's bytes as they are without compression, and whether its compression was cut.

    Raises WeftError when it cannot be read, is damaged or is too large.
    """
    read = _Bounded(path)
    try:
        with path.open("rb") as file:
            packed = is_packed(file.read(len(_ZSTD_MAGIC)))
            file.seek(0)
            if packed:
                return _decompress(file, path, read)
            while piece := file.read(_PIECE_BYTES):
                read.take(piece, len(piece))
    except OSError as error:
        raise cannot_read(path, error) from None
    return read.whole(), False


class _Bounded:
    """A file's contents, piece by piece, up to bounds that no record of weft's reaches."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pieces: list[bytes] = []
        self._bytes = self._line_bytes = self._most_bytes = 0

    def take(self, piece: bytes, packed_bytes: int) -> None:
        """Keep a piece, which has `packed_bytes` in the file. Raises WeftError past a bound."""
        self._bytes += len(piece)
        end = piece.rfind(b"\n")
        self._line_bytes = len(piece) - end - 1 + (self._line_bytes if end < 0 else 0)
        if self._line_bytes > _LONGEST_LINE_BYTES:
            raise self._refused("has a line over 256 MiB")
        if self._bytes > _LONGEST_LINE_BYTES:
            if len(piece) > _LARGEST_RATIO * packed_bytes:
                raise self._refused(f"grows more than {_LARGEST_RATIO:,} times when it is unpacked")
            self._check_size()
        self._pieces.append(piece)

    def _check_size(self) -> None:
        import psutil

        if not self._most_bytes:
            self._most_bytes = (psutil.virtual_memory().available + self._bytes) // 4
        if self._bytes > self._most_bytes:
            raise self._refused("takes over a quarter of the available memory")

    def whole(self) -> bytes:
        return b"".join(self._pieces)

    def _refused(self, why: str) -> WeftError:
        return WeftError(f"{self._path} {why}", "use a record that weft run wrote")


def stem_of(path: Path) -> str:
    """A record's name without the endings that say its form."""
    return path.name.removesuffix(".zst").removesuffix(".jsonl")


def cannot_read(path: Path, error: OSError) -> WeftError:
    """Names the other form of a record that is there: plain until it is complete, then packed."""
    # A folder has no other form, and may have no name: "." and "/".
    if isinstance(error, FileNotFoundError) and path.name:
        packed = path.with_name(path.name + ".zst")
        other = path.with_suffix("") if path.suffix == ".zst" else packed
        if other.is_file():
            form = "the run is interrupted"
            if other == packed:
                form = "the run is complete"
            elif _is_whole(other):
                form = "the record is not packed"
            return WeftError(f"{path} is not there: {form}", f"use {as_typed(other)}")
    fix = "check the path, or run weft run for a record"
    return WeftError(f"cannot read {path}: {error.strerror}", fix)


def _is_whole(plain: Path) -> bool:
    """Whether a record that is not packed has an end that no interrupt wrote."""
    last = plain.read_bytes().rstrip().rpartition(b"\n")[2]
    return last.startswith(_FOOTER) and _INTERRUPTED not in last


def header_of(path: Path) -> Header | None:
    """The first line of a record by itself, however long the record is.

    None where that line is not whole, of which `read` says why. Raises WeftError as `read` does.
    """
    import zstandard

    try:
        with path.open("rb") as file:
            packed = is_packed(file.read(len(_ZSTD_MAGIC)))
            file.seek(0)
            unpacked = zstandard.ZstdDecompressor().stream_reader(file, closefd=False)
            line = (io.BufferedReader(unpacked) if packed else file).readline(_LONGEST_HEADER_BYTES)
    except OSError as error:
        raise cannot_read(path, error) from None
    except zstandard.ZstdError:
        return None
    if not line.endswith(b"\n"):
        return None
    _check_version(line, path)
    return _sort(_decode([line[:-1]], path), path, truncated=True).header


def begins_as_record(path: Path) -> bool:
    """Whether a file is a record, or was one before it was damaged: plain, packed, cut.

    Raises OSError where it cannot be read.
    """
    import zstandard

    with path.open("rb") as file:
        begin = file.read(len(_START))
        if is_packed(begin):
            file.seek(0)
            try:
                begin = zstandard.ZstdDecompressor().stream_reader(file).read(len(_START))
            except zstandard.ZstdError:
                return True  # Nothing else of weft's is packed.
            return _START.startswith(begin)
    return bool(begin) and _START.startswith(begin)


def is_packed(data: bytes) -> bool:
    """Whether bytes are a compressed record, whatever its file is called."""
    return data.startswith(_ZSTD_MAGIC)


def _decompress(file: IO[bytes], path: Path, read: _Bounded) -> tuple[bytes, bool]:
    """The contents of the zstd frames, and whether the last was cut off: then its whole blocks."""
    import zstandard

    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        while packed := file.read(_PACKED_PIECE_BYTES):
            while packed:
                if stream.eof:
                    stream = zstandard.ZstdDecompressor().decompressobj()
                read.take(stream.decompress(packed), _PACKED_PIECE_BYTES)
                packed = stream.unused_data
    except zstandard.ZstdError as error:
        raise WeftError(
            f"{path} is damaged inside its compression: {error}", "use another copy of it"
        ) from None
    return read.whole(), not stream.eof


def _not_a_record(path: Path) -> WeftError:
    return WeftError(
        f"{path} is not a weft record", "use the .jsonl or .jsonl.zst file that weft run wrote"
    )


def _may_be_a_header(data: bytes, *, cut: bool) -> bool:
    """Whether bytes without a whole line may be the start of a record."""
    if not data:
        return cut  # A compressed file whose first block is not whole.
    return data.startswith(_START) or _START.startswith(data)


def _cut_short(path: Path) -> WeftError:
    return WeftError(
        f"{path} was cut off inside its header, so no part of it can be read",
        "use another copy of it, or measure again with weft run",
    )


def _check_version(line: bytes, path: Path) -> None:
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _not_a_record(path) from None
    if not isinstance(first, dict) or first.get("kind") != "header":
        raise _not_a_record(path)
    version = first.get("schema_version")
    if type(version) is not int or version < 1:
        raise _not_a_record(path)
    if version > SCHEMA_VERSION:
        raise WeftError(
            f"{path} has record schema {version}, this weft reads up to {SCHEMA_VERSION}",
            "install a newer weft to read it",
        )


def _decode(lines: list[bytes], path: Path) -> list[Line]:
    """Every line typed and checked against the lines before it."""
    decoder = msgspec.json.Decoder(Line)
    check = _Consistency()
    decoded: list[Line] = []
    for number, text in enumerate(counted_off(lines, f"reading {path.name}"), start=1):
        try:
            line = decoder.decode(modern(text))
            check.take(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            fix = "use another copy of it"
            if number > 1 and path.suffix != ".zst":
                keep = f"head -n {number - 1} {as_typed(path)} > repaired.jsonl"
                fix = f"keep the lines before it: {keep}"
            raise WeftError(f"{path} is damaged in line {number}: {error}", fix) from None
        decoded.append(line)
    return decoded


class _Consistency:
    """What a line's type cannot say: it refers to what stands before it, its counts make sense.

    Figures are computed from these without a further look, so nothing else may pass.
    """

    def __init__(self) -> None:
        self._cases: set[str] = set()
        self._older: set[str] = set()
        self._launches: set[int] = set()
        self._lines = 0
        self._closed = False

    def take(self, line: Line) -> None:
        """Raises ValueError that says what is wrong with the line."""
        if self._closed:
            raise ValueError("it comes after the footer")
        if isinstance(line, Header) != (self._lines == 0):
            raise ValueError("a record has one header, in its first line")
        self._lines += 1
        if isinstance(line, Batch):
            self._batch(line)
        elif isinstance(line, Launch):
            if line.launch in self._launches:
                raise ValueError(f"launch {line.launch} starts twice")
            self._launches.add(line.launch)
        elif isinstance(line, Header):
            self._header(line)
        elif isinstance(line, Footer):
            self._closed = True

    def _header(self, header: Header) -> None:
        _check_time(header.created_utc)
        if not header.plan.cases:
            raise ValueError("it plans no case")
        tests = {pattern.name for pattern in header.patterns}
        for case in header.plan.cases:
            if case.test not in tests:
                raise ValueError(f"test {case.test} is planned and not described")
            if case.key in self._cases:
                raise ValueError(f"case {case.key} is planned twice")
            self._cases.add(case.key)
            self._older.update(case.older_keys)

    def _batch(self, batch: Batch) -> None:
        if batch.case not in self._cases and batch.case not in self._older:
            raise ValueError(f"case {batch.case} is not in the plan")
        if batch.status != "ok":
            return
        if batch.launch not in self._launches:
            raise ValueError(f"launch {batch.launch} has not started")
        if batch.ops_per_sample < 1 or not 0 <= batch.warmup < len(batch.ticks):
            raise ValueError("a batch that went well has samples behind its warm-up")
        if any(len(series) != len(batch.ticks) for series in batch.parts.values()):
            raise ValueError("a series beside the samples has as many values as they")
        if batch.over_ranks and not batch.over_ranks.fits(len(batch.ticks)):
            raise ValueError("what is kept over the ranks does not fit the samples")


def _check_time(text: str) -> None:
    """Raises ValueError for a time without a time zone or out of any calendar."""
    time = datetime.datetime.fromisoformat(text)
    if time.tzinfo is None or not _FIRST_YEAR <= time.year <= _LAST_YEAR:
        raise ValueError(f"'{text[:40]}' is not a time with its zone")


def _sort(lines: list[Line], path: Path, *, truncated: bool) -> RecordLines:
    header = lines[0]
    if not isinstance(header, Header):
        raise _not_a_record(path)
    footer = lines[-1]
    patterns = tuple(as_measured(pattern) for pattern in header.patterns)
    cases = tuple(
        msgspec.structs.replace(case, application=completed(case.application))
        for case in header.plan.cases
    )
    plan = msgspec.structs.replace(header.plan, cases=cases)
    keys = {older: case.key for case in header.plan.cases for older in case.older_keys}
    # A plan may have both 2 ranks, whose key is an older one of 4 as well, and 4.
    keys |= {case.key: case.key for case in header.plan.cases}
    return RecordLines(
        header=msgspec.structs.replace(header, plan=plan, patterns=patterns),
        launches=tuple(line for line in lines if isinstance(line, Launch)),
        batches=tuple(_with_key(line, keys) for line in lines if isinstance(line, Batch)),
        ends=tuple(line for line in lines if isinstance(line, LaunchEnd)),
        footer=_with_keys(footer, keys) if isinstance(footer, Footer) else None,
        truncated=truncated,
    )


def _with_key(batch: Batch, keys: dict[str, str]) -> Batch:
    """The batch under the key that its case has now."""
    key = keys[batch.case]
    return batch if batch.case == key else msgspec.structs.replace(batch, case=key)


def _with_keys(footer: Footer, keys: dict[str, str]) -> Footer:
    unsettled = tuple(keys.get(key, key) for key in footer.unsettled)
    return msgspec.structs.replace(footer, unsettled=unsettled)
