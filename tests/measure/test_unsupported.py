"""What a transport cannot do is written once with its reason, and never asked of any rank."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support import virtual_ranks
from support.builders import PATTERNS, make_cases, make_header, write_lines
from support.virtual_ranks import Machine, footer_of, launches_of, measure
from weft.launch.protocol import Answer
from weft.record.model import Batch

CASES = make_cases(("ping_pong", "put_latency"), ("tcp",), (8, 64))
REASON = "tcp has no memory of its peer"


class Asked(Machine):
    """Ranks that would end at a test that they were not made for."""

    def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:
        assert case["test"] == "ping_pong"
        return super().run(case, deadline_s)


@pytest.fixture(autouse=True)
def _without_puts(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = tuple(
        msgspec.structs.replace(one, supported=False, reason=REASON)
        if one.name == "put_latency"
        else one
        for one in PATTERNS
    )
    monkeypatch.setattr(virtual_ranks, "PATTERNS", patterns)


def test_each_such_case_has_one_line_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines, _ = measure(monkeypatch, CASES, 60.0, 0.001, ranks=Asked)
    lost = [one for one in lines if isinstance(one, Batch) and one.status != "ok"]
    assert {(one.case, one.launch, one.status, one.reason) for one in lost} == {
        (case.key, -1, "unsupported", REASON) for case in CASES if case.test == "put_latency"
    }
    assert len(lost) == 2
    assert set(launches_of(lines).values()) == {5, 1}
    assert footer_of(lines).outcome == "precise"
    # What goes on with the record has them already.
    header = make_header(CASES, launches=5)
    run = weft.load(write_lines(tmp_path / "r.jsonl", [header, *lines]))
    again, _ = measure(monkeypatch, CASES, 60.0, 0.001, ranks=Asked, before=run, launches=6)
    assert [one for one in again if isinstance(one, Batch) and one.status != "ok"] == []
