"""The published format: what was released once can be read for ever."""

import json
from pathlib import Path

import jsonschema
import pytest

import weft
from weft.analysis.summary import summarise
from weft.record.schema import schema_text

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
EXAMPLE = SCHEMAS / "examples" / "record-1.jsonl"


def test_the_published_schema_is_what_the_types_say() -> None:
    assert (SCHEMAS / "record-1.schema.json").read_text() == schema_text(), (
        "a released schema does not change; until then: python -m weft.record.schema"
    )


def test_every_line_of_the_example_is_valid() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    kinds = set()
    for line in EXAMPLE.read_text().splitlines():
        validator.validate(json.loads(line))
        kinds.add(json.loads(line)["kind"])
    assert kinds == {"header", "launch", "batch", "launch_end", "footer"}


@pytest.mark.parametrize("change", [{"ticks": ["1"]}, {"status": "fine"}, {"kind": "note"}])
def test_the_schema_refuses_what_is_no_line(change: dict[str, object]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    batch = json.loads(EXAMPLE.read_text().splitlines()[2])
    validator.validate(batch)
    assert not validator.is_valid({**batch, **change})


def test_the_example_of_version_1_loads_with_the_figures_it_always_had() -> None:
    run = weft.load(EXAMPLE)
    ping, stream, unsupported, failed, missing = summarise(run)
    assert ping.latency_ns is not None
    assert ping.latency_ns.value == pytest.approx(10_000, rel=1e-5)
    assert stream.bandwidth_bytes_per_s is not None
    assert stream.bandwidth_bytes_per_s.value == pytest.approx(4.194304e9, rel=1e-5)
    assert (ping.samples, ping.launches, stream.samples) == (21, 3, 21)
    assert (unsupported.status, unsupported.reason) == ("unsupported", "no MPI on this host")
    assert (failed.status, failed.reason) == ("failed", "byte 17 of 4096 differs")
    assert missing.status == "not_tried"
    assert missing.reason.startswith("the budget ended before")
    assert (run.missing, run.complete) == ((failed.case, missing.case), False)
