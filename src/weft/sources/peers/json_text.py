"""Outputs that are JSON: read whole, refused by the line where they are damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputText


def json_of(text: OutputText, *, keep_digits: bool = False) -> Any:
    """What the lines are as JSON; with `keep_digits` numbers stay as they were printed.

    Raises WeftError by line.
    """
    as_printed = str if keep_digits else None
    try:
        return json.loads(
            "\n".join(line.text for line in text.lines),
            parse_float=as_printed,
            parse_int=as_printed,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        at = getattr(error, "lineno", 1)
        text.lines[min(at, len(text.lines)) - 1].refuse(
            "the JSON is damaged", "import the whole output"
        )
