"""iperf3's --json: one object of a run, or several in a row; and --json-stream, an event a line.

With --json-stream-full-output the object of a run follows its events, and is counted once.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from weft.sources.peers.iperf3_rows import test_of, utc_of
from weft.sources.peers.json_text import objects_of
from weft.sources.peers.stated import Given, StatedOutput, StatedRow, StatedSection, finished
from weft.sources.peers.tests import other
from weft.sources.peers.text import LineError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.sources.peers.text import OutputLine, OutputText

MARK = re.compile(
    r'"(?:sum_received|sum_sent|tcp_mss_default)" ?:|^\{"event":"\w+"|^"error":|^"intervals" ?:'
)
_ONE_SIDE = ("sum", "sum_sent")
_HOST = re.compile(r"^Linux (\S+) ")
# By the sum of one way: its name in text.
_WAYS = {"sum_received": "TX-C", "sum_received_bidir_reverse": "RX-C"}


def read_json(text: OutputText, given: Given, command: str) -> StatedOutput:
    """The figures of all runs. Raises LineError if the reading is strict."""
    rows: list[StatedRow] = []
    version = host = created = ""
    for line, found in _runs(text):
        try:
            text.failed = text.failed or str(found.get("error", ""))
            rows += _rows(line, found, given)
        except LineError:
            text.skip(line, f"iperf3 failed: {found['error']}" if "error" in found else "")
        version = str(_at(found, "start", "version") or "").removeprefix("iperf ")
        system = _HOST.match(str(_at(found, "start", "system_info") or ""))
        host = system[1] if system else ""
        created = created or utc_of(str(_at(found, "start", "timestamp", "time") or ""))
    return finished(text, rows, version=version, command=command, host=host, created_utc=created)


def _runs(text: OutputText) -> Iterator[tuple[OutputLine, dict[str, Any]]]:
    """Each run with a line that says it: an object, or the events of a stream."""
    streamed: set[object] = set()
    run: dict[str, Any] = {}
    for lines, found in objects_of(text):
        line = next((one for one in lines if MARK.search(one.text)), lines[0])
        name = found.get("event")
        if name is None:
            if not streamed or _at(found, "start", "cookie") not in streamed:
                yield line, found
            continue
        run = {} if name == "start" else run
        run[name] = _at(found, "data")
        if name in ("end", "error"):
            streamed.add(_at(run, "start", "cookie"))
            yield line, run
            run = {}
    if run:
        text.skip(text.lines[-1], "the end of the run is missing")


def _rows(line: OutputLine, found: dict[str, Any], given: Given) -> list[StatedRow]:
    """The figure of a run, or those of both ways."""
    start = _at(found, "start", "test_start")
    size, streams, pace = (
        _at(start, name) for name in ("blksize", "num_streams", "target_bitrate")
    )
    ways = [name for name in _WAYS if isinstance(_at(found, "end", name), dict)]
    # UDP of releases up to 3.1 has the sum of one side only, and so has a run that was stopped.
    if not any(_at(found, "end", name, "bits_per_second") for name in ways):
        sides = [name for name in _ONE_SIDE if _at(found, "end", name, "bits_per_second")]
        ways = sides[:1] or ways
    if not ways or not isinstance(size, int) or not isinstance(streams, int):
        line.refuse("it lacks end.sum_received, or the blksize or num_streams of its test")
    protocol = str(_at(start, "protocol") or "tcp").lower()
    rows = []
    for name in ways:
        rate = _at(found, "end", name, "bits_per_second")
        if not isinstance(rate, int | float) or not rate > 0:
            line.refuse(f"end.{name} has no bits_per_second")
        test = test_of(_WAYS.get(name, "") if len(ways) > 1 else "", streams, _bits(pace, protocol))
        if name in _ONE_SIDE:
            title = f"{test.title.partition(' (')[0]}, one side's account"
            test = other("iperf3", title, divisor=0, factor=1)
        section = StatedSection(test=test, transport=given.transport or protocol)
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
