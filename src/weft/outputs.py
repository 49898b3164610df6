"""Writes what commands make of records: pages, pictures, tables. The only place that does.

One rule for all of them: an older file of the name is replaced in one step, but a record never is.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from weft.errors import WeftError, printable_lines
from weft.record.reader import begins_as_record
from weft.whole_file import whole_file, why

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

STANDARD_OUTPUT = Path("-")
# Of the form of all JSON: another one where a field goes or means something else.
JSON_VERSION = 4


def json_form(command: str, result: object) -> dict[str, object]:
    """What a command writes or prints as JSON: the form's version, its name, what it found."""
    return {"version": JSON_VERSION, "command": command, "result": result}


def in_one_form(plain: Any) -> Any:
    """Plain data in which each figure holds its ends, {"value", "low", "high"}, wherever it is.

    `price`, `price_low` and `price_high` of a row become such a figure, None where it has none.
    """
    if isinstance(plain, list | tuple):
        return [in_one_form(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    found = {name: in_one_form(cell) for name, cell in plain.items()}
    for name in plain:
        if not {f"{name}_low", f"{name}_high"} <= found.keys():
            continue
        ends = {end: found.pop(f"{name}_{end}") for end in ("low", "high")}
        found[name] = None if found[name] is None else {"value": found[name], **ends}
    return found


def check_output(path: Path) -> None:
    """Raises WeftError where nothing could be written, or a record would be lost.

    Commands ask before they begin, and whatever is written asks once more.
    """
    if path == STANDARD_OUTPUT:
        return
    try:
        if path.is_dir():
            raise WeftError(f"{path} is a directory", "use the name of a file in it")
        if not path.absolute().parent.is_dir():
            raise WeftError(
                f"cannot write {path}: No such file or directory",
                "make its folder, or use another",
            )
        if _is_a_strangers(path):
            raise WeftError(
                f"{path} is another user's link or pipe in a shared folder", "use another path"
            )
        if path.is_file() and begins_as_record(path):
            raise WeftError(f"{path} is a record, which is never replaced", "use another file")
        _check_can_be_written(path)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _is_a_strangers(path: Path) -> bool:
    """Whether somebody else chose where this name leads, as Linux's fs.protected_symlinks has it.

    In a folder where everybody may write and only owners remove, a link or a pipe of a user who
    owns neither this process nor the folder.
    """
    if not path.is_symlink() and (not path.exists() or path.is_file()):
        return False
    folder, own = path.absolute().parent.stat(), path.lstat()
    is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    return bool(is_shared) and own.st_uid not in (os.geteuid(), folder.st_uid)


def _check_can_be_written(path: Path) -> None:
    """Raises OSError if the name's folder takes no file, or its pipe or device no bytes."""
    target = path.resolve()
    is_special = target.exists() and not target.is_file()
    place = target if is_special else target.parent
    if not os.access(place, os.W_OK if is_special else os.W_OK | os.X_OK):
        is_read_only = os.statvfs(place).f_flag & os.ST_RDONLY
        cause = errno.EROFS if is_read_only else errno.EACCES
        raise OSError(cause, os.strerror(cause))


def write_output(path: Path, content: bytes | str) -> None:
    """Write a whole file, text as UTF-8; `-` is standard output. Raises WeftError."""
    with output_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def output_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write an output to; it is there when it is whole. Raises WeftError.

    A link stays one, and a pipe or a device is written to as it stands.
    """
    check_output(path)
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        out = sys.stdout.buffer
        yield cast("IO[bytes]", _Terminal(out)) if sys.stdout.isatty() else out
        sys.stdout.flush()
        return
    try:
        target = path.resolve()
        is_special = target.exists() and not target.is_file()
        with target.open("wb") if is_special else whole_file(target) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write(path, error) from None


class _Terminal(io.RawIOBase):
    """A terminal for a file's contents: control characters become escapes."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def write(self, data: Any) -> int:
        """Print it as text."""
        text = bytes(data).decode(errors="backslashreplace")
        self._out.write(printable_lines(text).encode(errors="backslashreplace"))
        return len(data)


def _cannot_write(path: Path, error: OSError) -> WeftError:
    return WeftError(f"cannot write {path}: {why(error)}", "use another path")
