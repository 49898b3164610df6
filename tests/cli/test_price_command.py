"""`weft price`: tables, JSON, files and refusals; and the page's section."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.drawn import page_tables
from support.price_lists import FULL, HALF, HEAD, price_list
from support.printed import result_of
from support.studies import milc_record
from support.two_rails import record_over_two_rails
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.topologies import Built, FabricAsked
from weft.tables import TERMINAL_WIDTH

PAPER = ("--nodes", "1152", "--switch", "24,288", "--blocking", "2:1")


def weft(*words: object) -> str:
    result = CliRunner().invoke(app, [*map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def price(*words: object) -> str:
    return weft("price", *words)


def test_a_fabric_of_the_paper_costs_what_it_did(tmp_path: Path) -> None:
    prices = price_list(tmp_path / "p.toml")
    shown = price(*PAPER, "--prices", prices, "--link", "IB 4x SDR")
    assert "USD 2,368,460, 2,056 per port" in shown
    assert "spine switch, 288 ports 2 193,150 386,300 16.3 % +1.6 %" in " ".join(shown.split())
    assert "288 cables of the 576" in shown
    assert "USD 8,224 per GB/s" in shown
    assert max(map(len, shown.splitlines())) <= TERMINAL_WIDTH
    plain = result_of(price(*PAPER, "--prices", prices, "--measured", "escher", "--json"))
    assert plain["cost"]["total"] == 2368460
    assert [part["count"] for part in plain["parts"]] == [1152, 72, 2, 1152, 576]
    assert (plain["diameter_hops"], plain["ports_left_over"]) == (3, 0)
    assert plain["value"]["latency_ns"] == 4290
    price_of_rate = plain["value"]["price_per_gb_per_s"]
    assert price_of_rate["value"] == pytest.approx(2368460 / (288 * 0.9585))


def test_a_parts_list_without_prices(tmp_path: Path) -> None:
    page = tmp_path / "parts.html"
    shown = price(*PAPER, "-o", page)
    # Without prices there is no chart, but the fabric is drawn.
    assert page.read_text().count('class="weft-fabric"') == 1
    assert "leaf switch, 24 ports       72" in shown
    assert "each leaf has 8 uplinks, 4 to each spine" in shown
    assert result_of(price(*PAPER, "--json"))["cost"] is None


def test_two_lists_are_compared_and_drawn(tmp_path: Path) -> None:
    one = price_list(tmp_path / "half.toml", fabrics=HALF)
    two = price_list(tmp_path / "full.toml", fabrics=FULL)
    page = tmp_path / "front.html"
    values = result_of(price("--compare", one, two, "-o", page, "--json"))
    assert [(value["name"], value["total"]) for value in values] == [
        ("half", 2368460),
        ("full", 1152 * 1105 + 96 * 7450 + 4 * 193150 + 1152 * 300),
    ]
    assert all(value["is_on_front"] for value in values)
    text = page.read_text()
    assert "Pareto front" in text
    assert text.count('class="weft-fabric"') == 2
    assert "Price per node and bisection" in text
    # The fabric of the command takes the place of the files'.
    shown = price("--compare", one, two, "--nodes", "48", "--switch", "24")
    assert "Voltaire, 48 nodes, 1:1: fat tree" in shown
    assert "Voltaire, 48 nodes, 1:1 (2): fat tree" in shown


def test_two_fabrics_of_one_list_are_compared(tmp_path: Path) -> None:
    both = price_list(tmp_path / "both.toml", fabrics=HALF + FULL)
    shown = price("--prices", both)
    assert shown == price("--compare", both)
    assert "half *" in shown
    assert "full *" in shown
    measured = HALF.replace("link =", 'measured = "callisto"\nlink =')
    measured += FULL.replace("link =", 'measured = "escher"\nlink =')
    [callisto, escher] = result_of(
        price("--compare", price_list(tmp_path / "m.toml", fabrics=measured), "--json")
    )
    # What is published has no interval, so a price of the time saved would have none.
    assert (escher["price_per_us_saved"], escher["saves"]) == (None, "interval not known")
    assert escher["latency_ns"] < callisto["latency_ns"]
    assert escher["per_node"] == pytest.approx(escher["total"] / 1152)


def test_what_is_named_as_measured_is_there(tmp_path: Path) -> None:
    for words in (("--bisection", "50GB/s"), ("--prices", price_list(tmp_path / "p.toml"))):
        with pytest.raises(WeftError, match="nofile"):
            price("--nodes", 1152, "--switch", "24,288", *words, "--measured", "nofile")


def test_a_record_over_two_rails_is_of_a_fabric_with_two(tmp_path: Path) -> None:
    record = record_over_two_rails(tmp_path)
    words = (*PAPER, "--prices", price_list(tmp_path / "p.toml"), "--measured", record)
    with pytest.raises(WeftError, match="over 2 rails, and the fabric has 1; use --rails 2"):
        price(*words)
    value = result_of(price(*words, "--rails", 2, "--json"))["value"]
    # 576 cables of two rails, each with half of what both together moved.
    assert value["bisection_bytes_per_s"] == pytest.approx(288 * 65536 / 8553.6e-9, rel=1e-3)


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_price_per_port_against_the_size_as_a_picture(
    tmp_path: Path, kind: str, begins: bytes
) -> None:
    picture = tmp_path / f"p.{kind}"
    price(*PAPER, "--prices", price_list(tmp_path / "p.toml"), "-o", picture)
    assert picture.read_bytes().startswith(begins)


def test_the_paper_and_its_figure(tmp_path: Path) -> None:
    page = tmp_path / "figure-5.html"
    shown = price("--paper", "-o", page)
    assert "adapter and node cable    1,105" in shown
    # Two parts of a table that is wider than the screen.
    assert re.search(r"^ +96 .* -14,400 *$", shown, re.MULTILINE)
    assert re.search(r"^ +96  without its 48 uplink cables *$", shown, re.MULTILINE)
    assert "Figure 5: list price per port" in page.read_text()
    assert result_of(price("--paper", "--json"))["infiniband"]["exact"] == 1


def test_every_cable_with_its_ports(tmp_path: Path) -> None:
    path = tmp_path / "cables.csv"
    price("--nodes", 48, "--switch", 24, "--blocking", "2:1", "--cables", path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48 + 24
    assert rows[0] == {
        "kind": "node",
        "end": "node 1",
        "port": "1",
        "other_end": "leaf 1",
        "other_port": "1",
    }
    ends = [(row["other_end"], row["other_port"]) for row in rows if row["kind"] == "uplink"]
    assert ends == [("spine 1", str(port)) for port in range(1, 25)]


@pytest.mark.parametrize(
    ("words", "topology", "parameters"),
    [
        (PAPER, "FAT_TREE", "2;16,72;1,2;1,4"),
        (("--nodes", 3456, "--switch", 24), "FAT_TREE", "3;12,12,24;1,12,12;1,1,1"),
        (("--nodes", 20, "--switch", 24), "FAT_TREE", "1;20;1;1"),
        (("--nodes", 60, "--switch", 7, "--topology", "torus"), "TORUS", "3,4,5"),
        (("--nodes", 32, "--switch", 7, "--topology", "dragonfly"), "DRAGONFLY", "4,2;1,1;4,1;2"),
    ],
)
def test_the_platform_for_simgrid(
    tmp_path: Path, words: tuple[object, ...], topology: str, parameters: str
) -> None:
    """What SimGrid 3.32 reads as so many hosts: checked once by its own parser."""
    path = tmp_path / "p.xml"
    price(*words, "--measured", "escher", "--simgrid", path)
    [cluster] = ET.parse(path).getroot()  # noqa: S314 # our own file
    assert cluster.get("topology") == topology
    assert cluster.get("topo_parameters") == parameters
    assert cluster.get("radical") == f"0-{int(str(words[1])) - 1}"
    assert cluster.get("lat") == "2145.000ns"  # half of 4.29 µs: two cables to the next node
    assert float(str(cluster.get("bw")).removesuffix("Bps")) == 958.5e6


def two_hosts(tmp_path: Path, transports: tuple[str, ...] = ("tcp",)) -> Path:
    """A record of 8 B and 64 KiB in which rank 1 is on another host, but for mpi's."""
    cases = make_cases(("ping_pong", "stream"), transports, (8, 65536))
    path = synthetic_record(tmp_path / "two.jsonl", cases)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "launch" and line["transport"] != "mpi":
            line["ranks"][1]["host"] = "other"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_record_gives_latency_and_bandwidth_with_their_intervals(tmp_path: Path) -> None:
    """Half of 2,000.8 ns at 8 B, and 64 KiB in 8,553.6 ns: the stream's time per message."""
    words = (*PAPER, "--prices", price_list(tmp_path / "p.toml"))
    value = result_of(price(*words, "--measured", two_hosts(tmp_path), "--json"))["value"]
    assert value["latency_ns"] == pytest.approx(1000.4, rel=1e-3)
    rate = 65536 / 8553.6e-9
    assert value["bisection_bytes_per_s"] == pytest.approx(288 * rate, rel=1e-3)
    found = value["price_per_gb_per_s"]
    assert found["low"] < found["value"] == pytest.approx(8.2238 / rate * 1e12, rel=1e-3)
    assert found["high"] > found["value"]
    assert value["rests_on"] == "tcp/ping_pong 8 B, tcp/stream 64 KiB"


def test_what_crossed_no_link_is_not_a_fabrics(tmp_path: Path, record: Path) -> None:
    words = (*PAPER, "--prices", price_list(tmp_path / "p.toml"))
    both = two_hosts(tmp_path, ("tcp", "mpi"))
    for source in (f"{record}", f"{both}@mpi", f"{both}@tcp,mpi"):
        with pytest.raises(WeftError, match="within one host, where nothing crosses a link; name"):
            price(*words, "--measured", source)
    # mpi is twice as fast here, but only tcp crossed a link.
    for source in (f"{both}", f"{both}@tcp", f"{both}@TCP"):
        assert "tcp/ping_pong 8 B" in price(*words, "--measured", source)


@pytest.mark.usefixtures("undrawn")
def test_a_page_says_why_the_links_peak_is_taken(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8, 65536))
    record = synthetic_record(tmp_path / "r.jsonl", cases)
    page = tmp_path / "r.html"
    weft("report", record, "--price", price_list(tmp_path / "p.toml", fabrics=HALF), "-o", page)
    text = page.read_text()
    assert "nothing crosses a link: the peak of the link is taken" in text
    assert "figures: peak of InfiniBand 4x SDR" in text


def test_the_page_of_a_record_has_the_section(tmp_path: Path) -> None:
    record = two_hosts(tmp_path)
    prices = price_list(tmp_path / "p.toml", fabrics=HALF + FULL)
    page = tmp_path / "r.html"
    weft("report", record, "--price", prices, "-o", page)
    text = page.read_text()
    assert "What it costs" in text
    rows = {row[0]: row for table in page_tables(text) for row in table}
    assert rows["half *"][1:6] == ["1,152", "1,152", "2,368,460", "2,056", "2207 GB/s"]
    assert "figures: tcp/ping_pong 8 B, tcp/stream 64 KiB" in text


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "no fabric given; use --nodes 1152"),
        (["--switch", "24"], "the fabric has no nodes; use --nodes"),
        (["--prices", "LIST"], r"has no fabric; use --nodes .* or add \[\[fabric\]\]"),
        (["LIST"], "use --compare, or --prices FILE"),
        (["--compare"], "use two price lists after --compare"),
        (["--compare", "LIST", "--nodes", "48", "--switch", "24"], "nothing to compare"),
        ([*PAPER, "-o", "p.svg"], "a chart needs prices; use --prices"),
        ([*PAPER, "--prices", "LIST", "-o", "p.gif"], "end its name in .svg"),
        ([*PAPER, "--simgrid", "p.xml"], "SimGrid needs a bandwidth; use --measured"),
        ([*PAPER, "--link", "string"], "is not a link that weft knows"),
        ([*PAPER, "--prices", "LIST", "--measured", "eshcer"], "did you mean escher?"),
        ([*PAPER, "--cables", "/nowhere/c.csv"], "cannot write /nowhere/c.csv"),
        (["--prices", "BAD"], "BAD.toml, fabric 1: a fat tree of three levels has at most"),
        (["--compare", "FLAT", "FLAT", "-o", "p.svg"], "needs the bisection of every fabric"),
        (["--prices", "FLAT", "BOTH", "--cables", "c.csv"], "use --compare, or --prices"),
        (["--prices", "BOTH", "--cables", "c.csv"], "are for one fabric; use --nodes"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_fix(
    tmp_path: Path, words: list[str], what: str
) -> None:
    flat = '[[fabric]]\nnodes = 48\nswitch = "24"\n'
    lists = {
        "LIST": price_list(tmp_path / "a.toml"),
        "FLAT": price_list(tmp_path / "flat.toml", fabrics=flat),
        "BOTH": price_list(tmp_path / "both.toml", fabrics=HALF + FULL),
        "BAD": price_list(tmp_path / "BAD.toml", fabrics=flat.replace("48", "90000")),
    }
    with pytest.raises(WeftError, match=what) as caught:
        price(*(lists.get(word, word) for word in words))
    assert "\n" not in str(caught.value)


def test_simgrid_has_one_rail_and_regular_fabrics(tmp_path: Path) -> None:
    path = tmp_path / "p.xml"
    sdr = ("--link", "IB 4x SDR", "--simgrid", path)
    with pytest.raises(WeftError, match="use --rails 1"):
        price("--nodes", 20, "--switch", 24, "--rails", 2, *sdr)
    with pytest.raises(WeftError, match=r"no zone of SimGrid .* evenly"):
        price("--nodes", 52, "--switch", 24, *sdr)
    with pytest.raises(WeftError, match="more groups than switches in a group; choose a smaller"):
        price("--nodes", 72, "--switch", 7, "--topology", "dragonfly", *sdr)


def test_lists_of_unlike_currencies_are_not_compared(tmp_path: Path) -> None:
    one = price_list(tmp_path / "a.toml", fabrics=HALF)
    two = price_list(tmp_path / "b.toml", head=HEAD.replace("USD", "EUR"), fabrics=FULL)
    with pytest.raises(WeftError, match="half costs USD and full EUR; convert the prices"):
        price("--compare", one, two)


def test_an_application_on_several_hosts_is_priced_without_a_caution(tmp_path: Path) -> None:
    record = milc_record(tmp_path)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    for rank in (rank for line in lines for rank in line.get("ranks", ())):
        rank["host"] = f"n{rank['rank'] % 2}"
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = [*PAPER, "--prices", price_list(tmp_path / "a.toml"), "--application", record]
    assert "milc 8^4 on 4 ranks" in price(*words)
    assert "never left its host" not in price(*words)
    assert not result_of(price(*words, "--json"))["value"]["application_is_within_a_host"]


def test_the_price_per_mflop_of_an_application(tmp_path: Path) -> None:
    record = milc_record(tmp_path)
    words = [*PAPER, "--prices", str(price_list(tmp_path / "a.toml")), "--application"]
    value = result_of(price(*words, str(record), "--json"))["value"]
    assert value["application"] == "milc 8^4 on 4 ranks, tcp"
    assert value["application_is_within_a_host"]
    shown = " ".join(price(*words, str(record)).split())
    assert "milc 8^4 on 4 ranks, tcp never left its host: no link is in its figures" in shown
    flops_per_s = value["nodes"] * 1187 / 40e-9
    assert value["flops_per_s"] == pytest.approx(flops_per_s)
    found = value["price_per_mflop_per_s"]["value"]
    assert found == pytest.approx(value["total"] / (flops_per_s / 1e6))
    assert "milc 4^4 on 4 ranks" in price(*words, f"{record}@4^4")
    with pytest.raises(WeftError, match=r"has no flops .* use .*@ and one of 4\^4, 8\^4"):
        price(*words, f"{record}@6^4")


def test_fabrics_of_other_sizes_are_built_for_a_picture_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = price_list(tmp_path / "p.toml")
    asked: list[int] = []

    def one_size(built: Built) -> list[FabricAsked]:
        asked.append(built.asked.nodes)
        return [built.asked]

    monkeypatch.setattr("weft.studies.pricing.others_like", one_size)
    price(*PAPER, "--prices", prices)
    assert asked == []
    price(*PAPER, "--prices", prices, "-o", tmp_path / "p.html")
    assert asked == [1152]
