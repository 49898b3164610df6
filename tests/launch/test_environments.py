"""The environment of ranks: who says which variable, and what killed ranks leave behind."""

import os
from pathlib import Path

import pytest

from weft.launch import left_behind
from weft.launch.environment import LOOPBACK, environment_of_ranks
from weft.launch.local import LocalLauncher
from weft.plan.allocation import Allocation

INCLUDED = {"OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_btl_tcp_if_include"}


def set_to(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    monkeypatch.setattr(os, "environ", {"PATH": "/bin", **variables})


def test_the_job_says_more_than_the_user_and_the_user_more_than_weft(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_to(monkeypatch)
    assert environment_of_ranks({}) == {
        "UCX_LOG_FILE": "stderr",
        "PATH": "/bin",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    set_to(monkeypatch, UCX_LOG_FILE="mine", UCX_TLS="tcp", OMPI_ALLOW_RUN_AS_ROOT="0")
    found = environment_of_ranks({"UCX_TLS": "rc", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "0"})
    assert (found["UCX_LOG_FILE"], found["UCX_TLS"]) == ("mine", "rc")
    assert found["OMPI_ALLOW_RUN_AS_ROOT"] == found["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_daemons_and_ranks_meet_on_the_network_unless_the_user_says_where(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_to(monkeypatch)
    found = environment_of_ranks({}, "10.0.0.0/24")
    assert {name: found.get(name) for name in INCLUDED} == dict.fromkeys(INCLUDED, "10.0.0.0/24")
    assert not INCLUDED & environment_of_ranks({}).keys()
    set_to(monkeypatch, OMPI_MCA_btl_tcp_if_include="eth9")
    found = environment_of_ranks({}, "lo")
    assert found["OMPI_MCA_btl_tcp_if_include"] == "eth9"
    assert found["OMPI_MCA_oob_tcp_if_include"] == "lo"
    # Open MPI takes no list of both: who excludes some has said it.
    set_to(monkeypatch, OMPI_MCA_oob_tcp_if_exclude="eth9")
    found = environment_of_ranks({}, "lo")
    assert INCLUDED & found.keys() == {"OMPI_MCA_btl_tcp_if_include"}


def test_the_starter_listens_for_its_ranks_on_the_loopback_where_all_are_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "PMIX_MCA_ptl_tcp_if_include"
    set_to(monkeypatch)
    assert environment_of_ranks({}, LOOPBACK)[name] == "lo"
    assert name not in environment_of_ranks({}, "10.0.0.0/24")
    set_to(monkeypatch, PMIX_MCA_ptl_tcp_if_include="eth9")
    assert environment_of_ranks({}, LOOPBACK)[name] == "eth9"


def test_only_the_files_of_killed_ranks_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "SHARED_MEMORY", tmp_path)
    for name in ("17:0:fi", "17:1:fi", "170:0:fi", "9:0:fi", "17"):
        (tmp_path / name).write_text("")
    left_behind.clear_shared_memory([17, 3])
    assert {path.name for path in tmp_path.iterdir()} == {"170:0:fi", "9:0:fi", "17"}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, ""),
        ({"nodes": 1}, ""),
        ({"nodes": 2}, "this machine is not 2 nodes"),
        ({"hosts": ("localhost",)}, ""),
        ({"hosts": ("localhost", "far.away", "further")}, "far.away is not this machine"),
    ],
)
def test_this_machine_is_one_node_and_no_other(asked: dict[str, object], why: str) -> None:
    assert LocalLauncher().refuses(Allocation(**asked)) == why  # type: ignore[arg-type]
