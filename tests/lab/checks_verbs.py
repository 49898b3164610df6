"""rank-verbs on real devices, if soft ones: every test in both modes, and all that can go wrong."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
from functools import cache

from lab.guest import (
    DEADLINE_S,
    Answers,
    Case,
    drive,
    drive_alone,
    rank_program,
    run,
    start_of,
)

TWO_SIDED = ("ping_pong", "ping_ping", "stream", "bidirectional_stream", "sendrecv")
ONE_SIDED = (
    "put_ping_pong",
    "put_notify_ping_pong",
    "put_latency",
    "get_latency",
    "put_stream",
    "get_stream",
)
BOTH_DEVICES = ("--option", "device=rxe0,rxe1")
FIRST_DEVICE = ("--option", "device=rxe0")
MTU = 4096
ETH_P_ALL = 3
# More than Soft-RoCE takes as one message, 8 MiB, and more than a datagram.
LONG = {"id": 100, "test": "ping_pong", "bytes": 9_000_000, "samples": 1, "warmup": 0}
TOO_DEEP = {"id": 101, "test": "stream", "bytes": 8, "queue_depth": 60_000}
# More completions than Soft-RoCE has, for two peers but not for one.
MANY_DEEP = {
    "id": 105,
    "test": "hot_spot_receive",
    "bytes": 8,
    "samples": 1,
    "warmup": 0,
    "queue_depth": 3000,
    "point": 2,
}
# More than the lanes begin with: they are made anew in the middle of a launch.
HALO = {
    "id": 103,
    "test": "halo",
    "bytes": 36,
    "samples": 2,
    "lattice": {"extents": [4, 4, 4], "sums": 2},
}
MILC = {
    "id": 104,
    "test": "milc",
    "bytes": 36,
    "samples": 2,
    "lattice": {"extents": [4, 4, 4, 4], "sums": 1},
}
DEEPER = {"id": 102, "test": "stream", "bytes": 8, "queue_depth": 300}


def _cases(tests: tuple[str, ...], sizes: tuple[int, ...]) -> list[Case]:
    return [
        {"id": number, "test": test, "bytes": size, "samples": 4, "warmup": 1, "queue_depth": 8}
        for number, (test, size) in enumerate(
            (test, size) for test in tests for size in sizes if size or "stream" not in test
        )
    ]


@cache
def _launch(mode: str, devices: str, *sizes: int) -> Answers:
    """Every test at these sizes, a depth that is new in mid-launch, and what is refused."""
    cases = [*_cases(TWO_SIDED, sizes), DEEPER, HALO, MILC, LONG, TOO_DEEP]
    return drive("verbs", *cases, words=("--mode", mode, "--option", f"device={devices}"))


def _rc() -> Answers:
    return _launch("rc", "rxe0", 0, 40_003)


def _ud() -> Answers:
    return _launch("ud", "rxe0", 0, MTU)


def _holds(answers: Answers, devices: str, long_status: str) -> None:
    assert answers.status == 0, answers
    assert answers.lines[0]["details"]["device"] == devices, answers.lines[0]
    *measured, long, too_deep = answers.batches
    assert len(measured) > len(TWO_SIDED), answers
    for batch in measured:
        assert batch["status"] == "ok", batch
        assert batch["verified_bytes"] > 0, batch
    assert (long["status"], too_deep["status"]) == (long_status, "failed"), answers


def check_rc_on_one_device() -> None:
    _holds(_rc(), "rxe0", "ok")


def check_rc_between_two_devices() -> None:
    _holds(_launch("rc", "rxe0,rxe1", 257), "rxe0, rxe1", "ok")


def check_ud_on_one_device() -> None:
    _holds(_ud(), "rxe0", "failed")


def check_ud_between_two_devices() -> None:
    _holds(_launch("ud", "rxe0,rxe1", 257), "rxe0, rxe1", "failed")


def check_puts_and_gets_between_two_devices() -> None:
    cases = _cases(ONE_SIDED, (300,)) + _cases(ONE_SIDED[2:], (40_003,))
    answers = drive("verbs", *cases, words=BOTH_DEVICES)
    assert answers.status == 0, answers
    told = [(batch["status"], batch["verified_bytes"] > 0) for batch in answers.batches]
    assert told == [("ok", True)] * len(cases), answers.batches


def check_a_side_is_registered_at_once_or_each_buffer_by_itself() -> None:
    """What the device has registered while a queue of 512 is measured, by the kernel's list."""
    most = {}
    for regions in ("side", "buffer"):
        words = (*FIRST_DEVICE, "--option", f"regions={regions}")
        case = {
            "id": 1,
            "test": "stream",
            "bytes": 8,
            "queue_depth": 512,
            "samples": 20,
            "warmup": 1,
        }
        case["schedule"] = {"kind": "turn", "count": 512}
        start = start_of("verbs", words)
        with subprocess.Popen(
            start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as ranks:
            assert ranks.stdin is not None
            ranks.stdin.write(json.dumps(case) + "\n")
            ranks.stdin.close()
            most[regions] = 0
            while ranks.poll() is None:
                told = run("rdma", "resource", "show", "rxe0").stdout
                most[regions] = max(most[regions], int(re.findall(r" mr (\d+)", told)[0]))
            assert ranks.stdout is not None
            told = ranks.stdout.read()
            assert '"status":"ok"' in told, told
    assert most["side"] < 60 < 512 < most["buffer"], most


def check_more_peers_than_the_device_has_room_for_are_unsupported() -> None:
    answers = drive("verbs", MANY_DEEP, DEEPER, words=FIRST_DEVICE, ranks=3)
    assert answers.status == 0, answers
    many, deeper = answers.batches
    assert (many["status"], deeper["status"]) == ("unsupported", "ok"), answers
    assert re.search(r"a queue of [\d,]+ completions for 2 peers is more", many["reason"]), many


def check_ranks_have_queue_pairs_for_the_peers_that_they_need() -> None:
    """Six ranks: a ring of them at the start, and what a hot spot of four peers adds."""
    cases = [
        {"id": 1, "test": "ping_pong", "bytes": 8, "samples": 2, "warmup": 0},
        {"id": 2, "test": "hot_spot_receive", "bytes": 8, "samples": 2, "warmup": 0,
         "queue_depth": 4, "point": 4},
    ]  # fmt: skip
    pairs = []
    with subprocess.Popen(
        start_of("verbs", FIRST_DEVICE, ranks=6),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as ranks:  # fmt: skip
        assert ranks.stdin is not None
        assert ranks.stdout is not None
        for case in ({}, *cases):
            if case:
                ranks.stdin.write(json.dumps(case) + "\n")
                ranks.stdin.flush()
            told = json.loads(ranks.stdout.readline())
            assert told.get("status", "ok") == "ok", told
            there = run("rdma", "resource", "show", "qp", "link", "rxe0/1").stdout
            pairs.append(there.count("type RC"))
        ranks.stdin.close()
        ranks.stdout.read()
    # Two for each peer: of two neighbours, then rank 0 of three more; of all five peers 60.
    assert pairs == [24, 24, 36], pairs


def check_datagrams_of_many_peers_need_two_queue_pairs() -> None:
    """Several peers at once, one peer again, and more peers than the queues were made for."""
    several = [
        {**case, "queue_depth": 16, "samples": 6}
        for case in _cases(("hot_spot_receive", "stream", "hot_spot_send", "message_rate",
                            "random_pairs", "ping_pong"), (8, MTU))
    ]  # fmt: skip
    hot = {**several[0], "id": 90, "point": 1, "queue_depth": 40}
    cases = [*several, hot, {**hot, "id": 91, "point": 3}, {**HALO, "samples": 4}]
    words = ("--mode", "ud", *FIRST_DEVICE)
    start = start_of("verbs", words, ranks=4)
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as ranks:
        assert ranks.stdin is not None
        assert ranks.stdout is not None
        ranks.stdin.writelines(json.dumps(case) + "\n" for case in cases)
        ranks.stdin.flush()
        lines = [json.loads(ranks.stdout.readline()) for _ in range(1 + len(cases))]
        there = run("rdma", "resource", "show", "qp", "link", "rxe0/1").stdout
        ranks.stdin.close()
        ranks.stdout.read()
    told = [(line["status"], line["verified_bytes"] > 0, line["reason"]) for line in lines[1:]]
    assert told == [("ok", True, "")] * len(cases), told
    assert there.count("type UD") == 4 * 2, there


def check_rails_of_both_devices() -> None:
    tests = ("ping_pong", "bidirectional_stream", "put_stream", "get_latency")
    for mode in ("stripe", "turn"):
        answers = drive("verbs", *_cases(tests, (40_003,)), words=("--mode", mode, *BOTH_DEVICES))
        told = [(batch["status"], batch["verified_bytes"] > 0) for batch in answers.batches]
        assert told == [("ok", True)] * len(tests), answers
        details = answers.lines[0]["details"]
        devices = [details[f"rail {rail} device"] for rail in range(int(details["rails"]))]
        assert devices == ["rxe0", "rxe1"], details


def _rails_stream_thousands_of_samples(mode: str) -> None:
    """Short messages are inline and most of them ask for no completion."""
    tests = ("stream", "put_stream")
    cases = [{**case, "samples": 1000, "queue_depth": 4} for case in _cases(tests, (8, 64, 256))]
    cases += [{**case, "samples": 100} for case in _cases(tests, (40_003,))]
    words = ("--mode", mode, *BOTH_DEVICES)
    answers = drive("verbs", *cases, words=words, deadline_s=DEADLINE_S)
    told = [(batch["status"], len(batch["ticks"])) for batch in answers.batches]
    assert told == [("ok", case["samples"] + 1) for case in cases], answers.errors


def check_stripe_streams_thousands_of_samples() -> None:
    _rails_stream_thousands_of_samples("stripe")


def check_turn_streams_thousands_of_samples() -> None:
    _rails_stream_thousands_of_samples("turn")


def check_rails_want_a_list_of_devices() -> None:
    wanted = "mode stripe needs several rails; list them, for instance --option device=A,B"
    _is_refused(wanted, "--mode", "stripe", *FIRST_DEVICE)


def check_ranks_that_sleep_until_an_event() -> None:
    tests = ("ping_pong", "stream", "put_notify_ping_pong", "get_stream")
    for mode, count in (("rc", 4), ("ud", 2)):
        cases = [{**case, "wait": "block"} for case in _cases(tests, (8,))]
        answers = drive("verbs", *cases, words=("--mode", mode))
        told = [batch["status"] for batch in answers.batches]
        assert told == ["ok"] * count + ["unsupported"] * (4 - count), answers


def check_rc_by_rdma_cm_between_two_devices() -> None:
    words = (*BOTH_DEVICES, "--option", "connect=rdmacm")
    tests = ("bidirectional_stream", "sendrecv", "put_latency", "get_latency")
    answers = drive("verbs", *_cases(tests, (8,)), words=words)
    assert answers.status == 0, answers
    assert answers.lines[0]["details"]["connected by"] == "RDMA CM"
    assert [batch["status"] for batch in answers.batches] == ["ok"] * len(tests)


def check_settings_are_used_and_told() -> None:
    words = [word for name in ("inline=64", "signal_every=1", "mtu=1024", "gid_index=0", "port=1")
             for word in ("--option", name)]  # fmt: skip
    answers = drive("verbs", *_cases(("stream",), (8, 5000)), words=words)
    assert [batch["status"] for batch in answers.batches] == ["ok", "ok"], answers
    details = answers.lines[0]["details"]
    assert (details["inline limit"], details["MTU"]) == ("64", "1024")
    assert details["GID"].startswith("0 fe80:"), details


def _classes_on_the_cable(*words: str) -> tuple[set[int], Answers]:
    """The traffic classes of the RoCE packets that cross the cable while ranks measure."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as cable:
        cable.bind(("roce0", ETH_P_ALL))
        cable.setblocking(False)
        answers = drive("verbs", *_cases(("ping_pong",), (8,)), words=(*BOTH_DEVICES, *words))
        packets = []
        with contextlib.suppress(BlockingIOError):
            while True:
                packets.append(cable.recv(128))
    is_roce = b"\x12\xb7"  # UDP's port 4791, behind an IPv4 header without options
    of_cm = b"\x00\x00\x01"  # RDMA CM's own messages are to queue pair 1
    return {
        one[1]
        for one in packets
        if one[0] == 0x45 and one[22:24] == is_roce and one[33:36] != of_cm
    }, answers


def check_packets_have_the_chosen_traffic_class_and_else_none() -> None:
    chosen = ("--option", "traffic_class=104", "--option", "service_level=2")
    for words, traffic_class in (
        ((), 0),
        (chosen, 104),
        ((*chosen, "--mode", "ud"), 104),
        ((*chosen, "--option", "connect=rdmacm"), 104),
    ):
        seen, answers = _classes_on_the_cable(*words)
        assert answers.status == 0, answers
        assert seen == {traffic_class}, (words, seen)
        details = answers.lines[0]["details"]
        level = "2" if words else "0"
        told = (details["traffic class"], details["service level"])
        assert told == (str(traffic_class), level), details


def check_the_usual_gid_is_the_ipv4_one_of_roce_v2() -> None:
    details = _rc().lines[0]["details"]
    assert details["GID"] == "1 ::ffff:10.9.0.1 (RoCE v2)", details


def check_a_message_too_long_for_a_datagram_is_a_failed_case() -> None:
    [batch] = [b for b in _ud().batches if b["id"] == LONG["id"]]
    assert f"more than the {MTU} that rxe0 port 1 takes" in batch["reason"]


def check_messages_longer_than_goes_whole_go_in_pieces() -> None:
    """One of 8 MiB and some by itself (in `_rc`), short ones here; what follows is as ever."""
    words = (*BOTH_DEVICES, "--option", "longest=8192")
    tests = ("ping_pong", "stream", "put_notify_ping_pong", "put_ping_pong", "get_latency")
    cases = _cases(tests, (20_003,)) + _cases(("stream", "put_stream"), (8,))
    answers = drive("verbs", *cases, words=words)
    told = [(batch["status"], batch["verified_bytes"] > 0) for batch in answers.batches]
    assert told == [("ok", True)] * len(cases), answers
    assert answers.lines[0]["details"]["longest message"] == "8192, longer ones in pieces"
    longest, _, rest = _rc().lines[0]["details"]["longest message"].partition(", ")
    # Soft-RoCE takes 8 MiB up to Linux 6.1, and more today.
    assert int(longest) >= 8 << 20
    assert rest == "longer ones in pieces"


def check_rails_share_out_messages_longer_than_goes_whole() -> None:
    words = (*BOTH_DEVICES, "--option", "longest=8192")
    for mode in ("stripe", "turn"):
        cases = _cases(("stream", "put_stream"), (40_003,))
        answers = drive("verbs", *cases, words=("--mode", mode, *words))
        told = [(batch["status"], batch["verified_bytes"] > 0) for batch in answers.batches]
        assert told == [("ok", True)] * len(cases), answers


def check_a_queue_deeper_than_the_device_is_a_failed_case() -> None:
    [batch] = [b for b in _rc().batches if b["id"] == TOO_DEEP["id"]]
    assert "of rxe0; choose a smaller --queue-depth" in batch["reason"]


def _is_refused(told: str, *words: str) -> None:
    answers = drive_alone("verbs", *words)
    assert answers.status != 0
    [line] = answers.own_lines()
    assert told in line, line


def check_a_wrong_gid_index_names_those_there_are() -> None:
    _is_refused("no GID index 77 at rxe0 port 1; there are: 0 fe80:", "--option", "gid_index=77")


def check_a_wrong_device_or_port_or_mtu_names_those_there_are() -> None:
    _is_refused("no RDMA device mlx9 here; there are: rxe0, rxe1", "--option", "device=mlx9")
    _is_refused("rxe0 has no port 7; it has ports 1 to 1", "--option", "port=7")
    _is_refused("choose a power of two from 256 to 4096", "--option", "mtu=1000")


def check_datagrams_are_not_connected_by_rdma_cm() -> None:
    _is_refused("use connect=bootstrap", "--mode", "ud", "--option", "connect=rdmacm")


def check_a_port_that_is_down_says_how_to_bring_it_up() -> None:
    run("ip", "link", "set", "roce1", "down")
    try:
        _is_refused("rxe1 port 1 is down; run ip link set roce1 up", "--option", "device=rxe1")
    finally:  # with the route that went with it
        run("ip", "link", "set", "roce1", "up")
        run("ip", "route", "replace", "10.9.0.1", "dev", "roce1", "table", "100")


def check_without_a_device_the_description_says_so_and_a_run_ends() -> None:
    for name in ("rxe0", "rxe1"):
        run("rdma", "link", "delete", name)
    try:
        told = run(str(rank_program("verbs")), "--describe").stdout.splitlines()
        reasons = [json.loads(line)["reason"] for line in told]
        assert reasons
        for reason in reasons:
            assert reason.startswith("no RDMA device (ibv_devices shows none)"), reason
        _is_refused("no RDMA device (ibv_devices shows none); load its driver")
    finally:
        for name in ("0", "1"):
            run("rdma", "link", "add", f"rxe{name}", "type", "rxe", "netdev", f"roce{name}")


def check_too_little_locked_memory_names_the_limit_and_the_fix() -> None:
    small = ["bash", "-c", 'ulimit -l 64; exec setpriv --bounding-set -ipc_lock -- "$@"', "bash"]
    case = {"id": 1, "test": "ping_pong", "bytes": 1 << 20}
    answers = drive("verbs", case, before=small)
    [batch] = answers.batches
    assert batch["status"] == "failed", answers
    reason = batch["reason"]
    assert re.search(r"cannot register \d+ bytes, locked memory is limited to 64 KiB", reason)
    assert "ulimit -l unlimited" in reason
