"""What real ranks cannot do is one line with the reason and the fix."""

import json
import re
import subprocess

import pytest

from support.driven import drive
from weft.launch.programs import MPIS, engine_folder, programs

pytestmark = pytest.mark.engine


def test_bad_cases_are_answered_and_the_engine_goes_on() -> None:
    good = {"id": 3, "test": "ping_pong", "bytes": 8}
    bad: list[dict[str, object]] = [
        {"id": 1, "test": "nope"},
        {"bytes": -1},
        {"test": "hot_spot_send", "point": 2**63},
        {"test": "busy_stream", "bytes": 8, "point": 2**54},
        {"test": "ping_pong", "samples": 100_000_000},
        {"test": "ping_pong", "bytes": 2**46},
        {"test": "put_ping_pong", "schedule": {"kind": "turn", "count": 2**20}, "bytes": 2**30},
        {"test": "stream", "id": "x" * 70_000},
    ]
    _, lines = drive("openmpi", "tcp", *bad, good)
    told = [line.get("status") for line in lines[1:-1]]
    # Over tcp there are no puts to refuse the memory of.
    assert told == ["failed"] * 6 + ["unsupported", "failed", "ok"]


# What speaks against a case whatever the link, and what speaks against none.
ASKED: list[dict[str, object]] = [
    {"test": "ping_pong", "bytes": 8},
    {"test": "ping_pong", "bytes": 8, "wait": "block"},
    {"test": "ping_pong", "bytes": 8, "wait": "prayer"},
    {"test": "stream", "bytes": 0},
    {"test": "hot_spot_send", "bytes": 8, "point": 1},
    {"test": "hot_spot_send", "bytes": 8, "point": 3},
    {"test": "shift", "bytes": 8, "point": 2},
    {"test": "put_latency", "bytes": 8},
    {"test": "offered_load", "bytes": 8, "point": 50, "wait": "block"},
    {"test": "allreduce", "bytes": 6},
    {"test": "allreduce", "bytes": 8, "pages": "small"},
    {"test": "halo", "bytes": 8},
    {"test": "halo", "bytes": 8, "lattice": {"extents": [4, 4], "threads": 2}},
]


@pytest.mark.parametrize("transport", ["tcp", "mpi"])
def test_what_is_refused_before_a_rank_is_there_is_what_the_ranks_refuse(transport: str) -> None:
    cases = [{"id": at, "samples": 1, "warmup": 0, **one} for at, one in enumerate(ASKED)]
    _, lines = drive("openmpi", transport, *cases)
    program = engine_folder() / "openmpi" / f"rank-{transport}"
    asked = subprocess.run(
        [program, "--refuse", "2"],
        input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    said = [json.loads(line) for line in asked.stdout.splitlines()]
    keys = ("id", "status", "reason")
    assert [tuple(one[key] for key in keys) for one in said] == [
        tuple(one[key] for key in keys) for one in lines[1:-1]
    ]
    assert {one["status"] for one in said} == {"ok", "unsupported"}


def test_a_number_of_ranks_to_refuse_cases_on_is_one() -> None:
    program = engine_folder() / "openmpi" / "rank-tcp"
    done = subprocess.run(
        [program, "--refuse", "0"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode != 0
    assert "--refuse takes a number from 1 to" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--option", "interface=nope0"), "no interface nope0"),
        (("--option", "port=99999"), "option port takes a number"),
        (("--option", "nope=1"), "tcp has no option nope; it takes interface port"),
        (("--mode", "nope"), "no mode nope"),
        (("--cpus", "x"), "--cpus takes a number"),
        (("--cpus", "4095"), "cannot bind to CPU 4095"),
    ],
)
def test_bad_options_are_one_line(words: tuple[str, ...], told: str) -> None:
    done, _ = drive("openmpi", "tcp", words=words)
    assert done.returncode != 0
    assert told in done.stderr


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("transport", "words", "told"),
    [
        (
            "ucx",
            ("--option", "device=nope0"),
            "choose ucx.device and ucx.tls from what `ucx_info -d`",
        ),
        ("ucx", ("--option", "tls=nope"), "no usable transports"),
        ("ucx", ("--option", "rendezvous=soon"), "UCX does not take RNDV_THRESH=soon"),
        ("ucx", ("--option", "errors=all"), "ucx.errors takes peer or none"),
        ("ucx", ("--option", "multi_send=1"), "option multi_send takes yes or no"),
        ("ucx", ("--mode", "nope"), "no mode nope"),
        ("ofi", ("--option", "provider=nope"), "choose ofi.provider from: "),
        ("ofi", ("--option", "domain=nope0"), "choose ofi.domain from: "),
        ("ofi", ("--option", "provider=tcp", "--option", "domain=nope0"), "no domain nope0 of tcp"),
        ("ofi", ("--mode", "wait", "--option", "provider=shm"), "can be waited for failed"),
        (
            "ofi",
            ("--mode", "msg", "--option", "provider=shm"),
            "no provider shm with connected endpoints (FI_EP_MSG) and RMA here; choose ",
        ),
        ("ofi", ("--mode", "msg", "--option", "domain=nope0"), "choose ofi.domain from: "),
        ("ofi", ("--option", "inject=1"), "option inject takes yes or no"),
        ("ofi", ("--mode", "nope"), "no mode nope"),
    ],
)
def test_bad_options_of_libraries_are_one_line(
    mpi: str, transport: str, words: tuple[str, ...], told: str
) -> None:
    done, lines = drive(mpi, transport, words=words)
    assert lines == []  # UCX would say its warnings on standard output
    assert done.returncode != 0
    assert told in done.stderr


def test_a_provider_without_counters_is_reported_with_the_reason_and_the_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FI_PROVIDER", "^ofi_rxm,ofi_rxd,sockets")
    done, lines = drive("openmpi", "ofi", words=("--mode", "counter", "--option", "provider=net"))
    assert lines == []
    assert done.returncode != 0
    assert "the provider net has no counters that can be used (it crashes when" in done.stderr
    assert "; choose ofi.provider from: shm, or choose a mode other than counter" in done.stderr


def test_a_mode_that_no_provider_can_run_says_so_in_its_description(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def reasons() -> dict[str, str]:
        described = subprocess.run(
            [engine_folder() / "openmpi" / "rank-ofi", "--describe"],
            capture_output=True, text=True, timeout=600, check=True,
        )  # fmt: skip
        lines = [json.loads(line) for line in described.stdout.splitlines()]
        return {line["mode"]: line["reason"] for line in lines}

    assert set(reasons().values()) == {""}
    monkeypatch.setenv("FI_PROVIDER", "^ofi_rxm,ofi_rxd,sockets,shm")
    told = reasons()
    assert (told["tagged"], told["msg"]) == ("", "")
    assert "has counters" in told["counter"]
    monkeypatch.setenv("FI_PROVIDER", "shm")
    told = reasons()
    assert (told["tagged"], told["counter"]) == ("", "")
    assert "no provider with connected endpoints (FI_EP_MSG)" in told["msg"]


def test_a_port_in_use_names_the_port_and_the_fix() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done, _ = drive("openmpi", "tcp", words=("--option", f"port={port}"))
    assert done.returncode != 0
    assert f"cannot use port {port} on lo" in done.stderr
    assert "choose another tcp.port" in done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_an_interface_that_mpi_has_not_is_named_before_it_starts(mpi: str) -> None:
    done, said = drive(mpi, "mpi", words=("--option", "interface=ib7"))
    assert (done.returncode != 0, said) == (True, [])
    [there] = set(
        re.findall(r"no interface ib7 with an IP address here; there are: (.*)", done.stderr)
    )
    assert "lo" in there.split(", ")


@pytest.mark.parametrize("place", ["same", "near_device"])
def test_a_placement_that_there_is_not_is_named(place: str) -> None:
    done, _ = drive("openmpi", "tcp", words=("--placement", place))
    assert "--placement takes same-socket, other-socket or near-device" in done.stderr


# What names a device or a library's own part of the host: its library alone knows which are there.
NAMES = {"device", "interface", "provider", "domain", "tls"}


@pytest.mark.parametrize("mpi", MPIS)
def test_every_other_setting_says_which_values_it_takes(mpi: str) -> None:
    settings = {
        (one.transport, setting.name): setting for one in programs(mpi) for setting in one.settings
    }
    free = {name for (_, name), one in settings.items() if not one.most and not one.choices}
    assert free == NAMES
    rendezvous = settings["ucx", "rendezvous"]
    assert rendezvous.refusal("abc") == "a number from 0 to 2147483647, auto or inf"
    assert [rendezvous.refusal(one) for one in ("0", "8192", "auto", "inf")] == [""] * 4
