"""What is found of a site: its facts for a plan, and what is refused before any rank starts."""

from pathlib import Path
from typing import Any

import pytest

import weft
from support.scripted import lay_out_rank
from weft.errors import WeftError
from weft.launch.local import LocalLauncher
from weft.launch.site import FoundSite, find_site
from weft.plan.allocation import Allocation

GIB = 1 << 30


class Sites(LocalLauncher):
    """This machine, under the names of hosts that were made up."""

    def __init__(self, hosts: dict[str, dict[str, Any]]) -> None:
        self.hosts = hosts

    def starts(self, mpi: str) -> bool:
        return mpi == "mpich"

    def manifests(self, _: Allocation, __: float = 0) -> dict[str, dict[str, Any]]:
        return self.hosts


def manifest(cores: int, free: int | None, **more: Any) -> dict[str, Any]:
    return {
        "weft": weft.__version__,
        "cpu": {"allowed_cpus": list(range(cores)), "sockets": 1},
        "memory": {"available_bytes": free},
        **more,
    }


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, **hosts: dict[str, Any]) -> FoundSite:
    lay_out_rank(folder / "engine", "mpich")
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(folder / "engine"))
    return find_site("", Allocation(), launchers=(Sites(hosts),))


def test_the_facts_of_a_site_are_of_all_its_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = found(tmp_path, monkeypatch, n1=manifest(4, 8 * GIB), n2=manifest(2, 2 * GIB))
    facts = site.facts()
    assert (facts.hosts, facts.cores, facts.available_bytes) == (2, 6, 2 * GIB)
    assert facts.sockets == {"n1": 1, "n2": 1}
    assert (facts.launcher, facts.mpi) == ("local", "mpich")
    transports = {one.name: one.reason for one in facts.transports}
    assert set(site.usable) == {name for name, reason in transports.items() if not reason}
    assert transports["fake:absent"] == "no device"
    assert "depth" in [one.name for one in facts.transports[0].settings]
    assert "ping_pong" in facts.patterns


def test_memory_that_no_host_tells_is_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = found(tmp_path, monkeypatch, n1=manifest(1, None)).facts()
    assert facts.available_bytes is not None
    assert facts.available_bytes > 1 << 60


def test_sockets_are_nobodys_where_hwloc_is_given_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = found(tmp_path, monkeypatch, n1=manifest(1, GIB))
    monkeypatch.setenv("HWLOC_SYNTHETIC", "package:2 core:2 pu:1")
    assert site.facts().sockets == {}


def test_hosts_of_another_weft_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = manifest(1, GIB, weft="0.0.1")
    with pytest.raises(WeftError, match="hosts have other versions of weft"):
        found(tmp_path, monkeypatch, n1=manifest(1, GIB), n2=other)


@pytest.mark.parametrize(
    ("names", "gone"),
    [
        (("n1", "n2"), ("n2",)),
        (("n1", "n2", "n3"), ("n2",)),
        (("n1", "n2", "n3", "n4"), ("n1", "n4")),
    ],
)
def test_the_hosts_that_do_not_answer_any_more_are_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, ...],
    gone: tuple[str, ...],
) -> None:
    hosts = {name: manifest(1, GIB) for name in names}
    site = found(tmp_path, monkeypatch, **hosts)
    assert site.silent() == {}

    def lost(_: Sites, allocation: Allocation, __: float) -> dict[str, dict[str, Any]]:
        [host] = allocation.hosts
        if host in gone:
            raise WeftError(f"{host} did not say what it is", "see whether it is up")
        return site.hosts

    monkeypatch.setattr(Sites, "manifests", lost)
    assert site.silent() == {name: name for name in gone}


def test_a_silent_host_is_found_by_the_name_that_it_was_asked_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts were listed as n3, n1, n2, by address."""
    addresses = {"n3": "10.0.0.3", "n1": "10.0.0.1", "n2": "10.0.0.2"}
    hosts = {name: manifest(1, GIB, asked=address) for name, address in addresses.items()}
    site = found(tmp_path, monkeypatch, **hosts)

    def lost(_: Sites, allocation: Allocation, __: float) -> dict[str, dict[str, Any]]:
        [host] = allocation.hosts
        if host == addresses["n3"]:
            raise WeftError(f"{host} did not say what it is", "see whether it is up")
        return site.hosts

    monkeypatch.setattr(Sites, "manifests", lost)
    assert site.silent() == {"n3": "n3 (10.0.0.3)"}


def test_one_host_is_not_asked_whether_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = found(tmp_path, monkeypatch, n1=manifest(1, GIB))
    monkeypatch.setattr(Sites, "manifests", None)
    assert site.silent() == {}
