"""What differs between hosts: one line a difference, the odd ones named first."""

from typing import Any

import pytest

import weft
from weft.errors import WeftError
from weft.host.every import of_hosts
from weft.host.finding import Finding
from weft.host.manifest import collect
from weft.host.unlike import check_versions, unlike_hosts


def _hosts(count: int, **odd: dict[str, Any]) -> dict[str, dict[str, Any]]:
    usual = {
        "cpu": {"governor": "performance", "turbo": False},
        "memory": {"total_bytes": 256 << 30},
        "software": {"libraries": {"ucx": "1.15"}},
        "interfaces": [
            {"name": "lo", "mtu": 65536}, {"name": "eth0", "mtu": 9000, "speed_mbit_per_s": 25000}
        ],
        "rdma": [{"name": "mlx5_0", "firmware": "20.1", "ports": [{"port": 1, "rate": "100 Gb"}]}],
    }  # fmt: skip
    return {f"n{n}": {**usual, **odd.get(f"n{n}", {})} for n in range(1, count + 1)}


@pytest.mark.parametrize(
    ("odd", "line"),
    [
        ({"cpu": {"governor": "powersave", "turbo": False}},
         "n3: governor powersave, others performance"),
        ({"cpu": {"governor": "performance", "turbo": True}}, "n3: turbo on, others off"),
        ({"software": {"libraries": {"ucx": "1.13"}}}, "n3: ucx 1.13, others 1.15"),
        ({"software": {"libraries": {}}}, "n3: ucx none, others 1.15"),
        ({"software": {"libraries": None}},
         "n3: packages not known: dpkg is busy, others known"),
        ({"memory": {"total_bytes": 128 << 30}}, "n3: memory 128 GiB, others 256 GiB"),
        ({"interfaces": [{"name": "eth0", "mtu": 1500, "speed_mbit_per_s": 25000}]},
         "n3: eth0 mtu 1500, others 9000"),
        ({"rdma": [{"name": "mlx5_0", "firmware": "20.0",
                    "ports": [{"port": 1, "rate": "100 Gb"}]}]},
         "n3: mlx5_0 firmware 20.0, others 20.1"),
        ({"rdma": [{"name": "mlx5_0", "firmware": "20.1",
                    "ports": [{"port": 1, "rate": "50 Gb"}]}]},
         "n3: mlx5_0 port 1 50 Gb, others 100 Gb"),
        ({"clock_s": -12.34}, "n3: its clock is at least 12.3 s behind this host's"),
    ],
)  # fmt: skip
def test_the_odd_host_is_named(odd: dict[str, Any], line: str) -> None:
    assert unlike_hosts(_hosts(4, n3=odd)) == (line,)


def test_hosts_that_are_alike_or_alone_have_no_line() -> None:
    assert unlike_hosts(_hosts(4)) == ()
    assert unlike_hosts(_hosts(1, n1={"clock_s": -5})) == ()
    this = collect()
    assert unlike_hosts({"a": this, "b": {**this, "host": "b"}}) == ()


def test_hosts_of_the_same_oddity_share_a_line_and_halves_are_both_named() -> None:
    slow = {"cpu": {"governor": "powersave", "turbo": False}}
    assert unlike_hosts(_hosts(5, n2=slow, n4=slow)) == (
        "n2, n4: governor powersave, others performance",
    )
    assert unlike_hosts(_hosts(2, n2=slow)) == ("governor: n1 performance, n2 powersave",)


def test_a_little_memory_more_is_no_difference() -> None:
    assert unlike_hosts(_hosts(3, n1={"memory": {"total_bytes": (256 << 30) + 1000}})) == ()


def test_other_versions_of_weft_are_refused_in_one_line() -> None:
    same, other = {"weft": weft.__version__}, {"weft": "9.9"}
    check_versions({"n1": same, "n2": same, "n3": {}})
    with pytest.raises(WeftError, match=f"{weft.__version__} here, 9.9 on n2; install the same"):
        check_versions({"n1": same, "n2": other})
    stale = {**same, "engine": "0.0.9"}
    with pytest.raises(WeftError, match=r"here, rank programs of 0\.0\.9 on n2; install the same"):
        check_versions({"n1": {**same, "engine": weft.__version__}, "n2": stale})


def test_a_finding_about_some_hosts_names_them() -> None:
    everywhere = Finding(check="a", level="note", what="all of them")
    here = Finding(check="b", level="warning", what="slow")
    found = of_hosts({"n1": [everywhere], "n2": [everywhere, here]})
    assert [finding.what for finding in found] == ["n2: slow", "all of them"]
    assert [finding.what for finding in of_hosts({"n1": [here]})] == ["slow"]
