"""rank-verbs whose peer is killed, or whose packets get lost: the transport notices it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from lab.checks_verbs import BOTH_DEVICES, FIRST_DEVICE
from lab.guest import DEADLINE_S, run, start_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _broken_run(words: tuple[str, ...], breaks: Callable[[int], None]) -> tuple[int, str]:
    """Exit status and errors of two ranks; `breaks` is given the second's number once they run.

    The starter leaves the first rank alone, so that only the transport can tell. It can as long as
    something is under way: there is one stream, which takes longer than the rest of the check.
    """
    case = {"id": 1, "test": "stream", "bytes": 65536, "ops_per_sample": 1_000_000, "samples": 1,
            "warmup": 0, "verify": False, "deadline_s": 50}  # fmt: skip
    start = start_of("verbs", words, starter=["-disable-auto-cleanup"])
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as ranks:
        assert ranks.stdin is not None
        assert ranks.stdout is not None
        ranks.stdin.write(json.dumps(case) + "\n")
        ranks.stdin.flush()
        peer = json.loads(ranks.stdout.readline())["ranks"][1]["pid"]
        try:
            _wait_for_traffic(ranks)
            breaks(peer)
            said, _ = ranks.communicate(timeout=DEADLINE_S)
        finally:
            ranks.kill()
    return ranks.returncode, said


def _wait_for_traffic(ranks: subprocess.Popen[str]) -> None:
    """Until messages are under way between the ranks, which may end before there are any."""
    before = _packets()
    latest = time.monotonic() + DEADLINE_S
    while _packets() < before + 200:
        assert ranks.poll() is None, ranks.communicate()
        assert time.monotonic() < latest, "no packet for too long"


def _packets() -> int:
    told = run("rdma", "statistic", "show", "link", "rxe0/1").stdout
    return int(re.findall(r"sent_pkts (\d+)", told)[0])


def _tells_of_the_fault(said: str) -> None:
    """Which fault it is depends on whether there is still somebody who answers the last packets.

    The reason is in the batch and in a line of its own, of which MPICH may lose one.
    """
    fault = r"transport retry counter exceeded \(code 12\)|remote operation error \(code 11\)"
    assert re.search(rf"the link failed in ({fault}): a peer ended", said), said


def check_a_killed_peer_is_noticed_by_the_transport() -> None:
    status, said = _broken_run(FIRST_DEVICE, lambda peer: os.kill(peer, signal.SIGKILL))
    assert status != 0
    _tells_of_the_fault(said)


def check_packets_that_get_lost_without_end_are_noticed_by_the_transport() -> None:
    """The rules that take in what comes over the cable are gone for a while."""
    rules = [("pref", f"1{end}", "iif", f"roce{end}", "lookup", "local") for end in (0, 1)]

    def lose(_: int) -> None:
        for rule in rules:
            run("ip", "rule", "delete", *rule)

    try:
        status, said = _broken_run(BOTH_DEVICES, lose)
    finally:
        for rule in rules:
            run("ip", "rule", "add", *rule)
    assert status != 0
    _tells_of_the_fault(said)
