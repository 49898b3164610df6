"""What hosts are, asked by one launch of mpirun: a process a host, in no rank's environment."""

from pathlib import Path
from typing import Any

import pytest

from weft.errors import WeftError
from weft.launch import mpirun, starters
from weft.launch.mpirun import MpirunLauncher
from weft.plan.allocation import Allocation

HOSTS = ("n3", "n1", "n2")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """How mpirun is started and hosts are asked; there is an mpirun of one MPI alone."""
    calls: list[Any] = []

    def ask(*words: Any) -> dict[str, dict[str, Any]]:
        calls.append(words)
        return {"n1": {"host": "n1"}}

    monkeypatch.setattr(mpirun, "hosts_of_site", lambda: HOSTS)
    monkeypatch.setattr(mpirun, "has_starter", lambda mpi: mpi == "mpich")
    monkeypatch.setattr(mpirun, "network_of", lambda nodes: ("network of", tuple(nodes)))
    monkeypatch.setattr(
        mpirun, "environment_of_ranks", lambda own, network="": {"OF": repr((own, network))}
    )
    monkeypatch.setattr(mpirun, "command_on_nodes", lambda asked: ("weft.host", asked))
    monkeypatch.setattr(starters, "starter", lambda mpi: f"mpirun.{mpi}")
    monkeypatch.setattr(mpirun, "ask_hosts", ask)
    return calls


def test_one_process_a_host_is_spread_over_all_hosts(asked: list[Any]) -> None:
    assert MpirunLauncher().manifests(Allocation(), 12.5) == {"n1": {"host": "n1"}}
    [(starting, environment, nodes, deadline_s)] = asked
    command = " ".join(starting(HOSTS))
    start, _, rest = command.partition(" -hosts ")
    assert start == "setpriv --pdeathsig TERM mpirun.mpich -bind-to none"
    each = " : ".join(f"-n 1 weft.host {host}" for host in HOSTS)
    assert rest == f"n3:1,n1:1,n2:1 {each}"
    assert environment == {"OF": repr(({}, ("network of", HOSTS)))}
    assert (nodes, deadline_s) == (HOSTS, 12.5)


def test_open_mpi_5_is_asked_by_prterun(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "prterun").touch()
    monkeypatch.setattr(mpirun, "has_starter", lambda mpi: mpi == "openmpi")
    monkeypatch.setattr(starters, "starter", lambda _: str(tmp_path / "mpirun.openmpi"))
    MpirunLauncher().manifests(Allocation())
    command = " ".join(asked[0][0](HOSTS))
    assert command.startswith(f"setpriv --pdeathsig TERM {tmp_path}/prterun --bind-to none --host")
    assert command.count(" : ") == 2


def test_without_any_mpirun_nobody_is_asked(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mpirun, "has_starter", lambda _: False)
    with pytest.raises(WeftError, match="no mpirun is installed"):
        MpirunLauncher().manifests(Allocation())
    assert asked == []


@pytest.mark.parametrize(
    ("hosts", "why"),
    [
        (("n1",), "n1 is this machine"), (("n1", "n1.a"), "n1 is this machine"),
        (("n1", "n2"), ""), (("n2", "n1"), ""), (("n2",), ""),
    ],
)  # fmt: skip
def test_this_machine_among_others_is_a_host(
    hosts: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mpirun, "is_this_machine", lambda host: host.partition(".")[0] == "n1")
    assert MpirunLauncher().refuses(Allocation(hosts=hosts)) == why
    monkeypatch.setattr(mpirun, "hosts_of_site", lambda: hosts)
    assert MpirunLauncher().refuses(Allocation()) == why
