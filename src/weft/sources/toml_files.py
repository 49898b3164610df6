"""The one reader of TOML files that users write: strict, with one line that names the fix."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, TypeVar

import msgspec

from weft.errors import WeftError
from weft.record.reader import begins_as_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_File = TypeVar("_File", bound=msgspec.Struct)
# What msgspec says of the place: "`$.limit[0].test`", "`$.years`".
_IN_ROW = re.compile(r"`\$\.(\w+)\[(\d+)\](?:\.(\w+))?`")


def read_toml(
    path: Path,
    kind: type[_File],
    rows: Mapping[str, type[msgspec.Struct]],
    fix_for: Callable[[str], str],
) -> _File:
    """A file as its type; `rows` are the types of its tables with rows, by their names.

    `fix_for` says how a field is written, and of the name "" how a file begins. Raises WeftError
    for what cannot be read, is no TOML, or is unknown, missing or of another type.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise WeftError(f"cannot read {path}: {error.strerror}", "check the path") from None
    except msgspec.ValidationError as error:
        raise _refused(path, str(error), {"": kind, **rows}, fix_for) from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if begins_as_record(path):
            what = f"{path} is a record, and a .toml is taken here"
            raise WeftError(what, f"name a .toml; in it {fix_for('')}") from None
        raise WeftError(f"{path} is not TOML: {error}", f"{fix_for('')}, each on a line") from None


def _refused(
    path: Path,
    found: str,
    kinds: Mapping[str, type[msgspec.Struct]],
    fix_for: Callable[[str], str],
) -> WeftError:
    """What msgspec found, "Expected `str`, got `int` - at `$.limit[0].test`", for a person."""
    what, _, where = found.partition(" - at ")
    row = _IN_ROW.fullmatch(where)
    place = f"{path}, {row[1]} {int(row[2]) + 1}" if row else str(path)
    if unknown := re.search(r"unknown field `([^`]*)`", what):
        words = kinds[row[1] if row else ""].__struct_fields__
        near = difflib.get_close_matches(unknown[1], words, n=1)
        fix = f"did you mean {near[0]}?" if near else f"write one of {', '.join(words)}"
        return WeftError(f"{place}: '{unknown[1]}' is unknown", fix)
    if missing := re.search(r"missing required field `([^`]*)`", what):
        return WeftError(f"{place} has no {missing[1]}", fix_for(missing[1]))
    name = row[3] if row else where.strip("`").removeprefix("$.")
    said = f"{what[:1].lower()}{what[1:]}"
    return WeftError(f"{place}: {f'{name}: ' if name else ''}{said}", fix_for(name or ""))
