"""The published JSON Schema of a record's lines, generated from its types.

`python -m weft.record.schema` prints it; schemas/record-1.schema.json is that text.
"""

from __future__ import annotations

import sys

import msgspec

from weft.record.model import SCHEMA_VERSION, Line


def schema_text() -> str:
    """The schema as indented JSON: one line of a record is valid under it."""
    schema = msgspec.json.schema(Line)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line of a weft record, schema version {SCHEMA_VERSION}",
        **schema,
    }
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
