"""Peaks from lanes, signalling and encoding: the published tables come out to the digit."""

import pytest
from typer.testing import CliRunner

from support.printed import result_of
from weft.analysis.peak_share import directions_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.peaks import families, make_link, parse_link, pcie_bytes_per_s
from weft.units import format_percent


@pytest.mark.parametrize(
    ("width", "published"),
    [(1, "0.5"), (2, "1"), (4, "2"), (8, "4"), (12, "6"), (16, "8"), (32, "16")],
)
def test_table_1_of_doerfler(width: int, published: str) -> None:
    """PCI Express, GBytes/s both ways, 2.5 GHz lanes."""
    link = parse_link(f"PCIe 1 x{width}")
    assert f"{link.both_ways_bytes_per_s / 1e9:g}" == published


@pytest.mark.parametrize(("width", "published"), [(1, "0.5"), (4, "2"), (12, "6")])
def test_table_2_of_doerfler(width: int, published: str) -> None:
    link = parse_link(f"IB {width}x SDR")
    assert f"{link.both_ways_bytes_per_s / 1e9:g}" == published


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("IB 4x SDR", "2"),  # link peak of Escher and Callisto, both ways
        ("QsNet II", "2.133"),
        ("PCIe 1 x8", "4"),  # host interfaces
        ("PCI-X 133", "1.064"),
        ("DDR2-400", "3.2"),  # one channel of memory
        ("DDR-333", "2.67"),
        ("DDR-266", "2.13"),
    ],
)
def test_table_3_of_doerfler(name: str, published: str) -> None:
    digits = len(published.partition(".")[2])
    assert f"{parse_link(name).both_ways_bytes_per_s / 1e9:.{digits}f}" == published


@pytest.mark.parametrize(
    ("link", "directions", "megabytes_per_s", "published"),
    [
        ("IB 4x SDR", 1, 958.5, "95.8 %"),  # Escher; 95.85 goes to the even digit
        ("IB 4x SDR", 2, 1857.3, "92.9 %"),
        ("QsNet II", 1, 875.9, "82.1 %"),  # Red Squall
        ("QsNet II", 2, 868.4, "40.7 %"),
        ("IB 4x SDR", 1, 728.9, "72.9 %"),  # Callisto
        ("IB 4x SDR", 2, 831.0, "41.6 %"),  # 41.55 goes to the even digit
    ],
)
def test_table_8_of_doerfler(
    link: str, directions: int, megabytes_per_s: float, published: str
) -> None:
    peak = parse_link(link).peak_bytes_per_s(directions)
    assert format_percent(100 * megabytes_per_s * 1e6 / peak) == published


@pytest.mark.parametrize(
    ("name", "gigabit_per_s"),
    [
        *[("IB 4x SDR", 8), ("IB 4x DDR", 16), ("IB 4x QDR", 32), ("IB 4x FDR10", 40)],
        *[("IB 4x EDR", 100), ("IB 4x HDR", 200), ("IB 4x NDR", 400), ("IB 4x XDR", 800)],
        *[("IB 2x NDR", 200), ("Myrinet 2000", 2), ("Omni-Path 100", 100), ("Elan3", 3.2)],
        *[("Slingshot 11", 200), ("Slingshot-10", 100), ("PCI 32/33", 1.056)],
        *[("Slingshot 400", 400), ("Omni-Path 400", 400), ("1.6T Ethernet", 1600)],
        *[("UEC 800G", 800), ("UEC 400G", 400), ("UEC 1.6T", 1600), ("RoCE 1.6T", 1600)],
        *[(f"{rate}GbE", rate) for rate in (1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800, 1600)],
        *[(f"RoCE v2 {rate}G", rate) for rate in (10, 25, 40, 50, 100, 200, 400, 800)],
    ],
)
def test_rates_whose_data_rate_is_in_their_standard(name: str, gigabit_per_s: float) -> None:
    """The codes take just what makes odd signalling rates round; the sums are exact."""
    assert parse_link(name).one_way_bytes_per_s * 8 == gigabit_per_s * 1e9


@pytest.mark.parametrize(
    ("name", "both_ways"),
    # As sold with a GPU: A100, H100, B200; and what one link of each has.
    [
        *[("12x NVLink 3", 600e9), ("NVLink 4 x18", 900e9), ("18x NVLink 5", 1800e9)],
        *[("NVLink 3", 50e9), ("NVLink 4", 50e9), ("NVLink 5", 100e9)],
    ],
)
def test_what_nvidia_sells_with_a_gpu(name: str, both_ways: float) -> None:
    assert parse_link(name).both_ways_bytes_per_s == both_ways


@pytest.mark.parametrize(
    ("name", "like", "share"),
    # 64 of the 68 bytes of a flit are data, and 240 of 256.
    [("CXL 2 x8", "PCIe 5 x8", 64 / 68), ("CXL 3.0 x16", "PCIe 6 x16", 240 / 242)],
)
def test_cxl_has_the_lanes_of_pcie_and_flits_of_its_own(name: str, like: str, share: float) -> None:
    link = parse_link(name)
    assert link.one_way_bytes_per_s == parse_link(like).one_way_bytes_per_s
    [bound] = link.bounds
    assert bound.one_way_bytes_per_s == pytest.approx(link.one_way_bytes_per_s * share)


def test_the_signalling_rate_is_not_the_data_rate() -> None:
    """56 Gbit/s of FDR leave 54.5; the ping-pong of 2024 compares itself with 7,000 MB/s."""
    assert parse_link("IB 4x FDR").one_way_bytes_per_s == pytest.approx(6818.18e6, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "mtu", "share"),
    [
        ("IB 4x SDR", 2048, 2048 / 2074),
        ("100GbE", 1500, 1448 / 1538),  # the segment of TCP with time stamps
        ("RoCE 100G", 4096, 4096 / 4178),
        ("PCIe 3 x16", 256, 256 / 280),
        ("PCIe 6 x16", 256, 256 / 272 * 236 / 242),
        ("Omni-Path 100", 8192, 8192 / 8216),
        ("UEC 800G", 4096, 4096 / 4218),
    ],
)
def test_headers_take_their_share_of_a_full_packet(name: str, mtu: int, share: float) -> None:
    link = parse_link(name)
    bound = next(bound for bound in link.bounds if bound.mtu_bytes == mtu)
    assert bound.one_way_bytes_per_s == pytest.approx(link.one_way_bytes_per_s * share)
    assert bound.both_ways_bytes_per_s == pytest.approx(2 * bound.one_way_bytes_per_s)


def test_a_bus_is_shared_by_both_directions() -> None:
    link = parse_link("PCI-X 64-bit 133 MHz")
    assert link.both_ways_bytes_per_s == link.one_way_bytes_per_s == 1064e6


def test_every_link_has_its_source_and_a_second_bound_or_the_reason_why_not() -> None:
    for family in families():
        for rate in family.rates:
            for lanes in family.widths or (rate.lanes,):
                link = make_link(family, rate, lanes)
                assert link.source
                assert link.one_way_bytes_per_s > 0
                assert all(b.one_way_bytes_per_s < link.one_way_bytes_per_s for b in link.bounds)
                assert bool(link.bounds) != link.headers.startswith("no second bound: ")
                assert parse_link(link.name).name == link.name


@pytest.mark.parametrize(
    ("speed", "width", "bandwidth"),
    [(2.5, 8, 2e9), (5.0, 16, 8e9), (8.0, 8, 7.877e9), (64.0, 16, 121e9), (3.0, 8, None)],
)
def test_the_link_of_a_pcie_hop(speed: float, width: int, bandwidth: float | None) -> None:
    found = pcie_bytes_per_s(speed, width)
    assert found == (bandwidth and pytest.approx(bandwidth, rel=1e-4))


@pytest.mark.parametrize(
    ("divisor", "factor", "directions"),
    [(2, 2, 1), (1, 1, 1), (0, 1, 1), (0, 2, 2), (1, 2, 2)],
    ids=["ping_pong", "ping_ping", "stream", "bidirectional_stream", "sendrecv"],
)
def test_which_tests_load_both_directions(divisor: int, factor: int, directions: int) -> None:
    assert directions_of(divisor, factor) == directions


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("IB FDR", "needs its width; use one of 1, 2, 4, 8, 12"),
        ("IB 3x FDR", "has no width 3; use one of"),
        ("PCIe 9 x4", "has no rate 9; use one of 1, 2"),
        ("NVLink 9", "has no rate 9; use one of 3, 4, 5"),
        ("CXL 3 x3", "has no width 3; use one of 1, 2, 4"),
        ("UEC 13G", "has no rate 13G; use one of 100G"),
        ("17GbE", "has no rate 17G; use one of 1G"),
        ("infiniband", "needs its rate and its width; use one like"),
        ("token ring", "is not a link that weft knows; use one like IB 4x FDR"),
        ("100G", "is not a link"),
        ("1.6T", "is not a link"),
        ("", "is not a link"),
    ],
)
def test_a_link_that_is_none_is_refused_with_the_fix(text: str, told: str) -> None:
    with pytest.raises(WeftError, match=told):
        parse_link(text)


def test_the_command_prints_the_peaks() -> None:
    done = CliRunner().invoke(app, ["peak", "IB 4x SDR", "PCI-X 133", "--json"])
    rows = result_of(done.output)
    assert [row["one_way_bytes_per_s"] for row in rows] == [1e9, 1.064e9]
    shown = CliRunner().invoke(app, ["peak", "IB 4x SDR"]).output
    said = " ".join(shown.split())
    assert "peak 1,000.0 MB/s 2,000.0 MB/s packets" in said
    assert "packets of 4096 B 993.7 MB/s 1,987.4 MB/s" in said
    assert "source:" in shown


@pytest.mark.parametrize(
    ("typed", "name", "lanes"),
    [
        ("DDR-400", "DDR-400", 64),
        ("1x DDR-400", "DDR-400", 64),
        ("4x ddr2-400", "4x DDR-400", 256),
        ("PCI 64/66", "PCI 64-bit 66 MHz", 64),
        ("pci-x 133", "PCI-X 64-bit 133 MHz", 64),
        ("PCI-X 32-bit 66", "PCI-X 32-bit 66 MHz", 32),
        ("ib 4x fdr", "InfiniBand 4x FDR", 4),
        ("PCIe 3 x8", "PCIe 3 x8", 8),
        ("100GbE", "Ethernet 100G", 4),
        ("RoCE 25G", "RoCE 25G", 1),
        ("Myrinet 2000", "Myrinet 2000", 1),
        ("elan 3", "QsNet I", 1),
        ("Elan4", "QsNet II", 1),
        ("OPA 100", "Omni-Path 100", 4),
        ("Slingshot 11", "Slingshot 11", 4),
        ("Slingshot 400", "Slingshot 400", 4),
        ("OPA400", "Omni-Path 400", 4),
        ("1.6TbE", "Ethernet 1600G", 8),
        ("Ethernet 1.6T", "Ethernet 1600G", 8),
        ("1600GbE", "Ethernet 1600G", 8),
        ("Ultra Ethernet 800G", "UEC 800G", 8),
        ("NVLink 5.0", "NVLink 5", 2),
        ("NVLink4 x18", "18x NVLink 4", 36),
        ("CXL 2.0 x16", "CXL 2 x16", 16),
        ("cxl3 x8", "CXL 3 x8", 8),
    ],
)
def test_a_link_has_one_name_however_it_is_typed(typed: str, name: str, lanes: int) -> None:
    link = parse_link(typed)
    assert (link.name, link.lanes) == (name, lanes)
    assert parse_link(link.name) == link
