"""Writes a record during the run: whole lines, so that after a crash the rest is readable."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.record.reader import is_packed, plain_bytes, read

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from weft.record.model import Line

_NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow further (ulimit -f)",
}


class RecordWriter:
    """Appends lines to one record file, alone (the file is locked while it is open).

    Use `create` for a new record and `resume` for one that lacks something. Raises WeftError when
    the file exists, cannot be written, is in use, or the disk is full.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._encoder = msgspec.json.Encoder()
        try:
            _lock(descriptor, path)
        except WeftError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path) -> RecordWriter:
        """Open a new record; an existing file, plain or compressed, is never overwritten."""
        compressed = compressed_path(path)
        if compressed.exists():
            raise WeftError(f"{compressed} exists", "type another name after -o")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            raise WeftError(
                f"{path} exists", "type another name after -o, or continue it with --resume"
            ) from None
        except OSError as error:
            raise WeftError(
                f"cannot write {path}: {_words(error)}", "type another path after -o"
            ) from None
        return cls(path, descriptor)

    @classmethod
    def resume(cls, path: Path) -> RecordWriter:
        """Open a record to go on with it: a half line at its end and its footer are cut off.

        Raises WeftError as `read` does. A compressed record cannot grow: `unpack` it first.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise WeftError(f"cannot write {path}: {_words(error)}", "check the path") from None
        writer = cls(path, descriptor)
        try:
            os.ftruncate(descriptor, _end_without_footer(path))
        except BaseException:
            writer.close()
            raise
        return writer

    def write(self, line: Line) -> None:
        """Append one line. A line that does not fit the disk is removed again.

        Where not even the first line fits, the file goes too: without its header it is no record.
        """
        data = self._encoder.encode(line) + b"\n"
        before = os.fstat(self._descriptor).st_size
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except BaseException as error:  # an interrupt between two parts of a line is no better
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            if before == 0:
                self.path.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            resume = f", then type weft run --resume {self.path}"
            raise WeftError(
                f"cannot write {self.path}: {_words(error)}",
                f"free some space{resume if before else ', or type another path after -o'}",
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


def _end_without_footer(path: Path) -> int:
    """Where the last whole line that is no footer ends, in bytes."""
    has_footer = read(path).footer is not None
    data = path.read_bytes()
    if is_packed(data):
        raise WeftError(f"{path} is compressed", f"rename it to {path.name}.zst")
    end = data.rfind(b"\n") + 1
    return data.rfind(b"\n", 0, end - 1) + 1 if has_footer else end


def compressed_path(path: Path) -> Path:
    """Where `compress` puts a plain record."""
    return path.with_name(path.name + ".zst")


def compress(path: Path) -> Path:
    """Turn a closed `x.jsonl` into `x.jsonl.zst`; the plain file goes only once the other is whole.

    Raises WeftError when there is no room, the target exists or the record is still being written;
    the plain record then stays.
    """
    import zstandard

    target = compressed_path(path)
    partial = path.with_name(path.name + ".zst.partial")
    compressor = zstandard.ZstdCompressor(level=10, write_checksum=True)
    try:
        with path.open("rb") as plain:
            _lock(plain.fileno(), path)
            if target.exists():
                raise WeftError(f"{target} exists", f"use {path}, which has the whole record")
            with partial.open("wb") as packed:
                compressor.copy_stream(plain, packed)
                packed.flush()
                os.fsync(packed.fileno())
            partial.replace(target)
            path.unlink()
    except OSError as error:
        raise WeftError(
            f"cannot compress {path}: {_words(error)}", f"use {path}, which has the whole record"
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return target


def unpack(path: Path) -> Path:
    """Turn `x.jsonl.zst` back into `x.jsonl`; the packed file goes only once the other is whole.

    Of one that was cut only the whole lines are kept. Raises WeftError as `read` does, when there
    is no room or the plain file exists; the packed record then stays.
    """
    read(path)
    target = path.with_suffix("")
    partial = path.with_name(target.name + ".partial")
    if target.exists():
        raise WeftError(f"both {target} and {path} exist", "move one of them away")
    try:
        with partial.open("wb") as plain:
            plain.write(plain_bytes(path)[0])
            plain.flush()
            os.fsync(plain.fileno())
        partial.replace(target)
        path.unlink()
    except OSError as error:
        raise WeftError(
            f"cannot decompress {path}: {_words(error)}",
            "free some space; the compressed record is unchanged",
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return target


def _lock(descriptor: int, path: Path) -> None:
    """Take the file for this process alone, or raise WeftError.

    Some cluster file systems are mounted without locks and refuse; a run must work there too.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WeftError(
            f"{path} is being written by another run", "wait for its end, or type another file"
        ) from None
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK):
            raise


def _words(error: OSError) -> str:
    return _NO_ROOM.get(error.errno or 0) or error.strerror or str(error)
