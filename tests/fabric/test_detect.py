"""The link of a record: told by its manifests, typed by its user, or not known."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.builders import HOST, make_cases, synthetic_record
from support.printed import result_of
from weft.analysis.first_figures import first_figures
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.fabric.detect import detected_link, device_on, link_of_device
from weft.fabric.peaks import parse_link
from weft.record.run import Run

HOP = {"address": "0000:01:00.0", "speed_gt_per_s": 8.0, "width": 8}


def ethernet(speed: int | None, driver: str | None = "mlx5_core") -> dict[str, Any]:
    return {"interfaces": [{"name": "eth0", "driver": driver, "speed_mbit_per_s": speed}]}


def device(rate: str, layer: str = "InfiniBand", hops: tuple[Any, ...] = (HOP,)) -> dict[str, Any]:
    ports = [{"port": 1, "state": "4: ACTIVE", "rate": rate, "link_layer": layer}]
    return {"rdma": [{"name": "mlx5_0", "ports": ports, "pcie": list(hops)}]}


def on_two_hosts(
    record: Path, details: dict[str, str], first: dict[str, Any], second: dict[str, Any]
) -> Run:
    """The record as if its two ranks had been on two hosts with these manifests."""
    run = weft.load(record)
    hosts = {"node1": {**HOST, **first}, "node2": {**HOST, "host": "node2", **second}}
    launches = tuple(
        msgspec.structs.replace(
            launch,
            ranks=(launch.ranks[0], msgspec.structs.replace(launch.ranks[1], host="node2")),
            details=details,
        )
        for launch in run.lines.launches
    )
    header = msgspec.structs.replace(run.header, hosts=hosts)
    return Run(record, msgspec.structs.replace(run.lines, header=header, launches=launches))


@pytest.mark.parametrize(
    ("details", "manifest", "link"),
    [
        ({"interface": "eth0"}, ethernet(25000), "Ethernet 25G"),
        ({"interface": "eth0"}, ethernet(2500), "Ethernet 2.5G"),
        ({"device": "mlx5_0"}, device("56 Gb/sec (4X FDR)"), "InfiniBand 4x FDR"),
        ({"device": "mlx5_0:1"}, device("100 Gb/sec (2X HDR)"), "InfiniBand 2x HDR"),
        ({"device": "mlx5_0:1"}, device("100 Gb/sec (4X EDR)", "Ethernet"), "RoCE 100G"),
        (
            {"lanes": "rc_mlx5/mlx5_0:1 (am am_bw#0), ud_mlx5/mlx5_0:1 (wireup)"},
            device("200 Gb/sec (4X HDR)"),
            "InfiniBand 4x HDR",
        ),
        ({"device": "mlx5_0", "port": "1"}, device("400 Gb/sec (4X NDR)"), "InfiniBand 4x NDR"),
        ({"lanes": "tcp/eth0 (am)"}, ethernet(10000), "Ethernet 10G"),
    ],
)
def test_a_link_is_known_from_the_manifests(
    record: Path, details: dict[str, str], manifest: dict[str, Any], link: str
) -> None:
    found = detected_link(on_two_hosts(record, details, manifest, manifest), "tcp")
    assert found == parse_link(link)


@pytest.mark.parametrize(
    ("details", "first", "second"),
    [
        ({"interface": "eth0"}, ethernet(10000, "veth"), ethernet(10000, "veth")),
        ({"interface": "eth0"}, ethernet(10000, None), ethernet(10000, None)),
        ({"interface": "eth0"}, ethernet(None), ethernet(None)),
        ({"interface": "eth0"}, ethernet(100), ethernet(100)),  # older than what we know
        ({"interface": "eth0"}, ethernet(10000), ethernet(25000)),
        ({"interface": "eth0"}, ethernet(10000), {}),
        ({"interface": "eth1"}, ethernet(10000), ethernet(10000)),
        ({"device": "rxe0"}, device("10 Gb/sec (4X SDR)"), device("10 Gb/sec (4X SDR)")),
        (
            {"device": "mlx5_0, mlx5_1", "port": "1"},
            device("56 Gb/sec (4X FDR)"),
            device("56 Gb/sec (4X FDR)"),
        ),
        (
            {"device": "mlx5_0", "port": "2"},
            device("56 Gb/sec (4X FDR)"),
            device("56 Gb/sec (4X FDR)"),
        ),
        ({"device": "mlx5_0:2"}, device("56 Gb/sec (4X FDR)"), device("56 Gb/sec (4X FDR)")),
        (
            {"device": "mlx5_0"},
            device("10 Gb/sec (4X SDR)", hops=()),
            device("10 Gb/sec (4X SDR)", hops=()),
        ),
        (
            {"lanes": "rc_mlx5/mlx5_0:1 (am), rc_mlx5/mlx5_1:1 (am_bw#1)"},
            device("56 Gb/sec (4X FDR)"),
            device("56 Gb/sec (4X FDR)"),
        ),
        ({"lanes": "posix/memory (am), cma/memory"}, ethernet(10000), ethernet(10000)),
        ({"lanes": ""}, ethernet(10000), ethernet(10000)),
        ({}, ethernet(10000), ethernet(10000)),  # MPI does not say what it used
    ],
)
def test_a_link_that_is_not_told_is_not_guessed(
    record: Path, details: dict[str, str], first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert detected_link(on_two_hosts(record, details, first, second), "tcp") is None


def test_ranks_on_one_host_cross_no_link(record: Path) -> None:
    assert detected_link(weft.load(record), "tcp") is None


def test_every_bandwidth_has_its_share_of_the_peak(record: Path) -> None:
    link = parse_link("400GbE")
    for summary in summarise(weft.load(record), link):
        bandwidth = summary.bandwidth_bytes_per_s
        both = summary.test == "bidirectional_stream"
        if bandwidth is None:
            assert summary.percent_of_peak is None
        else:
            assert summary.peak_bytes_per_s == (100e9 if both else 50e9)
            share = bandwidth.value / (100e9 if both else 50e9)
            assert summary.percent_of_peak == pytest.approx(100 * share)
            assert not any("over the peak" in flag for flag in summary.flags)


def test_the_first_figures_have_the_share_of_the_bandwidth_that_they_show(record: Path) -> None:
    run = weft.load(record)
    summaries = summarise(run, parse_link("400GbE"))
    shares = {(one.transport, one.bytes): one.percent_of_peak for one in summaries
              if one.test == "stream"}  # fmt: skip
    found = first_figures(run, summaries)
    assert found
    for one in found:
        assert one.percent_of_peak is not None
        share = shares[one.transport, one.bandwidth_bytes]
        assert one.percent_of_peak.value == pytest.approx(share)
        assert one.link == "Ethernet 400G"


def test_a_bandwidth_over_the_peak_is_flagged(record: Path) -> None:
    summaries = summarise(weft.load(record), parse_link("1GbE"))
    over = {s.case for s in summaries if any("over the peak of Ethernet 1G" in f for f in s.flags)}
    faster = {
        s.case
        for s in summaries
        if s.bandwidth_bytes_per_s and s.bandwidth_bytes_per_s.low > (s.peak_bytes_per_s or 0)
    }
    assert over == faster
    assert over


def test_without_a_link_nothing_is_said_of_peaks(record: Path) -> None:
    assert all(s.percent_of_peak is None and not s.link for s in summarise(weft.load(record)))
    assert "of peak" not in CliRunner().invoke(app, ["show", str(record)]).output


def test_show_tells_the_share_and_its_link(tmp_path: Path) -> None:
    cases = make_cases(tests=("stream",), transports=("tcp",), sizes=(1048576,))
    record = synthetic_record(tmp_path / "a.jsonl", cases)
    shown = CliRunner().invoke(app, ["show", str(record), "--link", "100GbE"]).output
    # 1 MiB in 2,000 ns + 0.1 ns a byte
    percent = 100 * 2**20 / (2000e-9 + 0.1e-9 * 2**20) / 12.5e9
    assert f"({percent:.1f} % of peak)" in shown
    assert "Peak of Ethernet 100G over tcp: 12.5 GB/s." in shown
    [row] = result_of(
        CliRunner().invoke(app, ["show", str(record), "--link", "100GbE", "--json"]).output
    )
    assert row["link"] == "Ethernet 100G"
    assert row["percent_of_peak"] == pytest.approx(percent, rel=1e-4)


@pytest.mark.usefixtures("undrawn")
def test_the_report_tells_the_share_and_its_link(record: Path) -> None:
    page = record.with_suffix(".html")
    done = CliRunner().invoke(app, ["report", str(record), "-o", str(page), "--link", "100GbE"])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "% of peak)" in text
    assert "Peak of Ethernet 100G over mpi and tcp: 12.5 GB/s or 25.0 GB/s" in text


@pytest.mark.parametrize(
    "driver",
    ["veth", "bridge", "tun", "bonding", "virtio_net", "dummy", "vxlan", "ipvlan", "macvlan"],
)
def test_an_interface_without_a_wire_has_no_link(record: Path, driver: str) -> None:
    """Each of these reports a speed all the same."""
    wired, virtual = ethernet(10000), ethernet(10000, driver)
    for first, second in ((virtual, virtual), (wired, virtual)):
        run = on_two_hosts(record, {"interface": "eth0"}, first, second)
        assert detected_link(run, "tcp") is None


@pytest.mark.parametrize("driver", [
    "veth", "bridge", "tun", "bonding", "virtio_net", "dummy", "vxlan", "ipvlan", "macvlan",
])  # fmt: skip
def test_what_has_no_wire_has_no_link(record: Path, driver: str) -> None:
    card = ethernet(10000, driver)
    assert detected_link(on_two_hosts(record, {"interface": "eth0"}, card, card), "tcp") is None
    assert link_of_device(card["interfaces"][0]) is None
    assert link_of_device(ethernet(10000)["interfaces"][0]) == parse_link("10GbE")


@pytest.mark.parametrize(
    ("details", "name"),
    [
        ({"interface": "eth0"}, "eth0"),
        ({"device": "mlx5_0:1"}, "mlx5_0"),
        ({"device": "mlx5_0/1"}, "mlx5_0"),
        ({"device": "mlx5_0, mlx5_1"}, "mlx5_0"),
        ({"domain": "mlx5_1"}, "mlx5_1"),
        ({"device": "mlx5_0", "domain": "mlx5_1"}, "mlx5_0"),
        ({"interface": "eth0", "device": "mlx5_0"}, "eth0"),
        ({"lanes": "rc_mlx5/mlx5_1:1 (am), posix/memory (rma)"}, "mlx5_1"),
        ({"lanes": "rc_mlx5/mlx5_1:1 (am), tcp/eth0 (rma)"}, ""),
        ({"device": "mlx5_0", "lanes": "rc_mlx5/mlx5_1:1 (am)"}, "mlx5_0"),
        ({"interface": "eth9"}, ""),
        ({"lanes": "posix/memory (am)"}, ""),
        ({}, ""),
    ],
)
def test_the_device_of_a_launch_is_that_of_the_host_s_manifest(
    details: dict[str, str], name: str
) -> None:
    manifest = {
        "interfaces": [{"name": "eth0"}, {"name": "eth1"}],
        "rdma": [{"name": "mlx5_0"}, {"name": "mlx5_1"}],
    }
    found = device_on(manifest, details)
    assert (found or {"name": ""})["name"] == name
