"""The published platforms: transcribed to the digit, whole, and in the right units.

The studies themselves are not part of the project. What they say in numbers is: studies.toml has
the figures of their tables and every number of their text, with the citation, read from the text
and not from the data. Every figure of the data is looked up there, and every number in the data.
"""

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.printed import result_of
from weft.analysis.published import with_shares
from weft.cli.main import app
from weft.errors import WeftError
from weft.fabric.peaks import parse_link
from weft.reference.library import (
    Platform,
    PublishedSeries,
    find_platform,
    platform_or_none,
    platforms,
)
from weft.units import format_percent

STUDIES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "studies.toml").read_text(encoding="utf-8")
)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# What a published unit is worth in SI.
UNITS = {
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "bytes": 1,
    "bytes/s": 1,
    "10^6 bytes/s": 10**6,
    "10^9 bytes/s": 10**9,
    "2^20 bytes/s": 2**20,
    "Gbit/s": 125_000_000,
    "KB of 2^10 bytes": 2**10,
}
# Numbers in the studies that are no data of a platform, each study's by themselves.
NOT_DATA = {
    "000": {"2", "5"},  # the day, R^2, headings
    "001": {"2000"},  # a name
    "002": set[str](),
    # Lanes and signals of tables 1 and 2 (see tests/fabric), pins, another switch.
    "003": {"0.5", "2.5", "5.0", "1.25", "40", "144"},
    "004": {
        *("3.1", "3.2", "3.3", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7"),  # headings
        *("43210", "1224", "43212"),  # addresses
        *("30505", "02", "01", "25506", "9986052", "0204429"),  # grants
    },
}


def study(number: str) -> dict[str, Any]:
    """The numbers of a study by the first word of its name."""
    [found] = [told for name, told in STUDIES.items() if name.startswith(f"{number}_")]
    return dict(found)


def every(platform: Platform) -> list[tuple[str, str, float]]:
    """All figures of a platform: as published, the unit, SI."""
    found = [(p.published, s.unit, p.si) for s in platform.series for p in s.points]
    return found + [(f.published, f.unit, f.si) for f in platform.facts if f.si is not None]


def numbers_in(text: str) -> set[str]:
    return {found.rstrip(",") for found in NUMBER.findall(text)}


@pytest.mark.parametrize("platform", platforms(), ids=lambda p: p.name)
def test_si_is_what_was_published_in_its_unit(platform: Platform) -> None:
    for published, unit, si in every(platform):
        assert Decimal(published.replace(",", "")) * UNITS[unit] == Decimal(str(si))
    for series in platform.series:
        assert series.si_unit == ("ns" if series.quantity == "latency" else "bytes/s")
        for point in series.points:
            factor = {"K": 2**10, "M": 2**20}.get(point.published_size[-1], 1)
            assert int(point.published_size.rstrip("KM")) * factor == point.bytes


@pytest.mark.parametrize("platform", platforms(), ids=lambda p: p.name)
def test_every_platform_tells_where_it_is_from_and_under_what_conditions(
    platform: Platform,
) -> None:
    cited = platform.citation
    assert all((cited.authors, cited.title, cited.where, re.match(r"\d{4}", cited.date)))
    assert platform.conditions["intervals"].startswith("none published")
    assert platform.series or platform.facts
    for name in (platform.link, platform.host_bus):
        assert not name or parse_link(name)
    for fact in platform.facts:
        assert fact.published in fact.quote
        assert (fact.si is None) == (fact.si_unit == "")
    keys = [fact.key for fact in platform.facts]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("platform", platforms(), ids=lambda p: p.name)
def test_every_number_that_is_quoted_stands_in_its_study(platform: Platform) -> None:
    told = STUDIES[platform.source]
    cited = platform.citation
    assert (told["authors"], told["title"], told["where"], told["date"]) == (
        cited.authors, cited.title, cited.where, cited.date,
    )  # fmt: skip
    known = {*told["numbers"], *told.get("captions", ())}
    for fact in platform.facts:
        assert numbers_in(fact.quote) <= known, fact.quote
        assert fact.published.strip("$") in known


@pytest.mark.parametrize("name", ["escher", "red-squall", "callisto"])
def test_the_tables_are_transcribed_whole_and_to_the_digit(name: str) -> None:
    platform = find_platform(name)
    told = study("003")[name]
    tables = [f"Table {number}" for number in (4, 5, 6, 7)]
    assert [series.table for series in platform.series] == tables
    for series in platform.series:
        mine = {point.published_size: point.published for point in series.points}
        assert mine == told[series.table]


@pytest.mark.parametrize("name", ["escher", "red-squall"])
def test_the_prices_are_transcribed_whole_and_to_the_digit(name: str) -> None:
    told = study("003")[name]
    for prices in find_platform(name).prices:
        for head, field in (
            ("List Price", "published_price"),
            ("Price per Port", "published_price_a_port"),
        ):
            mine = {row.published_ports: getattr(row, field) for row in prices.rows}
            assert mine == told[f"{prices.table}, {head}"]


def test_the_prices_agree_with_themselves() -> None:
    for platform in platforms():
        for prices in platform.prices:
            for row in prices.rows:
                assert row.published_ports == str(row.ports)
                assert f"${row.price:,.0f}" == row.published_price
                assert f"${row.price_a_port:,.0f}" == row.published_price_a_port
                assert row.price / row.ports == pytest.approx(row.price_a_port, abs=0.5)


@pytest.mark.parametrize("number", ["000", "001", "002", "003", "004"])
def test_every_number_of_a_study_is_in_the_data(number: str) -> None:
    mine: set[str] = set()
    for platform in platforms():
        if platform.source.startswith(number):
            mine |= {published for published, _, _ in every(platform)}
            mine |= {fact.published for fact in platform.facts}
            mine |= {p.published_size.rstrip("KM") for s in platform.series for p in s.points}
            for row in (row for prices in platform.prices for row in prices.rows):
                mine |= {row.published_ports}
                mine |= {row.published_price[1:], row.published_price_a_port[1:]}
            cited = platform.citation
            told = " ".join((*platform.conditions.values(), cited.where, cited.date))
            mine |= numbers_in(told)
    assert set(study(number)["numbers"]) - mine == NOT_DATA[number]


def same_test(platform: Platform, quantity: str, test: str) -> PublishedSeries:
    [found] = [s for s in platform.series if s.quantity == quantity and s.test == test]
    return found


@pytest.mark.parametrize("name", ["escher", "red-squall", "callisto"])
@pytest.mark.parametrize(("test", "moved"), [("ping_pong", 1), ("sendrecv", 2)])
def test_the_tables_of_latency_and_bandwidth_agree(name: str, test: str, moved: int) -> None:
    """At 1K to 4K both tables have the same times, as far as their digits go."""
    platform = find_platform(name)
    latency = {p.bytes: p for p in same_test(platform, "latency", test).points}
    for point in same_test(platform, "bandwidth", test).points:
        if point.bytes in latency:
            time_s = latency[point.bytes].si / 1e9
            # Half a digit of a time published as 5.9 is 0.8 %.
            assert moved * point.bytes / time_s == pytest.approx(point.si, rel=0.01)


@pytest.mark.parametrize(
    ("name", "one_way", "both_ways"),
    [
        ("escher", "95.8", "92.9"),
        ("red-squall", "82.1", "40.7"),
        ("callisto", "72.9", "41.6"),
    ],
)
def test_table_8_comes_out_of_tables_5_and_7(name: str, one_way: str, both_ways: str) -> None:
    shares = with_shares(find_platform(name))
    facts = {fact.key: fact for fact in shares.platform.facts}
    for test, ways, percent in (
        ("ping_pong", "one_way", one_way),
        ("sendrecv", "both_ways", both_ways),
    ):
        series = same_test(shares.platform, "bandwidth", test)
        best = max(series.points, key=lambda point: point.si)
        assert best.si == facts[f"bandwidth_peak_{test}"].si
        share = shares.of_point(series, best)
        assert share is not None
        assert format_percent(share) == f"{percent} %"
        assert facts[f"percent_of_peak_{ways}"].published == percent


def test_published_bandwidths_stay_under_the_peak_of_their_link() -> None:
    """Which tells that the abstract's MB are of 10^6 bytes: 968 * 2^20 would be over 10^9."""
    for platform in platforms():
        shares = with_shares(platform)
        figures = [shares.of_point(s, p) for s in platform.series for p in s.points]
        figures += [shares.of_fact(fact) for fact in platform.facts]
        assert all(figure is None or figure < 100 for figure in figures)
    pcie = with_shares(find_platform("osu-pcie"))
    fact = next(f for f in pcie.platform.facts if f.key == "bandwidth_peak_one_way")
    assert pcie.of_fact(fact) == pytest.approx(96.8)
    assert parse_link(pcie.platform.link).one_way_bytes_per_s < 968 * 2**20


def test_a_platform_is_found_however_it_is_written(tmp_path: Path) -> None:
    assert find_platform("Red Squall") is find_platform("red_squall") is find_platform("red-squall")
    with pytest.raises(WeftError, match="did you mean escher"):
        find_platform("eschre")
    with pytest.raises(WeftError, match="weft list platforms"):
        platform_or_none("qqqq")
    assert platform_or_none("run.jsonl") is None
    assert platform_or_none("some/run") is None
    assert platform_or_none("escher") is find_platform("escher")
    (tmp_path / "escher").touch()
    assert platform_or_none(str(tmp_path / "escher")) is None


def test_the_list_names_every_platform() -> None:
    rows = result_of(CliRunner().invoke(app, ["list", "platforms", "--json"]).output)
    assert {row["platform"] for row in rows} >= {
        *("escher", "red-squall", "callisto", "osu-vapi", "osu-gm", "osu-elan3", "osu-pcie"),
        *("osu-pcix", "fermilab-topspin", "fermilab-myrinet", "fdr-ping-pong"),
    }
    assert next(r for r in rows if r["platform"] == "escher")["tests"] == ["ping_pong", "sendrecv"]


def test_show_prints_what_was_published() -> None:
    shown = CliRunner().invoke(app, ["show", "escher", "--test", "ping_pong"]).output
    lines = [line.split() for line in shown.splitlines()]
    assert ["4", "MiB", "958.5", "(95.8", "%)"] in lines
    assert "SAND2005-1555P" in shown
    assert "have no interval" in shown
    assert ["4608", "$9,473,840", "$2,056"] in lines
    assert "SendRecv (" not in shown
    assert "around 831" in CliRunner().invoke(app, ["show", "osu-vapi"]).output


def test_show_gives_published_and_si_as_json() -> None:
    row = result_of(CliRunner().invoke(app, ["show", "red-squall", "--json"]).output)
    latency, bandwidth = row["series"][:2]
    first, last = latency["points"][0], bandwidth["points"][-1]
    assert first == {"published_size": "0", "published": "2.1", "bytes": 0, "latency_ns": 2100.0}
    assert last["bandwidth_bytes_per_s"] == 875.9e6
    assert last["percent_of_peak"] == pytest.approx(82.1, abs=0.05)
    assert row["prices"][0]["rows"][0]["price"] == 26260128
    other = CliRunner().invoke(app, ["show", "red-squall", "--json", "--link", "100GbE"])
    assert result_of(other.output)["series"][1]["points"][-1]["percent_of_peak"] < 10
