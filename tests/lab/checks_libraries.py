"""UCX and libfabric by verbs on the lab's devices: what they do, and what they refuse."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

from lab.guest import DEADLINE_S, Answers
from weft.launch.local import command
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Open MPI starts faster here than MPICH once libfabric or UCX may look at the devices, and these
# words keep Open MPI itself away from them.
MPI = "openmpi"
PLAIN = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_osc": "^ucx",
}
# UCX connects by datagrams, and those of UCX 1.13 get no answer from Soft-RoCE at an IPv4 GID, nor
# do those of ucx_perftest's (-x ud_verbs). Index 0 is the device's IPv6 GID.
BY_IPV6 = {"UCX_IB_GID_INDEX": "0"}
MESSAGES = ("ping_pong", "stream")
TRANSFERS = ("put_latency", "get_latency")
BYTES = 5003


def _drive(
    transport: str, options: Sequence[str], tests: Sequence[str], settings: Mapping[str, str]
) -> Answers:
    """`transport` may be one of its modes (`ofi:msg`)."""
    transport, _, mode = transport.partition(":")
    words = ["--mode", mode] if mode else []
    words += [word for option in options for word in ("--option", option)]
    cases: list[dict[str, Any]] = [
        {"id": number, "test": test, "bytes": BYTES, "samples": 4, "warmup": 1, "queue_depth": 8}
        for number, test in enumerate(tests)
    ]
    program = engine_folder() / MPI / f"rank-{transport}"
    done = subprocess.run(
        command(program, MPI, 2, words), input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True, text=True, check=False, timeout=DEADLINE_S,
        env={**os.environ, **PLAIN, **settings},
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Answers(done.returncode, lines, done.stderr)


def _all_hold(answers: Answers, count: int) -> dict[str, str]:
    """What the ranks say they used, once all cases are right."""
    assert answers.status == 0, answers
    told = [(batch["status"], batch["verified_bytes"] > 0) for batch in answers.batches]
    assert told == [("ok", True)] * count, answers
    details: dict[str, str] = answers.lines[0]["details"]
    return details


def _lines_of_each(answers: Answers) -> list[str]:
    """What the ranks say of themselves: each may be the one that waits longest."""
    lines = answers.own_lines()
    assert lines, answers.errors
    return lines


def check_ucx_over_reliable_connections() -> None:
    tests = (*MESSAGES, *TRANSFERS)
    answers = _drive("ucx", ("tls=rc_v,self", "device=rxe0:1"), tests, BY_IPV6)
    assert "rc_verbs/rxe0:1" in _all_hold(answers, len(tests))["lanes"]


def check_ucx_states_its_traffic_class_and_takes_another() -> None:
    rc = ("tls=rc_v,self", "device=rxe0:1")
    usual = _all_hold(_drive("ucx", rc, ("ping_pong",), BY_IPV6), 1)
    assert (usual["traffic class"], usual["service level"]) == ("106", "unknown")
    chosen = (*rc, "traffic_class=40", "service_level=1")
    other = _all_hold(_drive("ucx", chosen, ("ping_pong",), BY_IPV6), 1)
    assert (other["traffic class"], other["service level"]) == ("40", "1")


def check_ucx_over_datagrams() -> None:
    tests = ("ping_pong", "put_latency")
    answers = _drive("ucx", ("tls=ud_verbs,self", "device=rxe1:1"), tests, BY_IPV6)
    assert "ud_verbs/rxe1:1" in _all_hold(answers, len(tests))["lanes"]


def check_ucx_at_an_ipv4_gid_of_soft_roce_says_why_it_cannot() -> None:
    answers = _drive("ucx", ("tls=rc_v,self", "device=rxe0:1"), ("ping_pong",), {})
    assert answers.status != 0
    for line in _lines_of_each(answers):
        assert re.search(
            r"no first message from rank [01] on \S+ in 20 s; UCX connects by datagrams", line
        ), line
        assert "at an IPv4 GID of Soft-RoCE (rxe0); set UCX_IB_GID_INDEX=0, its IPv6 GID" in line


def check_ucx_that_cannot_connect_says_so_and_does_not_crash() -> None:
    """Of rc_verbs alone UCX makes no connection: it has no datagrams to begin with."""
    answers = _drive("ucx", ("tls=rc_verbs,self", "device=rxe0:1"), ("ping_pong",), {})
    assert answers.status != 0
    for line in _lines_of_each(answers):
        assert re.search(
            r"connecting UCX to rank [01] on \S+ failed: Destination is unreach", line
        ), line
    # Open MPI 5 says that it ended the other ranks by signals.
    assert not re.search("signal(?!s sent by)", answers.errors.lower()), answers.errors


def check_libfabric_over_verbs() -> None:
    tests = (*MESSAGES, *TRANSFERS, "put_notify_ping_pong")
    answers = _drive("ofi", ("provider=verbs;ofi_rxm", "domain=rxe0"), tests, {})
    details = _all_hold(answers, len(tests))
    assert (details["provider"], details["domain"]) == ("verbs;ofi_rxm", "rxe0"), details


def check_libfabric_over_connected_endpoints_of_verbs() -> None:
    tests = (*MESSAGES, *TRANSFERS, "put_notify_ping_pong")
    answers = _drive("ofi:msg", ("provider=verbs", "domain=rxe0"), tests, {})
    details = _all_hold(answers, len(tests))
    assert (details["provider"], details["domain"]) == ("verbs", "rxe0"), details


def check_libfabric_whose_queues_the_device_refuses_says_so() -> None:
    settings = {"FI_UNIVERSE_SIZE": "256"}
    answers = _drive("ofi", ("provider=verbs;ofi_rxm",), ("ping_pong",), settings)
    assert answers.status != 0
    [line] = answers.own_lines()
    assert "FI_UNIVERSE_SIZE ranks failed: Invalid argument; choose another" in line, line
