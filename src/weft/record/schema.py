"""The published JSON Schema of a record's lines, generated from its types.

`python -m weft.record.schema` prints it; schemas/record-1.schema.json is that text.
"""

from __future__ import annotations

import sys
from inspect import cleandoc
from typing import Any

import msgspec

from weft.record.model import SCHEMA_VERSION, Line


def schema_text() -> str:
    """The schema as indented JSON: one line of a record is valid under it."""
    schema = _without_indent(msgspec.json.schema(Line))
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line of a weft record, schema version {SCHEMA_VERSION}",
        **schema,
    }
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def _without_indent(part: Any) -> Any:
    """The same with each description as Python 3.13 keeps a docstring; older ones indent it."""
    if isinstance(part, list):
        return [_without_indent(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: cleandoc(value)
        if key == "description" and isinstance(value, str)
        else _without_indent(value)
        for key, value in part.items()
    }


if __name__ == "__main__":
    sys.stdout.write(schema_text())
