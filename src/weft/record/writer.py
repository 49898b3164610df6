"""Writes a record during the run: whole lines, so that after a crash the rest is readable."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.plan.command import resume
from weft.record.reader import cannot_read, is_packed, plain_bytes, read
from weft.whole_file import whole_file, why

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from weft.record.model import Line


class RecordWriter:
    """Appends lines to one record file, alone (the file is locked while it is open).

    Use `create` for a new record and `resume` for one that lacks something. Raises WeftError when
    the file exists, cannot be written, is in use, or the disk is full.
    """

    def __init__(self, path: Path, descriptor: int, *, is_at_end: bool = True) -> None:
        self.path = path
        self._descriptor = descriptor
        self._is_at_end = is_at_end
        self._encoder = msgspec.json.Encoder()
        try:
            _lock(descriptor, path)
        except WeftError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path) -> RecordWriter:
        """Open a new record; an existing file, plain or compressed, is never overwritten."""
        check_new(path)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            raise _exists(path) from None
        except OSError as error:
            raise WeftError(
                f"cannot write {path}: {why(error)}", "use another path after -o"
            ) from None
        return cls(path, descriptor)

    @classmethod
    def resume(cls, path: Path) -> RecordWriter:
        """Hold a record, plain or compressed, to read it and to go on with it then.

        From here on no other process changes it. It stays as it is until the first line is written.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError as error:
            raise cannot_read(path, error) from None
        except OSError as error:
            raise WeftError(f"cannot write {path}: {why(error)}", "check the path") from None
        writer = cls(path, descriptor, is_at_end=False)
        if not _is_still(path, descriptor):
            writer.close()
            raise WeftError(f"{path} was moved by another run just now", "repeat the command")
        return writer

    def write(self, line: Line) -> None:
        """Append one line. A line that does not fit the disk is removed again.

        Where not even the first line fits, the file goes too: without its header it is no record.
        Raises WeftError if the file no longer has its name: nobody could read the line.
        """
        self._go_to_end()
        if not _is_still(self.path, self._descriptor):
            raise WeftError(
                f"{self.path} was removed or moved during the run",
                "run it again, and leave the record where it is until the end",
            )
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
            go_on = f", then run {resume(self.path)}"
            raise WeftError(
                f"cannot write {self.path}: {why(error)}",
                f"free some space{go_on if before else ', or use another path after -o'}",
            ) from None

    def compress(self) -> Path:
        """Turn `x.jsonl` into `x.jsonl.zst`, still alone; the plain file goes once that is whole.

        Raises WeftError when there is no room or the target exists; the plain record then stays.
        """
        import zstandard

        path, target = self.path, compressed_path(self.path)
        if target.exists():
            raise WeftError(f"{target} exists", f"use {path}, which has the whole record")
        compressor = zstandard.ZstdCompressor(level=10, write_checksum=True)
        try:
            with path.open("rb") as plain, whole_file(target) as packed:
                compressor.copy_stream(plain, packed)
            path.unlink()
        except OSError as error:
            raise WeftError(
                f"cannot compress {path}: {why(error)}", f"use {path}, which has the whole record"
            ) from None
        return target

    def unpack(self) -> None:
        """Turn `x.jsonl.zst` back into `x.jsonl`, still alone; a plain record stays as it is.

        The packed file goes only once the other is whole. Of one that was cut only the whole lines
        are kept. Raises WeftError as `read` does, when there is no room or the plain file exists;
        the packed record then stays.
        """
        path, target = self.path, self.path.with_suffix("")
        if path.suffix != ".zst":
            return
        read(path)
        if target.exists():
            raise WeftError(f"both {target} and {path} exist", "move one of them away")
        try:
            with whole_file(target) as plain:
                plain.write(plain_bytes(path)[0])
                # The same open file: it has the lock before it has the name.
                descriptor = os.dup(plain.fileno())
                _lock(descriptor, target)
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
            path.unlink()
        except OSError as error:
            raise WeftError(
                f"cannot decompress {path}: {why(error)}",
                "free some space; the compressed record is unchanged",
            ) from None
        self.close()
        self.path, self._descriptor = target, descriptor

    def _go_to_end(self) -> None:
        """Before the first line of a resumed record: its footer and a half line are cut off."""
        if not self._is_at_end:
            self.unpack()
            os.ftruncate(self._descriptor, _end_without_footer(self.path))
            self._is_at_end = True

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


def check_new(path: Path) -> None:
    """Raises WeftError where no new record of that name, plain or to be compressed, can begin."""
    plain = path.with_suffix("") if path.suffix == ".zst" else path
    for one in (plain, compressed_path(plain)):
        if one.exists():
            raise _exists(one)
    if not plain.absolute().parent.is_dir():
        raise WeftError(
            f"cannot write {path}: there is no folder {plain.parent}", "use another path after -o"
        )


def _exists(path: Path) -> WeftError:
    return WeftError(f"{path} exists", f"use another name after -o, or {resume(path)} to go on")


def compressed_path(path: Path) -> Path:
    """Where a plain record is compressed to."""
    return path.with_name(path.name + ".zst")


def compress(path: Path) -> Path:
    """Turn a closed `x.jsonl` into `x.jsonl.zst`, as RecordWriter.compress."""
    with RecordWriter.resume(path) as writer:
        return writer.compress()


def _end_without_footer(path: Path) -> int:
    """Where the last whole line that is no footer ends, in bytes."""
    has_footer = read(path).footer is not None
    data = path.read_bytes()
    if is_packed(data):
        raise WeftError(f"{path} is compressed", f"rename it to {path.name}.zst")
    end = data.rfind(b"\n") + 1
    return data.rfind(b"\n", 0, end - 1) + 1 if has_footer else end


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether a file that is open has its name still: another run may have packed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _lock(descriptor: int, path: Path) -> None:
    """Take the file for this process alone, or raise WeftError.

    Some cluster file systems are mounted without locks and refuse; a run must work there too.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WeftError(
            f"{path} is being written by another run", "wait for its end, or use another file"
        ) from None
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK):
            raise
