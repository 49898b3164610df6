"""What a command printed with --json, without what stands around it."""

import json
from typing import Any


def result_of(text: str, command: str = "") -> Any:
    """The result in a command's JSON, whose form has a version and the command's name."""
    found = json.loads(text)
    assert list(found) == ["version", "command", "result"]
    assert found["version"] == 4
    assert not command or found["command"] == command
    return found["result"]
