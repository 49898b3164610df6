"""One answer of the doctor."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["ok", "note", "warning", "unknown"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What is so, what it does to a measurement, and what to type to mend it."""

    check: str
    level: Level
    what: str
    effect: str = ""
    mend: str = ""
