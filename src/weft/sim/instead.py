"""What to ask of a simulated platform in place of tests that no model answers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_WORK = "halo with --compute"
_INSTEAD = {
    "message_rate": "host_overhead",
    "bidirectional_stream": "sendrecv",
    "send_overlap": _OF_WORK,
    "receive_overlap": _OF_WORK,
    "put_overlap": _OF_WORK,
    "get_overlap": _OF_WORK,
    "busy_stream": _OF_WORK,
    "offered_load": "random_pairs",
    "late_receive": "host_overhead",
    "put_stream": "stream",
    "get_stream": "stream",
    "register_stream": "stream",
}
# What is there of any other test that a model lacks.
_USUAL = "ping_pong"


def instead_of(tests: Iterable[str]) -> str:
    """The tests that say most of what these would: "sendrecv or stream"."""
    return " or ".join(dict.fromkeys(_INSTEAD.get(test, _USUAL) for test in tests))
