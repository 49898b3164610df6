"""Outputs that are JSON: read whole, refused by the line where they are damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weft.sources.peers.text import OutputLine, OutputText


def json_of(text: OutputText, *, keep_digits: bool = False) -> Any:
    """What the lines are as JSON; with `keep_digits` numbers stay as they were printed.

    Raises WeftError by line.
    """
    return _decoded(text.lines, keep_digits=keep_digits)


def objects_of(among: Iterable[OutputLine]) -> Iterator[tuple[list[OutputLine], Any]]:
    """Each object of several in a row among the lines, with its own. Raises WeftError by line.

    An object ends with a brace at the beginning of a line, as programs print theirs.
    """
    lines: list[OutputLine] = []
    for line in among:
        if line.text or lines:
            lines.append(line)
        if line.text == "}":
            yield lines, _decoded(lines)
            lines = []
    if lines:
        last = [line for line in lines if line.text][-1]
        last.refuse("the JSON is damaged", "import the whole output")


def value_of(line: OutputLine) -> Any:
    """What one line is as JSON. Raises WeftError."""
    return _decoded([line])


def _decoded(lines: list[OutputLine], *, keep_digits: bool = False) -> Any:
    as_printed = str if keep_digits else None
    try:
        return json.loads(
            "\n".join(line.text for line in lines), parse_float=as_printed, parse_int=as_printed
        )
    except (json.JSONDecodeError, RecursionError) as error:
        at = getattr(error, "lineno", 1)
        lines[min(at, len(lines)) - 1].refuse("the JSON is damaged", "import the whole output")
