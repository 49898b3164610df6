"""Fields of tests that the first engines did not report, so that their records can be read.

A record is read with the values that it was made with. The table is closed: an engine that reports
the kind of figure of a test reports the rest too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications import info

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern

_STREAM: dict[str, Any] = {"figure": "bandwidth", "has_queue": True, "latencies_per_sample": 2}
_STREAMS: dict[str, Any] = {**_STREAM, "splits_operations": True}
_BESIDE_WORK: dict[str, Any] = {"figure": "overlap", "clock_reads": 1}
_UNDESCRIBED: dict[str, dict[str, Any]] = {
    "ping_pong": {"figure": "latency"},
    "ping_ping": {"figure": "latency"},
    "register_ping_pong": {"figure": "latency"},
    "sendrecv": {"figure": "exchange"},
    "put_ping_pong": {"figure": "one_sided_latency"},
    "put_notify_ping_pong": {"figure": "one_sided_latency"},
    "put_latency": {"figure": "one_sided_latency"},
    "get_latency": {"figure": "one_sided_latency"},
    "stream": _STREAM,
    "bidirectional_stream": _STREAM,
    "busy_stream": _STREAM,
    "put_stream": _STREAM,
    "get_stream": _STREAM,
    "register_stream": _STREAM,
    "hot_spot_send": _STREAMS,
    "hot_spot_receive": _STREAMS,
    "message_rate": {**_STREAMS, "latencies_per_sample": 4},
    "random_pairs": {**_STREAMS, "latencies_per_sample": 4},
    "burst": {"figure": "burst", "messages_per_burst": 8},
    "paused_burst": {
        "figure": "burst", "messages_per_burst": 8, "pause_trips": 4, "clock_reads": 7,
    },
    "late_receive": {"figure": "overhead", "pause_trips": 4, "clock_reads": 1},
    "host_overhead": {
        "figure": "overhead",
        "part_clock_reads": {
            "post_send": 1, "complete_send": 1, "post_receive": 1, "complete_receive": 1,
        },
    },
    "send_overlap": {**_BESIDE_WORK, "part_clock_reads": {"alone": 1, "work": 1, "call": 1}},
    "receive_overlap": {**_BESIDE_WORK, "part_clock_reads": {"alone": 1, "work": 1, "call": 2}},
    "put_overlap": {**_BESIDE_WORK, "part_clock_reads": {"alone": 1, "work": 1}},
    "get_overlap": {**_BESIDE_WORK, "part_clock_reads": {"alone": 1, "work": 1}},
    "offered_load": {"figure": "loaded_latency", "has_queue": True},
    "registration": {"figure": "registration"},
    "copy": {"figure": "copy"},
}  # fmt: skip


def as_measured(pattern: Pattern) -> Pattern:
    """The test with what its engine did not say of it; as it is where the engine said it."""
    of = info.as_measured(pattern.name, pattern.application)
    pattern = msgspec.structs.replace(pattern, application=of)
    if pattern.figure:
        return pattern
    return msgspec.structs.replace(pattern, **_UNDESCRIBED.get(pattern.name, {}))
