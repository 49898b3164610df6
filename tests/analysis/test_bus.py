"""The path between card and memory, from trees of sysfs whose bottleneck is known."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.builders import HOST, make_batch, make_header, make_launch, write_lines
from support.laid_out import card, lay_out
from support.printed import result_of
from weft.analysis.bus import bus_of, buses_here, buses_of, copy_rate_of
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.peaks import parse_link
from weft.host.manifest import collect
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.record.run import Run
from weft.topics.bus import bottlenecks, bus_in_words, bus_tables

if TYPE_CHECKING:
    from weft.record.model import Line

COPY = Pattern(
    name="copy", title="Copy", summary="", ranks=2, latency_divisor=1, bandwidth_factor=1
)
PING = Pattern(
    name="ping_pong", title="", summary="", ranks=2, latency_divisor=2, bandwidth_factor=2
)


def the_card(root: Path, **facts: Any) -> dict[str, Any]:
    (device,) = collect(card(root, **facts), {})["interfaces"]
    return {**device, "driver": "mlx5_core"}


def on_a_parallel_bus(root: Path, speed: str) -> dict[str, Any]:
    """An InfiniBand card of 2003 in a PCI or PCI-X slot, as Linux shows it."""
    function = "sys/devices/pci0000:00/0000:00:02.0/0000:03:01.0"
    device = "sys/class/infiniband/mthca0"
    files = {
        f"{function}/numa_node": "0",
        "sys/bus/pci/slots/1/address": "0000:03:01",
        "sys/bus/pci/slots/1/cur_bus_speed": speed,
        "sys/bus/pci/slots/1/max_bus_speed": "133 MHz PCI-X",
        f"{device}/ports/1/state": "4: ACTIVE",
        f"{device}/ports/1/rate": "10 Gb/sec (4X SDR)",
        f"{device}/ports/1/link_layer": "InfiniBand",
    }
    lay_out(root, files)
    (root / device / "device").symlink_to(root / function)
    (found,) = collect(root, {})["rdma"]
    whole: dict[str, Any] = found
    return whole


def test_a_wide_fast_bus_leaves_the_link_as_the_bottleneck(tmp_path: Path) -> None:
    bus = bus_of(the_card(tmp_path), "node1", copy_bytes_per_s=20e9)
    assert [stage.kind for stage in bus.stages] == ["link", "hop", "memory"]
    assert bus.one_way is bus.both_ways is bus.stages[0]
    assert bus.one_way is not None
    assert bus.one_way.one_way_bytes_per_s == 12.5e9
    assert bus.one_way.both_ways_bytes_per_s == 25e9
    assert bus.unknown == ()


def test_a_card_that_came_up_narrow_is_held_by_its_hop(tmp_path: Path) -> None:
    """PCIe 3 x4 carries 8 GT/s * 4 * 128/130 / 8 = 3.94 GB/s each way."""
    bus = bus_of(the_card(tmp_path, now=(8, 4)), "node1", copy_bytes_per_s=20e9)
    assert bus.one_way is not None
    assert bus.one_way.name == "PCIe 3 x4 at 0000:01:00.0"
    assert bus.one_way.one_way_bytes_per_s == pytest.approx(3.938e9, rel=1e-3)
    assert bus.both_ways is bus.one_way
    assert bus.one_way.both_ways_bytes_per_s == pytest.approx(7.877e9, rel=1e-3)


def test_memory_is_crossed_twice_both_ways(tmp_path: Path) -> None:
    """A copy at 10 GB/s moves 20 GB/s: enough for 12.5 GB/s one way, too little for both ways."""
    bus = bus_of(the_card(tmp_path), "node1", copy_bytes_per_s=10e9)
    assert bus.one_way is not None
    assert bus.both_ways is not None
    assert (bus.one_way.kind, bus.both_ways.kind) == ("link", "memory")
    assert bus.both_ways.both_ways_bytes_per_s == 20e9


@pytest.mark.parametrize(
    ("speed", "name", "bytes_per_s", "holds_one_way"),
    [
        ("133 MHz PCI-X", "PCI-X 64-bit 133 MHz", 1064e6, False),
        ("66 MHz PCI", "PCI 64-bit 66 MHz", 528e6, True),
        ("66 MHz PCI-X 266", "PCI-X 64-bit 266 MHz", 2128e6, False),
    ],
)
def test_a_parallel_bus_is_not_full_duplex(
    tmp_path: Path, speed: str, name: str, bytes_per_s: float, *, holds_one_way: bool
) -> None:
    """As Liu et al. (2003): with PCI-X, 4x SDR (1 GB/s each way) is held by the bus both ways."""
    bus = bus_of(on_a_parallel_bus(tmp_path, speed), "node1")
    hop = bus.stages[1]
    assert hop.name == f"{name} at 0000:03:01.0"
    assert hop.one_way_bytes_per_s == hop.both_ways_bytes_per_s == bytes_per_s
    assert (bus.one_way is hop) is holds_one_way
    assert (bus.both_ways is hop) is (bytes_per_s < 2e9)
    assert "memory" in bus.unknown[0]
    (table,) = bus_tables([bus])
    held = "; bottleneck one way" if holds_one_way else ""
    held += "; bottleneck both ways" if bytes_per_s < 2e9 else ""
    assert table.rows[1][3] == f"at most: the width is taken as 64 bits{held}"


def test_what_is_not_known_is_told_and_no_bound(tmp_path: Path) -> None:
    device = the_card(tmp_path, now=(7, 3), speed=-1)
    bus = bus_of(device, "node1")
    assert bus.stages == ()
    assert bus.one_way is None
    nothing = "host bus: eth5 on node1: nothing is known of the link, the bus at"
    assert bus_in_words(bus).startswith(nothing)
    assert bus_tables([bus]) == []
    typed = bus_of(device, "node1", link=parse_link("100GbE"))
    assert typed.one_way is not None
    assert "not known: the bus at 0000:01:00.0" in bus_in_words(typed)


def measured(
    path: Path,
    device: dict[str, Any],
    copy_bytes: int = 1 << 28,
    cache_bytes: int | None = 32 << 20,
) -> Run:
    """A record over that card in which memory copies 10 bytes in a nanosecond."""
    cases = (
        Case(test="ping_pong", transport="tcp", bytes=8),
        Case(test="copy", transport="tcp", bytes=copy_bytes),
    )
    header = make_header(cases)
    cpu = {**HOST["cpu"], "caches": [{"level": 3, "size_bytes": cache_bytes}]}
    hosts = {HOST["host"]: {**HOST, "interfaces": [device], "cpu": cpu}}
    lines: list[Line] = [msgspec.structs.replace(header, patterns=(PING, COPY), hosts=hosts)]
    for number in range(5):
        launch = make_launch(number, "tcp")
        lines.append(msgspec.structs.replace(launch, details={"interface": "eth5"}))
        lines.append(make_batch(cases[0], number, 0, [2000.0] * 9))
        lines.append(make_batch(cases[1], number, 0, [copy_bytes / 10] * 9))
    return weft.load(write_lines(path, lines))


def test_a_records_bus_takes_memory_from_its_own_copy(tmp_path: Path) -> None:
    run = measured(tmp_path / "r.jsonl", the_card(tmp_path))
    (bus,) = buses_of(run, summarise(run))
    assert (bus.device, bus.transports) == ("eth5", ("tcp",))
    assert bus.both_ways is not None
    assert bus.both_ways.name == "memory, by a copy of one core at 10 GB/s"
    assert bus.both_ways.both_ways_bytes_per_s == pytest.approx(20e9, rel=1e-6)
    (table,) = bus_tables([bus])
    assert [row[3] for row in table.rows] == ["bottleneck one way", "", "bottleneck both ways"]
    (row,) = bottlenecks([bus])
    assert row["bottleneck_one_way"] == "Ethernet 100G"


@pytest.mark.parametrize(("cache_bytes", "least"), [(32 << 20, 128 << 20), (None, 256 << 20)])
@pytest.mark.parametrize("fewer", [0, 1])
def test_a_copy_of_four_times_the_cache_or_256_mib_is_memorys_and_no_smaller_one(
    tmp_path: Path, cache_bytes: int | None, least: int, fewer: int
) -> None:
    """256 MiB is the size that the advice names: the advised run tells the memory."""
    device = the_card(tmp_path)
    run = measured(tmp_path / "r.jsonl", device, least - fewer, cache_bytes)
    rate = copy_rate_of(run, summarise(run))
    assert rate == (None if fewer else pytest.approx(10e9, rel=1e-6))


def test_two_records_tell_the_difference_of_their_buses(tmp_path: Path) -> None:
    """The same suite with the card's link forced down, as section 4.7 does."""
    buses = []
    for name, now in (("fast", (16, 16)), ("slow", (8, 4))):
        folder = tmp_path / name
        folder.mkdir()
        run = measured(folder / "r.jsonl", the_card(folder, now=now))
        buses.append(side_of_run(run, summarise(run), name).conditions.facts["bus"])
    assert buses == ["eth5: PCIe 4 x16 at 0000:01:00.0", "eth5: PCIe 3 x4 at 0000:01:00.0"]


def test_show_and_memory_print_it(tmp_path: Path) -> None:
    run = measured(tmp_path / "r.jsonl", the_card(tmp_path))
    for command in ("show", "memory"):
        shown = CliRunner().invoke(app, [command, str(run.path)])
        assert "bottleneck both ways" in shown.stdout
        assert "host bus: eth5 on node1: one way at most 12.5 GB/s by Ethernet 100G" in " ".join(
            shown.stdout.split()
        )
    rows = result_of(CliRunner().invoke(app, ["memory", str(run.path), "--json"]).stdout)
    assert rows["bus"][0]["bottleneck_both_ways"].startswith("memory")
    assert set(rows) == {"reuse", "registration", "connecting", "bus"}


def test_this_hosts_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = collect(card(tmp_path, now=(8, 8)), {})
    (bus,) = buses_here(manifest)
    assert bus.one_way is not None
    assert bus.one_way.name.startswith("PCIe 3 x8")
    monkeypatch.setattr("weft.studies.host_bus.collect", lambda: manifest)
    shown = CliRunner().invoke(app, ["peak"])
    assert "PCIe 3 x8 at 0000:01:00.0" in shown.stdout
    (row,) = result_of(CliRunner().invoke(app, ["peak", "--json"]).stdout)
    assert row["device"] == "eth5"


def test_a_host_without_cards_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.studies.host_bus.collect", dict)
    refused = CliRunner().invoke(app, ["peak"])
    assert isinstance(refused.exception, WeftError)


def test_memorys_rate_is_that_of_the_largest_copy_although_a_cached_one_is_faster(
    tmp_path: Path,
) -> None:
    sizes = {1 << 20: 40.0, 256 << 20: 10.0, 512 << 20: 9.0}
    cases = tuple(Case(test="copy", transport="tcp", bytes=size) for size in sizes)
    lines: list[Line] = [msgspec.structs.replace(make_header(cases), patterns=(COPY,))]
    for number in range(3):
        lines.append(make_launch(number, "tcp"))
        lines += [
            make_batch(
                case, number, at, [case.bytes / sizes[case.bytes] * (1 + 0.001 * number)] * 9
            )
            for at, case in enumerate(cases)
        ]
    run = weft.load(write_lines(tmp_path / "r.jsonl", lines))
    assert copy_rate_of(run, summarise(run)) == pytest.approx(9e9, rel=0.002)


def test_a_link_that_a_person_states_counts_before_the_manifests(tmp_path: Path) -> None:
    stated = bus_of(the_card(tmp_path), "node1", link=parse_link("25GbE"))
    assert stated.stages[0].one_way_bytes_per_s == pytest.approx(25e9 / 8)
