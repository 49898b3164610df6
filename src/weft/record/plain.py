"""Reads a plain table of message sizes and times, as other programs write them.

The columns are found by their names, the units in the names too: `bytes,seconds`, `size,time_us`,
`msg_bytes;latency_ns`, `Size [KiB]`, `Time (ms)`. What could mean two things is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import WeftError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_SIZE_WORDS = frozenset(
    ("size", "sizes", "bytes", "byte", "length", "len", "nbytes", "msgsize", "msglen")
)
_TIME_WORDS = frozenset(
    (
        *("time", "times", "latency", "duration", "elapsed", "seconds", "second", "rtt", "delay"),
        *("microseconds", "nanoseconds", "milliseconds", "usec", "nsec", "msec", "sec", "secs"),
    )
)
_ROUND_WORDS = frozenset(("rtt", "round", "roundtrip", "loopback", "pingpong"))
# A name that has one of these too is of half a round trip already: half_rtt_us, "half of RTT (us)".
_HALF_WORDS = frozenset(("half", "halved", "oneway", "way"))
_SIZE_UNITS = tuple(
    {
        "b": 1, "byte": 1, "bytes": 1, "nbytes": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9,
        "kib": 2**10, "mib": 2**20, "gib": 2**30,
    }.items()
)  # fmt: skip
_TIME_UNITS_NS = tuple(
    {
        "s": 1e9, "sec": 1e9, "secs": 1e9, "second": 1e9, "seconds": 1e9,
        "ms": 1e6, "msec": 1e6, "millisecond": 1e6, "milliseconds": 1e6,
        "us": 1e3, "µs": 1e3, "μs": 1e3, "usec": 1e3, "microsecond": 1e3, "microseconds": 1e3,
        "ns": 1.0, "nsec": 1.0, "nanosecond": 1.0, "nanoseconds": 1.0,
    }.items()
)  # fmt: skip
_UNSURE_UNITS = frozenset(("k", "m", "g", "kbit", "mbit", "gbit", "bits", "bit", "min", "ticks"))
_SEPARATORS = (",", ";", "\t", " ")
LARGEST_BYTES = 2.0**62
_RENAME = "name it with its unit, as in bytes,time_us"


@dataclass(frozen=True, kw_only=True)
class PlainTable:
    """Sizes in bytes and one-way times in ns, a row an element; what was done to them."""

    sizes_bytes: NDArray[np.int64]
    times_ns: NDArray[np.float64]
    notes: tuple[str, ...]


def is_plain(path: Path) -> bool:
    """Whether a file is to be read as a plain table: by its name, else by its first byte."""
    if path.suffix.lower() in (".csv", ".tsv", ".txt", ".dat"):
        return True
    if path.suffix in (".jsonl", ".zst"):
        return False
    try:
        with path.open("rb") as file:
            return file.read(1) not in (b"{", b"\x28")
    except OSError:
        return False


def read_plain(path: Path, columns: tuple[str, str] | None = None) -> PlainTable:
    """Read sizes and times; `columns` names the two where the header leaves a choice.

    A column whose name says that it is a round trip is halved, unless it says that it is half of
    one; a note says which. Raises
    WeftError: unreadable, no header, no or several columns that could be meant, an unsure or a
    missing unit of time, a cell that is no number, a time that is not positive, a size that is not
    a whole number of bytes.
    """
    import numpy as np

    frame = _cells(path)
    size_name, time_name = columns or _choose(path, frame.columns)
    for name in (size_name, time_name):
        if name not in frame.columns:
            known = ", ".join(frame.columns)
            raise WeftError(f"{path} has no column {name}", f"use --columns with two of {known}")
    size_unit = _unit(size_name, _SIZE_UNITS, 1)
    time_unit = _unit(time_name, _TIME_UNITS_NS, None)
    sizes = _numbers(path, frame, size_name) * size_unit
    times = _numbers(path, frame, time_name) * time_unit
    _check_rows(path, sizes, times)
    divisor, note = _round_trip(time_name)
    return PlainTable(
        sizes_bytes=np.rint(sizes).astype(np.int64),
        times_ns=times / divisor,
        notes=(note,) if note else (),
    )


def _round_trip(name: str) -> tuple[int, str]:
    """The divisor that makes a column's times one-way times, and a note about it."""
    words = set(_words(name))
    if not _ROUND_WORDS & words:
        return 1, ""
    if _HALF_WORDS & words:
        return 1, f"{name} is half a round trip: it counts as it is"
    return 2, f"{name} is a round trip: half of it counts"


def _cells(path: Path) -> pl.DataFrame:
    """Every cell as text, the header's names stripped."""
    import polars as pl

    try:
        with path.open(encoding="utf-8-sig") as file:
            first = next((line for line in file if line.strip() and not line.startswith("#")), "")
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise WeftError(f"{path} is not text", "use a record or a CSV file") from None
    separator = next((mark for mark in _SEPARATORS if mark in first.strip()), ",")
    try:
        frame = pl.read_csv(
            path, separator=separator, infer_schema=False, comment_prefix="#", glob=False
        )
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WeftError(
            f"{path} is not a table: {why}", "write CSV with a header and one row per sample"
        ) from None
    names = [name.strip().strip('"') for name in frame.columns]
    if len(set(names)) != len(names):
        raise WeftError(f"{path} has two columns of one name", "rename one of them")
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _words(name: str) -> list[str]:
    """The words of a column's name, small: at spaces, marks, and where capitals begin."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z][a-z]|RTT)", " ", name)
    apart = re.sub(r"(?i)\bhalf_?(?=rtt|round)", "half ", apart.replace("_", " "))
    return [word for word in re.split(r"[^0-9A-Za-zµμ]+", apart.lower()) if word]


def _choose(path: Path, names: list[str]) -> tuple[str, str]:
    """The column of sizes and the column of times, if there is one of each."""
    if all(re.fullmatch(r"\s*[-+0-9.eE]+\s*", name) for name in names):
        raise WeftError(f"{path} has no header", "add one as its first line, e.g. bytes,seconds")
    time_units = {word for word, _ in _TIME_UNITS_NS}
    size_units = {word for word, _ in _SIZE_UNITS}
    times = [n for n in names if set(_words(n)) & (_TIME_WORDS | _ROUND_WORDS | time_units)]
    times = [n for n in times if not _is_rate(n)]
    sizes = [
        n
        for n in names
        if n not in times and set(_words(n)) & (_SIZE_WORDS | size_units) and not _is_rate(n)
    ]
    for what, found in (("sizes", sizes), ("times", times)):
        if not found:
            raise WeftError(
                f"{path} has no column of {what} among {', '.join(names)}",
                "name them like bytes,seconds or use --columns SIZE,TIME",
            )
        if len(found) > 1:
            raise WeftError(
                f"{path} has {len(found)} columns that could be the {what}: {', '.join(found)}",
                "use --columns SIZE,TIME",
            )
    return sizes[0], times[0]


def _is_rate(name: str) -> bool:
    """Whether a column holds a rate, such as MB/s or bytes_per_s, or a bandwidth."""
    words = set(_words(name))
    return "/" in name or bool(words & {"per", "bandwidth", "rate", "bw", "throughput"})


def _unit(name: str, units: tuple[tuple[str, float], ...], default: float | None) -> float:
    """What one of the column's unit is worth, from its name. Raises WeftError."""
    words = _words(name)
    found = {value for word, value in units if word in words}
    if set(words) & _UNSURE_UNITS or len(found) > 1 or _is_rate(name):
        raise WeftError(f"the unit of column {name} is ambiguous", _RENAME)
    if found:
        return found.pop()
    if default is None:
        raise WeftError(f"the column {name} has no unit in its name", _RENAME)
    return default


def _numbers(path: Path, frame: pl.DataFrame, name: str) -> NDArray[np.float64]:
    """A column as numbers. Raises WeftError that names the first line that is none."""
    import polars as pl

    text = frame[name].cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    bad = (numbers.is_null() | ~numbers.is_finite()).fill_null(value=True).arg_true()
    if len(bad):
        cell = text[int(bad[0])]
        shown = "an empty cell" if not cell else f"'{cell}'"
        raise WeftError(
            f"{path}, row {int(bad[0]) + 1}: {shown} in column {name} is not a number",
            "write plain numbers, with the unit in the header only",
        )
    return numbers.to_numpy().astype("float64")


def _check_rows(path: Path, sizes: NDArray[np.float64], times: NDArray[np.float64]) -> None:
    import numpy as np

    if not len(sizes):
        raise WeftError(f"{path} has no rows", "write one row per sample")
    whole = np.abs(sizes - np.rint(sizes)) <= 1e-6 * np.maximum(sizes, 1)
    for wrong, what, fix in (
        (times <= 0, "a time that is zero or negative", "remove such rows, or measure again"),
        (sizes < 0, "a size below zero", "remove such rows, or measure again"),
        (sizes > LARGEST_BYTES, "a size larger than any memory", "check the column's unit"),
        (~whole, "a size that is not a whole number of bytes", "check the column's unit"),
    ):
        if wrong.any():
            raise WeftError(f"{path}, row {int(np.argmax(wrong)) + 1}: {what}", fix)
