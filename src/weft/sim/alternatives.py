"""What to ask in place of tests that no prediction answers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_WORK = "halo with --compute"
_INSTEAD = {
    "message_rate": "stream",
    "bidirectional_stream": "sendrecv",
    "send_overlap": _OF_WORK,
    "receive_overlap": _OF_WORK,
    "put_overlap": _OF_WORK,
    "get_overlap": _OF_WORK,
    "busy_stream": _OF_WORK,
    "offered_load": "random_pairs",
    "host_overhead": "weft run host_overhead --platform",
    "put_stream": "stream",
    "get_stream": "stream",
    "register_stream": "stream",
}
# What is there of any other test that a model lacks.
_USUAL = "ping_pong"


def instead_of(tests: Iterable[str]) -> str:
    """The tests that say most of what these would: "sendrecv or stream"."""
    return " or ".join(dict.fromkeys(_INSTEAD.get(test, _USUAL) for test in tests))
