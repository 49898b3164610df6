"""In the JSON of every command a value lies in its interval, and an interval has its ends in order.

The records are the stored ones, so that this needs no idea of what a command computes.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.in_process import weft_here

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = Path(__file__).parents[1] / "records"
COMMANDS = (
    "show {0}/every-topic-uneven.jsonl.zst",
    "show {0}/every-topic.jsonl.zst",
    "show {0}/collectives.jsonl.zst",
    "show {0}/lattices.jsonl.zst",
    "memory {0}/every-topic-uneven.jsonl.zst",
    "map {0}/map-slow-node.jsonl.zst",
    "compare {0}/every-topic.jsonl.zst {0}/every-topic-uneven.jsonl.zst",
    "compare {0}/map.jsonl.zst {0}/map-slow-node.jsonl.zst",
    "compare {0}/collectives.jsonl.zst {0}/collectives-later.jsonl.zst",
    "check {0}/collectives-later.jsonl.zst --against {0}/collectives.jsonl.zst",
    "trend {0}/night-001.jsonl.zst {0}/night-010.jsonl.zst {0}/night-011.jsonl.zst",
    "fit {0}/../../docs/records/monday.jsonl.zst",
    "layers {0}/../../docs/records/stack.jsonl.zst",
    "signature {0}/../../docs/records/monday.jsonl.zst",
    "calibrate osu-gm",
)


def intervals_in(found: Any, path: str = "") -> Iterator[tuple[str, Any, Any, Any]]:
    """Each place that has both ends of an interval, with its value; null is an open end."""
    if isinstance(found, dict):
        if {"low", "high"} <= found.keys():
            yield path, found.get("value"), found["low"], found["high"]
        for name, one in found.items():
            yield from intervals_in(one, f"{path}.{name}")
    elif isinstance(found, list):
        for at, one in enumerate(found):
            yield from intervals_in(one, f"{path}[{at}]")


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words.split()[:2]))
def test_a_value_lies_between_the_ends_of_its_interval(words: str) -> None:
    typed = [*shlex.split(words.format(RECORDS)), "--json"]
    done = weft_here(typed, {"PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1"})
    assert done.returncode in (0, 1, 3), done.stderr
    found = list(intervals_in(json.loads(done.stdout)["result"]))
    outside = [
        one
        for one in found
        if not (
            (one[2] is None or one[3] is None or one[2] <= one[3])
            and (one[1] is None or one[2] is None or one[2] <= one[1])
            and (one[1] is None or one[3] is None or one[1] <= one[3])
        )
    ]
    assert not outside, outside[:5]
    assert found or words.startswith("calibrate")
