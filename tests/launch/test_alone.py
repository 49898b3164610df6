"""Which local launches have a network of their own, and how long ranks may take to start."""

import math
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from weft.launch import alone
from weft.launch.alone import is_reached_by_strangers, network_of_host, words_alone
from weft.launch.launcher import start_deadline_s


@pytest.fixture(autouse=True)
def may_make_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "_words", lambda: ("unshare",))
    monkeypatch.setattr(os, "environ", {"PATH": "/bin"})


@pytest.mark.parametrize(
    ("program", "arguments", "more", "why"),
    [
        ("rank-tcp", (), {}, ""),
        ("rank-ofi", ("--option", "domain=lo"), {}, ""),
        ("rank-verbs", (), {}, "verbs uses a device"),
        ("rank-tcp", ("--option", "interface=eth1"), {}, "interface eth1 was chosen"),
        ("rank-tcp", ("--option", "interface=lo"), {}, "interface lo was chosen"),
        ("rank-ucx", ("--option", "device=mlx5_0:1"), {}, "device mlx5_0:1 was chosen"),
        ("rank-ofi", ("--option", "domain=eth0"), {}, "domain eth0 was chosen"),
        (
            "rank-mpi", (), {"OMPI_MCA_btl_tcp_if_include": "eth1"},
            "OMPI_MCA_btl_tcp_if_include chooses an interface or a device",
        ),
        (
            "rank-ucx", (), {"UCX_NET_DEVICES": "mlx5_0:1"},
            "UCX_NET_DEVICES chooses an interface or a device",
        ),
    ],
)  # fmt: skip
def test_a_chosen_interface_or_device_keeps_the_network_of_the_host(
    program: str, arguments: tuple[str, ...], more: dict[str, str], why: str
) -> None:
    asked = (Path(program), arguments, more)
    assert network_of_host(*asked) == why
    assert words_alone(*asked) == ([] if why else ["unshare"])


def test_a_user_without_namespaces_keeps_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "_words", lambda: ())
    why = network_of_host(Path("rank-tcp"), (), {})
    assert why == "this user may make no network namespace"


LISTENER = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
own = socket.create_connection(listener.getsockname())
first, _ = listener.accept()
print("connected to itself", flush=True)
second, _ = listener.accept()
print("connected to another", flush=True)
sys.stdin.read()
"""


def test_somebody_who_is_connected_is_seen() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LISTENER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout
        port = int(starter.stdout.readline())
        starter.stdout.readline()
        assert not is_reached_by_strangers(starter.pid)
        with socket.create_connection(("127.0.0.1", port)):
            starter.stdout.readline()
            assert is_reached_by_strangers(starter.pid)
        starter.communicate()


@pytest.mark.parametrize(
    ("ranks", "budget_s", "most_s"),
    [(2, 15, 10), (2, 60, 30), (64, 600, 40), (2, math.inf, 40), (1024, 15, 552)],
)
def test_ranks_have_half_of_the_budget_to_start(ranks: int, budget_s: float, most_s: float) -> None:
    assert start_deadline_s(ranks, budget_s) == most_s
