"""The lines on the protocol's page have the fields that the engine writes and reads."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from support.copies import ROOT
from support.driven import drive
from weft.launch.programs import engine_folder

pytestmark = pytest.mark.engine

PAGE = (ROOT / "docs" / "engine-protocol.md").read_text()
BLOCKS = ["\n".join(found.split()) for found in re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE)]
CASE = next(block for block in BLOCKS if block.startswith('{"id"'))
# What a transport, a benchmark or an application names itself.
NAMED_BY_OTHERS = {"details", "parts", "part_clock_reads", "counters"}


def block_of(kind: str) -> str:
    """The example of a line of this kind."""
    return next(block for block in BLOCKS if block.startswith(f'{{"kind":"{kind}"'))


def fields_told(kind: str) -> set[str]:
    """The fields in the example, however deep."""
    told = re.sub(r'"(details|counters)":\{[^}]*\}+', r'"\1":{}', block_of(kind))
    return set(re.findall(r'"(\w+)":', told))


def fields_of(line: Any) -> set[str]:
    """The fields of a line, however deep; of a list those of its first."""
    if isinstance(line, list):
        return fields_of(line[0]) if line else set()
    if not isinstance(line, dict):
        return set()
    below = (fields_of(value) for name, value in line.items() if name not in NAMED_BY_OTHERS)
    return set(line).union(*below)


def test_the_case_of_the_page_is_measured_and_its_lines_have_the_fields_told() -> None:
    _, lines = drive("openmpi", "tcp", json.loads(CASE))
    by_kind = {line["kind"]: line for line in lines}
    assert by_kind["batch"]["status"] == "ok", by_kind["batch"]
    # Only where a counter of this machine rose meanwhile.
    by_kind["batch"].pop("counters", None)
    assert by_kind["batch"]["id"] == json.loads(CASE)["id"]
    for kind in ("hello", "batch", "bye"):
        assert fields_told(kind) == fields_of(by_kind[kind]), kind


def test_a_description_has_the_fields_told() -> None:
    done = subprocess.run(
        [engine_folder() / "openmpi" / "rank-tcp", "--describe"],
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    usual = json.loads(done.stdout.splitlines()[0])
    assert fields_told("describe") == fields_of(usual)
    assert f'"mode":"{usual["mode"]}"' in block_of("describe")
