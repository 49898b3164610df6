"""Real ranks on this machine, under both MPIs."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import weft
from support.driven import drive
from support.printed import result_of
from weft.launch.environment import environment_of_ranks
from weft.launch.local import command
from weft.launch.programs import MPIS, engine_folder, starter

WEFT = Path(sys.prefix) / "bin" / "weft"
pytestmark = pytest.mark.engine
TWO_SIDED = ["ping_pong", "ping_ping", "stream", "bidirectional_stream", "sendrecv"]
ONE_SIDED = ["put_latency", "get_latency", "put_stream", "get_stream"]
SIZES = (0, 1, 8, 4096, 100_003, 1 << 21)


def has_net() -> bool:
    """Whether libfabric has the provider net: in version 2 it is part of tcp."""
    command = ["fi_info", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "net:" in done.stdout.split()


NET = [("ofi", ("--option", "provider=net"))] if has_net() else []
MODES = [
    ("mpi", ()),
    ("mpi", ("--mode", "persistent")),
    ("tcp", ()),
    ("tcp", ("--mode", "stripe", "--option", "interface=lo,lo")),
    ("tcp", ("--mode", "turn", "--option", "interface=lo,lo,lo")),
    ("ucx", ()),
    ("ucx", ("--option", "tls=tcp,self")),
    ("ucx", ("--mode", "wait")),
    ("ucx", ("--mode", "am")),
    ("ucx", ("--mode", "am", "--option", "tls=tcp,self")),
    ("ofi", ()),
    ("ofi", ("--mode", "wait")),
    ("ofi", ("--option", "provider=tcp")),
    *NET,
    *(
        ("ofi", ("--mode", "counter", "--option", f"provider={provider}"))
        for provider in ("shm", "tcp;ofi_rxm")
    ),
    ("ofi", ("--mode", "msg")),
]


def name_of_mode(value: object) -> str:
    return "-".join(value) if isinstance(value, tuple) else str(value)


# Those that have puts and gets.
HAS_ONE_SIDED = [
    ("mpi", ()),
    *((transport, words) for transport, words in MODES if transport in ("ucx", "ofi")),
]


@pytest.mark.parametrize("mpi", MPIS)
def test_a_line_of_any_length_reaches_all_ranks_whole(mpi: str) -> None:
    """The first 2,040 bytes go with the length, the rest behind them."""
    cases: list[dict[str, object]] = []
    for length in (2_039, 2_040, 2_041, 2_042, 20_000):
        case: dict[str, object] = {"pad": "", "id": length, "test": "ping_pong", "bytes": 8}
        cases.append(case | {"pad": "x" * (length - len(json.dumps(case)))})
        assert len(json.dumps(cases[-1])) == length
    _, lines = drive(mpi, "tcp", *cases, ranks=3)
    assert [(line["id"], line["status"]) for line in lines[1:-1]] == [
        (case["id"], "ok") for case in cases
    ]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(("transport", "words"), MODES, ids=name_of_mode)
def test_every_test_runs_and_verifies(mpi: str, transport: str, words: tuple[str, ...]) -> None:
    tests = TWO_SIDED + (ONE_SIDED if (transport, words) in HAS_ONE_SIDED else [])
    cases = [
        {"id": number, "test": test, "bytes": size, "samples": 5, "warmup": 1, "queue_depth": 8}
        for number, (test, size) in enumerate(
            (test, size) for test in tests for size in SIZES if size or "stream" not in test
        )
    ]
    assert starter(mpi), f"{mpi} is missing: scripts/install-system-packages run"
    done, lines = drive(mpi, transport, *cases, words=words)
    assert done.returncode == 0, done.stderr
    assert [line["kind"] for line in lines] == ["hello", *["batch"] * len(cases), "bye"]
    for case, line in zip(cases, lines[1:-1], strict=True):
        assert (line["id"], line["status"]) == (case["id"], "ok"), line
        assert len(line["ticks"]) == 6  # type: ignore[arg-type]
        assert line["verified_bytes"] >= 4 * case["bytes"]  # type: ignore[operator]


@pytest.mark.parametrize("queue_depth", [1, 4])
def test_two_bursts_have_room_in_any_queue(queue_depth: int) -> None:
    """Rank 1 posts its receives two bursts ahead, however short the case's queue is."""
    case = {"id": 1, "test": "burst", "bytes": 1 << 20, "samples": 6, "queue_depth": queue_depth}
    done, lines = drive("openmpi", "tcp", case)
    assert done.returncode == 0, done.stderr
    assert lines[1]["status"] == "ok", lines[1]


@pytest.mark.parametrize("transport", ["mpi", "tcp", "ucx", "ofi"])
def test_calls_and_work_beside_transfers_are_timed_apart(transport: str) -> None:
    parts = {
        "host_overhead": {"post_send", "complete_send", "post_receive", "complete_receive"},
        "send_overlap": {"alone", "work", "call"},
        "receive_overlap": {"alone", "work", "call"},
        "busy_stream": {"alone", "work"},
    }
    if transport != "tcp":
        parts |= {"put_overlap": {"alone", "work"}, "get_overlap": {"alone", "work"}}
    common = {"bytes": 4096, "point": 10, "samples": 5, "warmup": 1, "queue_depth": 8}
    cases: list[dict[str, object]] = [
        {"id": number, "test": test, **common} for number, test in enumerate(parts)
    ]
    done, lines = drive("openmpi", transport, *cases)
    assert done.returncode == 0, done.stderr
    for case, line in zip(cases, lines[1:-1], strict=True):
        assert line["status"] == "ok", line
        # A send that is done when it is posted has no call that completes it.
        found: dict[str, list[int]] = line["parts"]  # type: ignore[assignment]
        assert found.keys() >= parts[str(case["test"])] - {"complete_send"}, line
        assert all(len(ticks) == 6 for ticks in found.values())


@pytest.mark.parametrize("mpi", MPIS)
def test_a_message_over_two_gibibytes_crosses_and_verifies(mpi: str) -> None:
    size = (1 << 31) + 12345
    case = {"test": "ping_pong", "bytes": size, "samples": 1, "verify": False, "deadline_s": 100}
    if psutil.virtual_memory().available < 5 * size:
        pytest.skip("four buffers of 2 GiB do not fit this machine's memory")
    for transport in ("mpi", "tcp"):
        done, lines = drive(mpi, transport, {"id": 1, **case})
        assert lines[1]["status"] == "ok", done.stderr
        assert lines[1]["verified_bytes"] >= 2 * size  # type: ignore[operator]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(("transport", "words"), HAS_ONE_SIDED[1:], ids=name_of_mode)
def test_a_polled_byte_and_notices_and_sleep_where_a_transport_has_them(
    mpi: str, transport: str, words: tuple[str, ...]
) -> None:
    sleeps = "wait" in words
    cases: list[dict[str, object]] = [{"test": "put_ping_pong"}, {"test": "put_notify_ping_pong"}]
    cases += [{"test": test, "wait": "block"} for test in (*TWO_SIDED, *ONE_SIDED)]
    common = {"samples": 5, "warmup": 1, "queue_depth": 8}
    cases = [
        {"id": number, "bytes": size, **common, **case}
        for number, (size, case) in enumerate((size, case) for size in (8, 4096) for case in cases)
    ]
    words = (*words, "--option", "trust_last_byte=yes")
    done, lines = drive(mpi, transport, *cases, words=words)
    assert done.returncode == 0, done.stderr
    for case, line in zip(cases, lines[1:-1], strict=True):
        notifies = transport == "ofi" and "counter" not in words
        lacks = (case["test"] == "put_notify_ping_pong" and not notifies) or (
            "wait" in case and not sleeps
        )
        assert line["status"] == ("unsupported" if lacks else "ok"), (case, line)


def test_what_a_transport_cannot_do_is_unsupported_with_the_reason() -> None:
    _, lines = drive(
        "openmpi",
        "mpi",
        {"id": 1, "test": "put_ping_pong", "bytes": 8},
        {"id": 2, "test": "put_notify_ping_pong", "bytes": 8},
        {"id": 3, "test": "stream", "bytes": 0},
        {"id": 4, "test": "ping_pong", "bytes": 8, "wait": "block"},
    )
    told = [(line["status"], str(line["reason"])) for line in lines[1:-1]]
    assert [status for status, _ in told] == ["unsupported"] * 4
    assert "last byte of a put" in told[0][1]
    assert "cannot notify" in told[1][1]
    assert "no message of zero bytes" in told[2][1]
    assert "cannot wait by block" in told[3][1]


def test_more_ranks_than_cores_run_too() -> None:
    case = {"id": 1, "test": "sendrecv", "bytes": 64, "samples": 3}
    done, lines = drive("openmpi", "tcp", case, ranks=4)
    assert done.returncode == 0, done.stderr
    assert len(lines[0]["ranks"]) == 4  # type: ignore[arg-type]
    assert lines[1]["status"] == "ok"


MANY: list[dict[str, object]] = [
    {"test": "hot_spot_send", "point": 2},
    {"test": "hot_spot_receive", "point": 1},
    {"test": "hot_spot_receive", "point": 2},
    {"test": "message_rate", "point": 2},
    {"test": "random_pairs"},
    {"test": "offered_load", "point": 50},
]


@pytest.mark.parametrize("transport", ["mpi", "tcp", "ucx", "ofi", "ofi:msg"])
def test_many_ranks_and_load_run_and_verify(transport: str) -> None:
    transport, _, mode = transport.partition(":")
    words = ("--mode", mode) if mode else ()
    common: dict[str, object] = {
        "bytes": 64,
        "samples": 3,
        "ops_per_sample": 1,
        "queue_depth": 4,
    }
    cases = [{"id": number, **common, **case} for number, case in enumerate(MANY)]
    done, lines = drive("openmpi", transport, *cases, ranks=4, words=words)
    assert done.returncode == 0, done.stderr
    for case, line in zip(cases, lines[1:-1], strict=True):
        assert line["status"] == "ok", (case, line)
        assert line["verified_bytes"] >= 4 * 64  # type: ignore[operator]
    told = [set(line["parts"]) for line in lines[1:-1]]  # type: ignore[call-overload]
    assert told[:4] == [{"rank1", "rank2"}, {"rank1"}, {"rank1", "rank2"}, {"own", "rank1"}]
    assert told[5] == {"interval", "late"}
    # Whom a case leaves out spends no time in its timed pass.
    assert lines[2]["cpu_ns"][2] == 0  # type: ignore[index]


def test_counters_tell_no_senders_so_such_tests_are_unsupported() -> None:
    case = {"id": 1, "bytes": 64, "samples": 3, **MANY[0]}
    _, lines = drive("openmpi", "ofi", case, ranks=4, words=("--mode", "counter"))
    assert lines[1]["status"] == "unsupported"
    assert lines[1]["reason"] == "the transport does not report whose message arrived"


def cpu_s(process: int) -> float:
    """Seconds that a process has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kill_a_peer(start: list[str], deadline_s: float) -> str:
    """Everything that two ranks said, of which one is killed while the other waits for it."""
    case: dict[str, object] = {"id": 1, "test": "stream", "bytes": 1 << 16, "samples": 1_000_000}
    case |= {"queue_depth": 8, "verify": False, "deadline_s": deadline_s}
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment_of_ranks({}, "lo"),
    ) as run:  # fmt: skip
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(json.dumps(case) + "\n")
        run.stdin.flush()
        peer = json.loads(run.stdout.readline())["ranks"][1]["pid"]
        # There is little to compute before the loop, in which a rank polls all the time.
        before = cpu_s(peer)
        while cpu_s(peer) < before + 0.5:
            assert run.poll() is None
        os.kill(peer, signal.SIGKILL)
        said, _ = run.communicate(timeout=600)
    return said


FAULT = "the link failed in"
DEADLINE = "did not end within its deadline"
# UCX 1.13 at times ends the rank itself when a peer dies between two messages of its TCP.
OF_UCX = "Assertion `ep->flags & UCT_TCP_EP_FLAG_PUT_TX_WAITING_ACK' failed"
TRIES = 3


@pytest.mark.parametrize(
    ("transport", "words", "told"),
    [
        ("tcp", (), FAULT),
        ("ucx", ("--option", "tls=tcp,self"), FAULT),
        ("ucx", ("--mode", "am", "--option", "tls=tcp,self"), FAULT),
        # libfabric may tell a sender; whoever only receives is ended by the engine's own deadline.
        *((*mode, f"({FAULT}|{DEADLINE})") for mode in NET),
        ("ofi", ("--option", "provider=tcp"), f"({FAULT}|{DEADLINE})"),
        ("ofi", (), DEADLINE),
        ("ofi", ("--mode", "counter"), DEADLINE),
        ("ofi", ("--mode", "msg"), FAULT),
    ],
    ids=name_of_mode,
)
def test_a_rank_says_itself_that_its_peer_is_gone(
    transport: str, words: tuple[str, ...], told: str
) -> None:
    """The starter is told to leave the other rank alone, so that only this one can tell."""
    program = engine_folder() / "openmpi" / f"rank-{transport}"
    start = command(program, "openmpi", 2, words)
    start.insert(start.index(starter("openmpi") or "") + 1, "--enable-recovery")
    # Whoever is told of the link waits for no deadline, and a busy machine may need longer until
    # there is a peer to kill.
    for _ in range(TRIES):
        said = kill_a_peer(start, 50 if told == FAULT else 20)
        if OF_UCX not in said:
            break
    assert len(re.findall(rf"^rank[-a-z]*: .*{told}", said, re.MULTILINE)) == 1, said


def test_ranks_that_nobody_watches_end_by_themselves() -> None:
    """The engine keeps a deadline of its own for a case."""
    long = {"samples": 1_000_000, "ops_per_sample": 90}
    case = {"id": 1, "test": "ping_pong", "bytes": 8, **long, "deadline_s": 1}
    done, _ = drive("openmpi", "tcp", case)
    assert done.returncode != 0
    assert "did not end within its deadline" in done.stderr


def test_weft_run_end_to_end(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl.zst"
    done = subprocess.run(
        # Two launches of these few samples take a small part of the budget.
        [WEFT, "run", "ping_pong", "stream", "--sizes", "8,64KiB", "--budget", "90s",
         "--samples", "50", "--launches", "2", "--precision", "100%", "--json", "-o", record],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = result_of(done.stdout)
    assert {row["transport"] for row in rows} >= {"mpi", "tcp"}
    assert all(row["status"] == "ok" and row["verified_bytes"] > 0 for row in rows)
    run = weft.load(record)
    assert run.complete
    assert run.samples.filter(~run.samples["warmup"]).height == sum(r["samples"] for r in rows)
    tcp = {r["bytes"]: r for r in rows if r["transport"] == "tcp" and r["test"] == "ping_pong"}
    assert tcp[8]["latency_ns"]["value"] > 0
    assert (tmp_path / "r.html").stat().st_size > 100_000
