"""What the engine says of a file that cases of an application are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.applications.files import ApplicationFile, as_inspected
from weft.errors import WeftError
from weft.host.programs import answer

if TYPE_CHECKING:
    from pathlib import Path

    from weft.launch.programs import Program

# Every site is read and checked: 48^3 x 96 in double precision are 6 GB.
DEADLINE_S = 600.0


class _Refused(msgspec.Struct):
    reason: str = ""


def application_file(program: Program, path: Path) -> ApplicationFile:
    """The file, read whole and checked. Raises WeftError for one that no application takes."""
    test, option = next(
        (one.name, one.application.file_option)
        for one in program.patterns
        if one.application.file_option
    )
    given = str(path.absolute())
    done = answer([str(program.path), "--inspect", f"{test}.{option}={given}"], DEADLINE_S)
    if done is None:
        raise WeftError(f"{given} was not read in {DEADLINE_S:g} s", "copy it to a faster disk")
    try:
        refused = msgspec.json.decode(done.stdout, type=_Refused)
    except msgspec.DecodeError as error:
        raise WeftError(f"{program.path.name} did not read {given}", "run make build") from error
    if refused.reason:
        what, _, fix = refused.reason.rpartition("; ")
        raise WeftError(what, fix)
    return as_inspected(given, done.stdout)
