"""What the engine says of a gauge file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.host.programs import answer
from weft.plan.gauge import GaugeFile

if TYPE_CHECKING:
    from pathlib import Path

    from weft.launch.programs import Program

# Every site is read and checked: 48^3 x 96 in double precision are 6 GB.
DEADLINE_S = 600.0


class _Refused(msgspec.Struct):
    reason: str = ""


class _Inspected(msgspec.Struct):
    extents: tuple[int, ...]
    application: dict[str, str]


def gauge_file(program: Program, path: Path) -> GaugeFile:
    """The field of a file, read whole and checked. Raises WeftError for what is no gauge field."""
    test = next(one.name for one in program.patterns if one.lattice.takes("gauge"))
    given = str(path.absolute())
    done = answer([str(program.path), "--inspect", f"{test}.gauge={given}"], DEADLINE_S)
    if done is None:
        raise WeftError(f"{given} was not read in {DEADLINE_S:g} s", "copy it to a faster disk")
    try:
        refused = msgspec.json.decode(done.stdout, type=_Refused)
    except msgspec.DecodeError as error:
        raise WeftError(f"{program.path.name} did not read {given}", "type make build") from error
    if refused.reason:
        what, _, fix = refused.reason.rpartition("; ")
        raise WeftError(what, fix)
    said = msgspec.json.decode(done.stdout, type=_Inspected)
    facts = {**said.application, "path": given, "extents": said.extents}
    facts["checksums"] = [int(one, 16) for one in said.application["checksums"].split()]
    return msgspec.convert(facts, GaugeFile)
