"""An error that nobody expected: one line, and the traceback in a file that the line names."""

from __future__ import annotations

import datetime
import os
import platform
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

# Of sysexits.h EX_SOFTWARE, an internal error: no answer of any command has it.
STATUS = 70
# A recursion's traceback, or an argument list, may be of any length.
MOST_BYTES = 64 << 10
MOST_FILES = 20
MOST_SHOWN = 200
_PREFIX, _SUFFIX = "weft-error-", ".txt"


def unexpected(error: BaseException, words: Sequence[str]) -> str:
    """What to say of an error of weft itself, for one line; its traceback goes into a file."""
    what = printable(f"{type(error).__name__}: {error}".strip().rstrip(":"))
    if len(what) > MOST_SHOWN:
        what = what[: MOST_SHOWN - 3] + "..."
    kept = _kept(_as_text(error, words))
    if kept is None:
        return f"internal error, {what}; no folder is writable for its traceback: set TMPDIR"
    return f"internal error, {what}; report it with the traceback in {kept}"


def _as_text(error: BaseException, words: Sequence[str]) -> bytes:
    """The traceback and what was run, at most MOST_BYTES: the end says more than the beginning."""
    try:
        lines = "".join(traceback.format_exception(error))
    except Exception as second:  # noqa: BLE001 - whatever an exception's own text does
        lines = f"{type(error).__name__}, whose text fails with {type(second).__name__}\n"
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    head = f"weft {weft.__version__}, Python {platform.python_version()}, {now}\n{list(words)}\n\n"
    first = head.encode(errors="backslashreplace")[: MOST_BYTES // 2]
    last = lines.encode(errors="backslashreplace")
    return first + last[-(MOST_BYTES - len(first)) :]


def _kept(text: bytes) -> Path | None:
    """The new file with it, in the first folder that takes it; None where none does."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            # Nobody else can have put a link there, or reads what was typed.
            handle, name = tempfile.mkstemp(_SUFFIX, _PREFIX, folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text)
            except OSError:  # a full disk
                Path(name).unlink()
                continue
            _remove_old(folder)
            return Path(name)
    return None


def _folders() -> list[Path]:
    """Where a file may stay: the user's folder for what programs note down, then others."""
    state = os.environ.get("XDG_STATE_HOME", "")
    places = [Path(state) / "weft"] if Path(state).is_absolute() else []
    with suppress(RuntimeError):  # no home
        places.append(Path.home() / ".local" / "state" / "weft")
    with suppress(OSError):  # no folder is writable, or this one was removed
        places.append(Path(tempfile.gettempdir()))
        places.append(Path.cwd())
    return places


def _remove_old(folder: Path) -> None:
    """Keep the newest MOST_FILES of the user."""
    with suppress(OSError):
        found = [
            (one.stat().st_mtime_ns, one)
            for one in folder.glob(f"{_PREFIX}*{_SUFFIX}")
            if one.stat().st_uid == os.getuid()
        ]
        for _, one in sorted(found)[:-MOST_FILES]:
            one.unlink()


def report(error: BaseException) -> int:
    """Say it on standard error; the status that the program ends with."""
    sys.stderr.write(f"weft: {unexpected(error, sys.argv)}\n")
    return STATUS
