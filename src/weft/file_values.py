"""Bounded types for values in files: readers refuse everything else."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

MOST_NAME_CHARS = 1024
MOST_DETAILS = 1000
# Names are parts of keys, which a slash separates.
Name = Annotated[str, Meta(max_length=MOST_NAME_CHARS, pattern=r"^[^/]*$")]
Word = Annotated[str, Meta(max_length=MOST_NAME_CHARS)]
Details = Annotated[dict[Word, str], Meta(max_length=MOST_DETAILS)]
# What 64 bits take with a sign, even if it was a number with a point in between.
Tick = Annotated[int, Meta(ge=0, le=1 << 62)]
Count = Annotated[int, Meta(ge=0, le=1 << 62)]
Small = Annotated[int, Meta(ge=0, le=(1 << 31) - 1)]
Place = Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Number = Annotated[float, Meta(ge=-1e30, le=1e30)]
