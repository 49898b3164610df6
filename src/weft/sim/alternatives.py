"""What to ask in place of tests that no prediction answers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.command import weft_run

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_WORK = "halo with --compute"
_INSTEAD = {
    "message_rate": "stream",
    "bidirectional_stream": "sendrecv",
    "bidirectional_window_stream": "sendrecv",
    "send_overlap": _OF_WORK,
    "receive_overlap": _OF_WORK,
    "put_overlap": _OF_WORK,
    "get_overlap": _OF_WORK,
    "busy_stream": _OF_WORK,
    "offered_load": "random_pairs",
    "put_stream": "stream",
    "get_stream": "stream",
    "register_stream": "stream",
}
# What is there of any other test that a model lacks.
_USUAL = "ping_pong"
_OF_HOSTS = "host_overhead"


def instead_of(tests: Iterable[str], platform: str = "") -> str:
    """The tests that say most of what these would: "sendrecv or stream".

    What is of the hosts alone is a platform's own, or where it has no name that of hosts here.
    """
    named = ("--platform", platform) if platform else ()
    known = {**_INSTEAD, _OF_HOSTS: weft_run(_OF_HOSTS, *named)}
    return " or ".join(dict.fromkeys(known.get(test, _USUAL) for test in tests))
