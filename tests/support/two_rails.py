"""A record whose messages went over two rails between two hosts."""

import json
from pathlib import Path

from support.builders import make_cases, synthetic_record


def record_over_two_rails(folder: Path) -> Path:
    """Of a ping-pong and a stream of 8 B and 64 KiB."""
    cases = make_cases(("ping_pong", "stream"), ("tcp:stripe",), (8, 65536))
    record = synthetic_record(folder / "two.jsonl", cases)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "launch":
            line["ranks"][1]["host"] = "other"
            line["details"] = {**line.get("details", {}), "rails": "2"}
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return record
