"""Writes a record as the run goes: whole lines, so that whatever dies, the rest is readable."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.record.model import Footer, Line

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

_DECODER = msgspec.json.Decoder(Line)


class RecordWriter:
    """Appends lines to one record file, alone (the file is locked while it is open).

    Use `create` for a new record and `resume` for one that lacks its footer. Raises WeftError when
    the file exists, cannot be written, is in use, or the disk is full.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._encoder = msgspec.json.Encoder()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise WeftError(
                f"{path} is being written by another run", "wait for it or choose another file"
            ) from None

    @classmethod
    def create(cls, path: Path) -> RecordWriter:
        """Open a new record; an existing file is never overwritten."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            raise WeftError(
                f"{path} exists", "choose another name with -o, or finish it with --resume"
            ) from None
        except OSError as error:
            raise WeftError(
                f"cannot write {path}: {error.strerror}", "choose another place with -o"
            ) from None
        return cls(path, descriptor)

    @classmethod
    def resume(cls, path: Path) -> RecordWriter:
        """Open a record to go on with it: a half line at its end and its footer are cut off."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise WeftError(f"cannot write {path}: {error.strerror}", "check the path") from None
        writer = cls(path, descriptor)
        kept = path.read_bytes()
        kept = kept[: kept.rfind(b"\n") + 1]
        start_of_last = kept.rfind(b"\n", 0, len(kept) - 1) + 1
        if kept and isinstance(_DECODER.decode(kept[start_of_last:]), Footer):
            kept = kept[:start_of_last]
        os.ftruncate(descriptor, len(kept))
        return writer

    def write(self, line: Line) -> None:
        """Append one line. A line that does not fit the disk is taken back whole."""
        data = self._encoder.encode(line) + b"\n"
        before = os.fstat(self._descriptor).st_size
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise WeftError(
                f"cannot write {self.path}: {error.strerror}",
                f"make room, then go on with: weft run --resume {self.path}",
            ) from None

    def close(self) -> None:
        """Close the file; what was written stays."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def compress(path: Path) -> Path:
    """Turn a closed `x.jsonl` into `x.jsonl.zst`; the plain file goes only once the other is whole.

    Raises WeftError when there is no room; the plain record then stays.
    """
    import zstandard  # noqa: PLC0415 - not needed to start the program

    target = path.with_name(path.name + ".zst")
    partial = path.with_name(path.name + ".zst.partial")
    try:
        partial.write_bytes(zstandard.ZstdCompressor(level=10).compress(path.read_bytes()))
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WeftError(
            f"cannot compress {path}: {error.strerror}", "the plain record is whole: use it"
        ) from None
    path.unlink()
    return target
