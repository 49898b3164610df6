"""The JSON in an output: objects that begin on a line of their own, among other lines or alone."""

from __future__ import annotations

import json
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.sources.peers.text import OutputLine, OutputText

# More damaged ones are not tried.
_MOST_DAMAGED = 100


def objects_of(
    text: OutputText, *, keep_digits: bool = False
) -> Iterator[tuple[list[OutputLine], Any]]:
    """Each JSON object with its lines; with `keep_digits` numbers stay as they were printed.

    A line outside of objects, and one that begins a damaged object, is skipped.
    """
    as_printed = str if keep_digits else None
    decoder = json.JSONDecoder(parse_float=as_printed, parse_int=as_printed, strict=False)
    content = "\n".join(line.text for line in text.lines)
    begins = [0, *accumulate(len(line.text) + 1 for line in text.lines)]
    at, damaged = 0, 0
    while at < len(text.lines):
        line = text.lines[at]
        end = begins[at]
        if line.text.startswith("{") and damaged < _MOST_DAMAGED:
            try:
                found, end = decoder.raw_decode(content, begins[at])
            except (json.JSONDecodeError, RecursionError):
                damaged += 1
        if end > begins[at]:
            last = bisect_right(begins, end - 1)
            yield text.lines[at:last], found
            at = last
        else:
            if line.text:
                text.skip(line, "the JSON is damaged" if line.text.startswith("{") else "")
            at += 1
