"""Where ranks go: hosts as users, files and sites name them, and layout on them."""

from __future__ import annotations

import base64
import contextlib
import os
import random
import re
import socket
import subprocess
import sys
import time
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import psutil
import pytest

from weft.cli.where import where_of
from weft.errors import WeftError
from weft.host.lines import LINE_BYTES, facts_in, lines_of
from weft.launch import asking
from weft.launch.asking import TRIES, ask_hosts
from weft.launch.nodes import (
    HostList,
    check_known,
    hosts_of_file,
    hosts_of_list,
    hosts_of_site,
    is_this_machine,
    names_for_mpi,
    network_of,
    user_of,
)
from weft.plan.allocation import Allocation, RankLayout, layout_of
from weft.plan.devices import chosen_devices, devices_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n1\nn2\n", ("n1", "n2")),
        ("n1 slots=4\n# not n9\nn2 slots=4 # nor n8\n\n", ("n1", "n2")),
        ("n1:4\nn2:4\n", ("n1", "n2")),
        ("n2\nn2\nn1\nn1\n", ("n2", "n1")),
        (
            "n[1-2]:2\nme@n3\n[fd00::2]:4\nfd00::3 slots=2\n",
            ("n1", "n2", "me@n3", "fd00::2", "fd00::3"),
        ),
    ],
)
def test_a_file_of_hosts_is_read_as_open_mpi_mpich_and_pbs_write_it(
    tmp_path: Path, text: str, hosts: tuple[str, ...]
) -> None:
    (tmp_path / "hosts").write_text(text)
    assert hosts_of_file(tmp_path / "hosts") == hosts
    assert hosts_of_site({"PBS_NODEFILE": str(tmp_path / "hosts")}) == hosts
    assert hosts_of_site({"LSB_DJOB_HOSTFILE": str(tmp_path / "hosts")}) == hosts


def test_lsf_names_its_hosts_in_a_variable_too() -> None:
    assert hosts_of_site({"LSB_HOSTS": "a a b"}) == ("a", "b")
    assert hosts_of_site({}) == ()


@pytest.mark.parametrize(
    "text", ["-oProxyCommand=x", "n1,$(reboot)", "n1;n2", "-l@n1", "me@-n1", "n1:2:3", "n[1-2", ":"]
)
def test_a_name_that_ssh_would_take_for_something_else_is_refused(text: str) -> None:
    with pytest.raises(WeftError, match="is not a host name"):
        hosts_of_list(text)


@pytest.mark.parametrize(
    ("text", "hosts", "each"),
    [
        ("n1,n2", ("n1", "n2"), 0),
        (" n1 , n2,", ("n1", "n2"), 0),
        ("", (), 0),
        ("n[1-4]", ("n1", "n2", "n3", "n4"), 0),
        ("n[08-10,3],x", ("n08", "n09", "n10", "n3", "x"), 0),
        ("r[1-2]n[1-2]-ib", ("r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"), 0),
        ("n[1-2]:4", ("n1", "n2"), 4),
        ("me@n1,n2", ("me@n1", "n2"), 0),
        ("me@n1:2,me@n2:2", ("me@n1", "me@n2"), 2),
        ("fd00::2,10.0.0.1", ("fd00::2", "10.0.0.1"), 0),
        ("[fd00::2]:3,[fe80::1%eth0]:3", ("fd00::2", "fe80::1%eth0"), 3),
        ("n1,n1,n2", ("n1", "n2"), 0),
    ],
)
def test_hosts_are_taken_as_people_write_them(text: str, hosts: tuple[str, ...], each: int) -> None:
    assert hosts_of_list(text) == HostList(hosts=hosts, each=each)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("n1:2,n2:4", "unequal numbers of ranks per host"),
        ("n1:2,n2", "unequal numbers of ranks per host"),
        ("n[4-1]", "4-1 in n"),
        ("n[1-2-3]", "1-2-3 in n"),
        ("n[1-1000000]", "1-1000000 in n"),
        ("a[1-1000]b[1-1000]", "stands for over 100,000 hosts"),
    ],
)
def test_a_list_that_means_nothing_is_one_line(text: str, why: str) -> None:
    with pytest.raises(WeftError, match=re.escape(why)):
        hosts_of_list(text)


def test_a_count_in_the_list_is_the_number_of_ranks_per_node() -> None:
    where = where_of("n[1-2]:3")
    assert (where.allocation.ranks_per_node, where.usual_ranks) == (3, (6,))
    assert where_of("n1:2", ranks_per_node=2).allocation.ranks_per_node == 2
    with pytest.raises(WeftError, match="--hosts has 2 ranks per host, and --ranks-per-node 4"):
        where_of("n1:2", ranks_per_node=4)


def test_starters_get_names_without_users_or_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(name: str, _: object) -> list[Any]:
        if name.startswith("n"):
            family = socket.AF_INET6 if name == "n6" else socket.AF_INET
            return [(family, 0, 0, "", ("fd00::6" if name == "n6" else "10.0.0.1", 0))]
        raise OSError

    def name_of(where: tuple[str, int], _: int) -> tuple[str, str]:
        if where[0] == "fd00::6":
            return ("n6", "0")
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "getnameinfo", name_of)
    assert names_for_mpi("openmpi", ["me@n1", "fd00::6"]) == ["n1", "n6"]
    assert names_for_mpi("mpich", ["me@n1", "n2"]) == ["me@n1", "n2"]
    with pytest.raises(WeftError, match="MPICH's starter cannot reach n6, which has IPv6"):
        names_for_mpi("mpich", ["n1", "n6"])
    with pytest.raises(WeftError, match="fd00::7 has no host name here"):
        names_for_mpi("openmpi", ["fd00::7"])


def test_open_mpi_has_one_user_for_all_hosts() -> None:
    assert user_of(["n1", "n2"]) == ""
    assert user_of(["me@n1", "me@n2"]) == "me"
    with pytest.raises(WeftError, match="Open MPI reaches all hosts as one user"):
        user_of(["me@n1", "n2"])


def test_a_file_of_hosts_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"cannot read .*; use another --hostfile"):
        hosts_of_file(tmp_path / "none")


@pytest.mark.parametrize(
    ("ranks", "nodes", "allocation", "layout"),
    [
        (2, 4, Allocation(), RankLayout(nodes=2, each=1)),
        (8, 4, Allocation(), RankLayout(nodes=4, each=2)),
        (5, 4, Allocation(), RankLayout(nodes=4, each=2)),
        (8, 4, Allocation(placement="pack"), RankLayout(nodes=4, each=2)),
        (8, 4, Allocation(placement="pack", ranks_per_node=4), RankLayout(nodes=2, each=4)),
        (2, 2, Allocation(placement="pack", ranks_per_node=2), RankLayout(nodes=1, each=2)),
    ],
)
def test_ranks_are_laid_out(
    ranks: int, nodes: int, allocation: Allocation, layout: RankLayout
) -> None:
    assert layout_of(ranks, nodes, allocation) == layout


@pytest.mark.parametrize(
    ("placement", "takes_turns", "words"),
    [
        ("spread", True, ()),
        ("pack", False, ()),
        ("same-socket", False, ("--placement", "same-socket")),
        ("other-socket", False, ("--placement", "other-socket")),
        ("near-device", True, ("--placement", "near-device")),
    ],
)
def test_a_placement_says_how_nodes_fill_and_what_ranks_are_given(
    placement: Any, takes_turns: bool, words: tuple[str, ...]
) -> None:
    allocation = Allocation(placement=placement)
    assert (allocation.takes_turns, allocation.words) == (takes_turns, words)
    layout = layout_of(4, 2, Allocation(placement=placement))
    assert layout == RankLayout(nodes=2, each=2)


@pytest.mark.parametrize("placement", ["same-socket", "other-socket"])
def test_a_pair_on_sockets_wants_two_ranks_of_a_node(placement: Any) -> None:
    with pytest.raises(WeftError, match="is for two ranks of a node, and each has one; use --ra"):
        layout_of(2, 2, Allocation(placement=placement))
    each = Allocation(placement=placement, ranks_per_node=2)
    assert layout_of(2, 2, each) == RankLayout(nodes=1, each=2)


def test_another_socket_where_there_is_one_is_one_line() -> None:
    other = Allocation(placement="other-socket")
    with pytest.raises(WeftError, match="n2 has one socket, and --placement other-socket takes tw"):
        other.check_sockets({"n1": 2, "n2": 1})
    other.check_sockets({"n1": 2, "n2": None})
    Allocation(placement="same-socket").check_sockets({"n1": 1})


def test_more_ranks_than_seats_is_one_line() -> None:
    with pytest.raises(WeftError, match="9 ranks do not fit 2 nodes with 4 on each; use --ranks 8"):
        layout_of(9, 2, Allocation(ranks_per_node=4))


def test_more_nodes_than_there_are_is_one_line() -> None:
    with pytest.raises(WeftError, match="3 nodes were asked for, and there are 2: n1, n2"):
        Allocation(nodes=3).chosen(("n1", "n2"))
    assert Allocation(nodes=1).chosen(("n1", "n2")) == ("n1",)
    assert Allocation(hosts=("n2",)).chosen(("n1", "n2")) == ("n2",)


@pytest.mark.parametrize(
    ("asked", "ranks"),
    [({}, 2), ({"nodes": 4}, 4), ({"nodes": 1}, 2), ({"nodes": 4, "ranks_per_node": 2}, 8),
     # Of named hosts as many as nodes were asked for.
     ({"hosts": ("a", "b", "c", "d")}, 4), ({"hosts": ("a", "b", "c", "d"), "nodes": 3}, 3)],
)  # fmt: skip
def test_nodes_have_one_rank_each_where_nobody_says(asked: dict[str, Any], ranks: int) -> None:
    assert Allocation(**asked).usual_ranks == ranks


def test_hosts_that_write_at_once_are_kept_apart() -> None:
    rng = random.Random(1)  # noqa: S311 - an order, no secret
    facts = [{"host": f"n{n}", "noise": rng.randbytes(900).hex()} for n in range(3)]
    each = [lines_of(one, f"mark{number}") for number, one in enumerate(facts)]
    lines = [line for own in each for line in own]
    assert {len(line) for line in lines} == {LINE_BYTES}
    rng.shuffle(lines)
    text = b"".join([b"a site's greeting\n", *lines]).decode()
    assert sorted(one["host"] for one in facts_in(text.splitlines())) == ["n0", "n1", "n2"]
    lost = [line.decode() for line in lines if not line.startswith(each[1][-1][:24])]
    assert sorted(one["host"] for one in facts_in(lost)) == ["n0", "n2"]
    bad = base64.b64encode(zlib.compress(b"[1]")).decode()
    assert facts_in([f"weft-host m 1/1 {bad}", "weft-host m2 1/1 AAAA"]) == []


def _says(*facts: dict[str, Any]) -> list[str]:
    """A starter that writes what these hosts would."""
    lines = b"".join(b"".join(lines_of(one, f"m{n}")) for n, one in enumerate(facts))
    return [sys.executable, "-c", f"import sys; sys.stdout.buffer.write({lines!r}); sys.exit(1)"]


def _saying(*facts: dict[str, Any]) -> Callable[[Sequence[str]], list[str]]:
    return lambda _: _says(*facts)


def test_a_host_that_does_not_answer_is_named() -> None:
    with pytest.raises(WeftError, match="n2 did not answer"):
        ask_hosts(_saying({"host": "n1.site"}), os.environ, ["n1", "n2"])


def test_a_starter_that_never_ends_is_not_waited_for() -> None:
    with pytest.raises(WeftError, match=r"n1, n2 did not answer \(no answer in 0.5 s\)"):
        ask_hosts(lambda _: ["sleep", "600"], os.environ, ["n1", "n2"], deadline_s=0.5)


def test_a_host_whose_answer_the_starter_lost_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As often as TRIES says, and not where the starter itself failed; all answers count."""
    pauses: list[float] = []
    monkeypatch.setattr(asking, "time", SimpleNamespace(time=time.time, sleep=pauses.append))
    one, other = (b"".join(lines_of({"host": host}, host)) for host in ("n1", "n2"))
    script = (
        "import pathlib, sys; seen = pathlib.Path(sys.argv[1]); seen.open('a').write('.');"
        f"late = len(seen.read_text()) == int(sys.argv[2]); said = {other!r} if late else {one!r};"
        "sys.stdout.buffer.write(said); sys.exit(int(sys.argv[3]))"
    )

    def ask(name: str, answers_at: int, status: int = 0) -> dict[str, dict[str, Any]]:
        words = [sys.executable, "-c", script, str(tmp_path / name), str(answers_at), str(status)]

        def starting(some: Sequence[str]) -> list[str]:
            asked_of.append([*some])
            return words

        return ask_hosts(starting, os.environ, ["n1", "n2"])

    asked_of: list[list[str]] = []
    assert list(ask("second", 2)) == ["n1", "n2"]
    # Who answered is not asked again: of 64 hosts three tries took three times 15 s.
    assert asked_of == [["n1", "n2"], ["n2"]]
    assert (tmp_path / "second").read_text() == ".."
    assert pauses == [0.2]
    lines = one.count(b"\n")
    why = f"the starter ended well {TRIES} times without their answers, and wrote {lines} lines"
    failed = "the starter ended with exit status 1"
    for name, status, asked, reason in (
        ("never", 0, "." * TRIES, why), ("failed", 1, ".", failed)
    ):  # fmt: skip
        pauses.clear()
        with pytest.raises(WeftError, match=rf"n2 did not answer \({reason}"):
            ask(name, 99, status)
        assert (tmp_path / name).read_text() == asked
        assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2][: len(asked) - 1]


def test_of_several_missing_hosts_those_are_listed_that_do_not_answer_alone() -> None:
    """Open MPI starts nothing on n1 and n3 if it cannot start its daemon on n2."""
    asked: list[list[str]] = []

    def starting(some: Sequence[str]) -> list[str]:
        asked.append([*some])
        answers = [{"host": host} for host in some if host != "n2" and len(some) == 1]
        return _says(*answers)

    with pytest.raises(WeftError) as refused:
        ask_hosts(starting, os.environ, ["n1", "n2", "n3"])
    assert refused.value.what.startswith("n2 did not answer (")
    assert sorted(asked) == [["n1"], ["n1", "n2", "n3"], ["n2"], ["n3"]]


def test_a_host_that_ssh_cannot_use_is_listed_alone() -> None:
    line = "ssh: connect to host n2 port 22: Connection refused"
    words = [sys.executable, "-c", f"import sys; sys.exit({line!r})"]
    with pytest.raises(WeftError) as refused:
        ask_hosts(lambda _: words, os.environ, ["n1", "me@n2", "n3"])
    assert refused.value.what == f"me@n2 did not answer ({line})"


def test_two_hosts_of_one_name_are_refused() -> None:
    with pytest.raises(WeftError, match="two hosts have the name n1"):
        ask_hosts(_saying({"host": "n1"}, {"host": "n1"}), os.environ, ["n1", "n2"])
    twice = [{"host": "n1", "asked": asked} for asked in ("n1", "n1-ib")]
    with pytest.raises(WeftError, match=r"two hosts have the name n1 \(n1 and n1-ib\)"):
        ask_hosts(_saying(*twice), os.environ, ["n1", "n1-ib"])


def test_hosts_that_were_asked_by_other_names_are_in_the_order_of_those() -> None:
    nodes = [f"n{number}-ib" for number in (3, 10, 1)]
    facts = [{"host": node.partition("-")[0], "asked": node} for node in sorted(nodes)]
    found = ask_hosts(_saying(*facts), os.environ, nodes)
    assert {host: one["asked"] for host, one in found.items()} == {
        "n3": "n3-ib", "n10": "n10-ib", "n1": "n1-ib"
    }  # fmt: skip
    assert list(found) == ["n3", "n10", "n1"]
    with pytest.raises(WeftError, match=r"^n10-ib did not answer"):
        ask_hosts(_saying(facts[0], facts[2]), os.environ, nodes)


@pytest.mark.parametrize("own", ["n1", "N1", "n1.site", "N1.Site"])
@pytest.mark.parametrize("asked", ["n1", "N1", "n1.site"])
def test_a_host_that_does_not_repeat_the_asked_name_is_known_by_its_own(
    own: str, asked: str
) -> None:
    [(host, facts)] = ask_hosts(_saying({"host": own}), os.environ, [asked]).items()
    assert (host, facts["asked"] or host) == (own, asked)


def test_the_hosts_come_in_the_nodes_order_with_the_callers_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UCX_TLS", "tcp")
    facts = [{"host": host, "environment": {"PMIX_RANK": "3"}} for host in ("n2", "n1")]
    found = ask_hosts(_saying(*facts), os.environ, ["n1", "n2"])
    assert list(found) == ["n1", "n2"]
    assert found["n1"]["environment"]["UCX_TLS"] == "tcp"
    assert "PMIX_RANK" not in found["n1"]["environment"]


def test_a_clock_that_read_a_time_before_or_after_the_step_is_reported() -> None:
    then = {"host": "n1", "collected_utc": "2020-01-01T00:00:00.000+00:00"}
    later = {"host": "n2", "collected_utc": "2099-01-01T00:00:00.000+00:00"}
    found = ask_hosts(_saying(then, later), os.environ, ["n1", "n2"])
    assert found["n1"]["clock_s"] < -1e6
    assert found["n2"]["clock_s"] > 1e6


@pytest.mark.parametrize(("read_s", "ahead_s"), [(95, -3), (98, 0), (101, 0), (104, 0), (107, 3)])
def test_a_clock_that_read_a_time_within_the_step_is_right(
    monkeypatch: pytest.MonkeyPatch, read_s: int, ahead_s: int
) -> None:
    """Asking took from second 98 to second 104."""
    times = iter((98.0, 104.0))
    monkeypatch.setattr(asking, "time", SimpleNamespace(time=lambda: next(times)))
    facts = {"host": "n1", "collected_utc": f"1970-01-01T00:0{read_s // 60}:{read_s % 60}+00:00"}
    assert ask_hosts(_saying(facts), os.environ, ["n1"])["n1"]["clock_s"] == ahead_s


def test_this_host_speaks_in_lines_that_can_be_read() -> None:
    words = [sys.executable, "-m", "weft.host"]
    said = subprocess.run([*words, "--lines"], capture_output=True, text=True, check=True).stdout
    [facts] = facts_in(said.splitlines())
    whole = msgspec.json.decode(subprocess.run(words, capture_output=True, check=True).stdout)
    assert facts["host"] == whole["host"]
    assert facts["load"]["total"] >= 0
    assert facts["weft"]


@pytest.mark.parametrize(
    ("interface", "device", "options"),
    [
        ("", "", {}),
        (
            "ib0",
            "",
            {
                "mpi.interface": "ib0",
                "tcp.interface": "ib0",
                "ucx.device": "ib0",
                "ofi.domain": "ib0",
            },
        ),
        (
            "",
            "mlx5_0",
            {"verbs.device": "mlx5_0", "ucx.device": "mlx5_0:1", "ofi.domain": "mlx5_0"},
        ),
        (
            "ib0",
            "mlx5_0:2",
            {
                "mpi.interface": "ib0",
                "tcp.interface": "ib0",
                "verbs.device": "mlx5_0:2",
                "ucx.device": "mlx5_0:2",
                "ofi.domain": "mlx5_0:2",
            },
        ),
    ],
)
def test_an_interface_and_a_device_are_settings_of_the_transports(
    interface: str, device: str, options: dict[str, str]
) -> None:
    transports = ("mpi", "tcp", "tcp:stripe", "ucx", "ofi", "verbs")
    assert chosen_devices(transports, interface, device) == options
    assert chosen_devices(("verbs",), interface, "") == {}


@pytest.mark.parametrize(
    ("transport", "option", "devices"),
    [
        ("verbs", "verbs.device", ("a", "b")),
        ("verbs:ud", "verbs.device", ("a", "b")),
        ("verbs:stripe", "verbs.device", ()),
        ("verbs:turn", "verbs.device", ()),
        ("tcp", "tcp.interface", ()),
        ("mpi", "verbs.device", ()),
    ],
)
def test_ranks_of_a_host_take_a_list_of_devices_in_turn_where_each_has_one(
    transport: str, option: str, devices: tuple[str, ...]
) -> None:
    assert devices_in_turn(transport, {option: "a,b"}) == devices
    assert devices_in_turn(transport, {option: "a"}) == ()


def test_the_network_is_that_in_which_all_hosts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {"n1": "10.7.0.1", "n2": "10.7.0.2", "far": "192.0.2.1"}
    card = [SimpleNamespace(address="10.7.0.250", netmask="255.255.255.0")]
    way = SimpleNamespace(connect=lambda _: None, getsockname=lambda: ("10.7.0.250", 1))
    monkeypatch.setattr(socket, "gethostbyname", addresses.__getitem__)
    monkeypatch.setattr(socket, "socket", lambda *_: contextlib.nullcontext(way))
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: {"eth0": card})
    assert network_of(["n1", "n2"]) == "10.7.0.0/24"
    assert network_of(["n1", "far"]) == ""
    assert network_of([os.uname().nodename]) == ""


def test_a_host_that_nobody_knows_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def known(name: str, _: None) -> list[str]:
        if name != "n1":
            raise OSError
        return ["an address"]

    monkeypatch.setattr("socket.getaddrinfo", known)

    # An alias of ssh's settings is reached by ssh, whatever the resolver says.
    def settings(words: list[str], _: float) -> subprocess.CompletedProcess[str] | None:
        assert words[:-1] == ["ssh", "-G"]
        named = {"alias": "port 22\nhostname 10.0.0.9\n", "odd": "port 22\n"}
        said = named.get(words[-1], f"hostname {words[-1]}\n")
        return None if words[-1] == "no-ssh" else subprocess.CompletedProcess(words, 0, said, "")

    monkeypatch.setattr("weft.launch.nodes.answer", settings)
    check_known(["n1", "localhost", "alias"])
    for unknown in ("odd", "no-ssh"):
        with pytest.raises(WeftError, match=f"there is no host called {unknown} here"):
            check_known(["n1", unknown])
    with pytest.raises(WeftError, match=r"there is no host called nix here; check --hosts"):
        check_known(["n1", "nix"])


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("localhost", True),
        ("::1", True),
        ("me@head", True),
        ("HEAD", True),
        ("127.0.0.1", True),
        ("head.site.org", True),
        ("head", True),
        ("head.site", False),
        ("site.org", False),
        ("127.0.0.2", False),
        ("n1", False),
        ("", False),
    ],
)
def test_this_machine_has_its_own_name_with_and_without_its_domain(
    host: str, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.uname()
    called = os.uname_result((own.sysname, "head.site.org", own.release, own.version, own.machine))
    monkeypatch.setattr(os, "uname", lambda: called)
    assert is_this_machine(host) is is_here


def test_a_scontrol_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.launch.nodes.answer", lambda *_: None)
    monkeypatch.setattr("weft.launch.nodes.shutil.which", lambda _: "/nowhere/scontrol")
    environment = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "silent[1-2]"}
    with pytest.raises(WeftError) as refused:
        hosts_of_site(environment)
    assert refused.value.what == "scontrol did not answer in 20 s"
    assert refused.value.fix == "look whether Slurm works: sinfo"
