"""iperf3's --json: one object of a run, or several in a row; and --json-stream, an event a line.

With --json-stream-full-output the object of a run follows its events, and is counted once.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from weft.sources.peers.iperf3_rows import test_of, utc_of
from weft.sources.peers.json_text import objects_of, value_of
from weft.sources.peers.stated import Given, StatedOutput, StatedRow, StatedSection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.sources.peers.text import OutputLine, OutputText

_EVENT = re.compile(r'^\{"event":"(?P<name>\w+)"')
MARK = re.compile(rf'^\s*"(?:sum_received|tcp_mss_default|error)":|{_EVENT.pattern}')
_HOST = re.compile(r"^Linux (\S+) ")
# By the sum of one way: its name in text.
_WAYS = {"sum_received": "TX-C", "sum_received_bidir_reverse": "RX-C"}


def read_json(text: OutputText, given: Given, command: str) -> StatedOutput:
    """The figures of all runs. Raises WeftError by line: a run that failed, damaged JSON."""
    rows: list[StatedRow] = []
    version = host = created = ""
    for lines, found in _runs(text):
        line = next((one for one in lines if MARK.search(one.text)), lines[0])
        if not isinstance(found, dict) or "error" in found:
            why = found.get("error", "") if isinstance(found, dict) else ""
            line.refuse(f"iperf3 failed: {why}", "run it again")
        rows += _rows(line, found, given)
        version = str(_at(found, "start", "version") or "").removeprefix("iperf ")
        system = _HOST.match(str(_at(found, "start", "system_info") or ""))
        host = system[1] if system else ""
        created = created or utc_of(str(_at(found, "start", "timestamp", "time") or ""))
    return StatedOutput(
        rows=tuple(rows),
        version=version,
        command=command,
        host=host,
        created_utc=created,
        failed=text.failed,
    )


def _runs(text: OutputText) -> Iterator[tuple[list[OutputLine], Any]]:
    """Each run with the lines that say it: an object, or events. Raises WeftError by line."""
    events = {line.number: found for line in text.lines if (found := _EVENT.match(line.text))}
    streamed = set()
    run: dict[str, Any] = {}
    for line in text.lines:
        if line.number not in events:
            continue
        name = events[line.number]["name"]
        if name == "start":
            run = {}
        run[name] = _at(value_of(line), "data")
        if name in ("end", "error"):
            streamed.add(_at(run, "start", "cookie"))
            yield [line], run
            run = {}
    if run:
        text.lines[-1].refuse("the end of the run is missing", "import the whole output")
    for lines, found in objects_of(line for line in text.lines if line.number not in events):
        if not streamed or _at(found, "start", "cookie") not in streamed:
            yield lines, found


def _rows(line: OutputLine, found: dict[str, Any], given: Given) -> list[StatedRow]:
    """The figure of a run, or those of both ways."""
    start = _at(found, "start", "test_start")
    size, streams, pace = (
        _at(start, name) for name in ("blksize", "num_streams", "target_bitrate")
    )
    ways = [name for name in _WAYS if isinstance(_at(found, "end", name), dict)]
    if not ways or not isinstance(size, int) or not isinstance(streams, int):
        line.refuse("it lacks end.sum_received, or the blksize or num_streams of its test")
    protocol = str(_at(start, "protocol") or "tcp").lower()
    rows = []
    for name in ways:
        rate = _at(found, "end", name, "bits_per_second")
        if not isinstance(rate, int | float) or not rate > 0:
            line.refuse(f"end.{name} has no bits_per_second")
        section = StatedSection(
            test=test_of(_WAYS[name] if len(ways) > 1 else "", streams, _bits(pace, protocol)),
            transport=given.transport or protocol,
        )
        rows.append(section.bandwidth(line, size, f"{rate:.3f}", Decimal(1) / 8))
    return rows


def _bits(pace: object, protocol: str) -> int:
    """To how many bits/s it was held: older versions do not say it, and hold UDP to some."""
    if isinstance(pace, int):
        return pace
    return -1 if protocol == "udp" else 0


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
