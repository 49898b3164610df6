"""How many nodes a job asks for, and which transports a shell offers."""

from pathlib import Path
from typing import Any

import pytest

from weft.cli import completion
from weft.cli.submit import USUAL_NODES, nodes_of
from weft.launch.programs import Program


@pytest.mark.parametrize(
    ("nodes", "hosts", "asked"),
    [(2, "n1,n2,n3,n4", 2), (0, "n1,n2,n3,n4", 4), (5, "", 5), (0, "", USUAL_NODES)],
)
def test_nodes_that_are_typed_go_before_the_hosts_that_are_named(
    nodes: int, hosts: str, asked: int
) -> None:
    params: dict[str, Any] = {
        "nodes": nodes, "hosts": hosts, "hostfile": None, "nodelist": ""
    }  # fmt: skip
    assert nodes_of(params) == asked


def test_a_shell_offers_the_transports_that_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(name: str, reason: str = "") -> Program:
        return Program(transport=name, mpi="openmpi", path=Path(name), reason=reason)

    known = (program("tcp"), program("verbs", "no device"), program("ucx"))
    monkeypatch.setattr(completion, "_programs", lambda: known)
    assert completion._transports("") == ["tcp", "ucx"]
    assert completion._transports("tcp,") == ["tcp,ucx"]
    assert completion._transports("ver") == []
