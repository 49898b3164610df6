"""What a user says of outputs beside what they state: refused where it does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError, without_effect
from weft.sources.peers import read_output
from weft.sources.peers.stated import UNKNOWN_RANKS, Given
from weft.units import format_bytes
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weft.sources.peers.stated import StatedRow

# What a program says that it used is no other one, whatever it ran over.
_PROTOCOLS = {"tcp", "udp"}


def check_given(contents: Mapping[Path, bytes], given: Given) -> None:
    """Raises WeftError for a value that no output needs, or that one states otherwise.

    Each output is read again without one of the values.
    """
    for path, content in contents.items():
        _check_protocol(path, content, given)
    for name in ("ranks", "bytes"):
        value = getattr(given, name)
        if value == getattr(Given(), name):
            continue
        needed = _without(given, name)
        stated = [
            (path, cases)
            for path, own in contents.items()
            if (cases := [row.case for row in _rows(path, own, needed) if _states(name, row)])
        ]
        for path, cases in stated:
            found = sorted({getattr(case, name) for case in cases})
            if value not in found:
                raise WeftError(
                    f"{path} states {_in_words(name, found)}, and --{name} says"
                    f" {_in_words(name, [value])}",
                    f"omit --{name}"
                    if len(contents) == 1
                    else f"import it apart, without --{name}",
                )
        if len(stated) == len(contents):
            path, cases = stated[0]
            found = sorted({getattr(case, name) for case in cases})
            raise without_effect(f"--{name}", f"{path} states {_in_words(name, found)} itself")


def _without(given: Given, name: str) -> Given:
    return msgspec.structs.replace(given, **{name: getattr(Given(), name)})


def _states(name: str, row: StatedRow) -> bool:
    """Whether an output states the size or the ranks of a row itself."""
    return row.test.has_size if name == "bytes" else row.case.ranks != UNKNOWN_RANKS


def _rows(path: Path, content: bytes, given: Given) -> tuple[StatedRow, ...]:
    """The rows of an output read with these values; none if it cannot be read."""
    try:
        return read_output(path, given, content)[1].rows
    except WeftError:
        return ()


def _check_protocol(path: Path, content: bytes, given: Given) -> None:
    """Raises WeftError: the program says that it used TCP, and the user UDP."""
    if given.transport not in _PROTOCOLS:
        return
    rows = _rows(path, content, _without(given, "transport"))
    own = {row.case.transport for row in rows}
    if other := sorted(own & _PROTOCOLS - {given.transport}):
        raise WeftError(
            f"{path} is of {other[0]}, and --transport says {given.transport}",
            "omit --transport, or name the device: --transport eth0",
        )


def _in_words(name: str, values: list[int]) -> str:
    if name == "ranks":
        return " and ".join(counted(value, "rank") for value in values)
    if len(values) > 2:
        return f"{counted(len(values), 'size')} from {format_bytes(values[0])}"
    return " and ".join(map(format_bytes, values))
