"""One finding of the doctor."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["ok", "note", "warning", "unknown"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The cause, its effect on a measurement, and the fix to type."""

    check: str
    level: Level
    what: str
    effect: str = ""
    fix: str = ""
