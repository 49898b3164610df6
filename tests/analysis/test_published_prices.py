"""What tables 9 to 11 of Doerfler (2005) are made of: sums made by hand, none forced to fit."""

from functools import cache

import pytest

from weft.analysis.price_tables import (
    PORT,
    PartPrices,
    configurations,
    elan_prices,
    infiniband_prices,
)
from weft.reference.library import find_platform
from weft.topics.price_tables import figure_5, paper_tables


@cache
def found() -> PartPrices:
    """Trying all ways takes a moment: once for all tests."""
    return infiniband_prices()


def test_the_prices_per_port_are_those_of_the_list_prices() -> None:
    """The tables as data: each row's own two figures agree to the dollar."""
    tables = (*find_platform("escher").prices, *find_platform("red-squall").prices)
    assert [len(table.rows) for table in tables] == [5, 7, 10]
    for table in tables:
        for row in table.rows:
            assert row.price / row.ports == pytest.approx(row.price_a_port, abs=0.5)


def test_the_prices_of_the_parts() -> None:
    """By hand: 24 p + s = 33970; 288 p + t = 511390; 576 p + 36 s + t + 288 c = 1184230;
    384 p + 32 s + 192 c = 720320; solved without a remainder.
    """
    assert found().prices == {
        PORT: 1105,
        "switch 24": 7450,
        "switch 288": 193150,
        "uplink cable": 300,
    }


def test_which_rows_are_explained_and_which_are_not() -> None:
    prices = found()
    off = {row.ports: (row.difference, row.differs_by) for row in prices.rows if row.difference}
    assert off == {
        256: (-7450, "with 5 spines: 120 ports for 128 uplinks"),
        96: (-14400, "without its 48 uplink cables"),
        48: (-7200, "without its 24 uplink cables"),
    }
    exact = [row for row in prices.rows if not row.difference]
    assert len(exact) == 9
    assert all(row.explained == row.price and not row.differs_by for row in exact)
    assert {row.ports: row.switches for row in exact}[128] == "8 x 24 + 3 x 24"
    assert [(row.ports, row.spread) for row in exact if row.spread] == [
        (128, "8 uplinks over 3 spines")
    ]
    # No other way to count explains every row, and fabrics that can be built alone explain none so.
    assert (prices.exact, prices.as_good) == (1, 0)
    assert prices.tried == 27648
    assert prices.least_squares_difference == pytest.approx(13430, abs=0.5)


def test_the_ways_to_count_a_row() -> None:
    ways = configurations(256, (24, 24))
    assert {(one.counts, bool(one.departs)) for one in ways} == {
        ((256, 16 + 8, 0, 128), False),
        ((256, 16 + 6, 0, 128), False),
        ((256, 16 + 5, 0, 128), True),
        ((256, 16 + 8, 0, 0), True),
        ((256, 16 + 6, 0, 0), True),
        ((256, 16 + 5, 0, 0), True),
    }
    assert [one.counts for one in configurations(24, (24, 24))] == [(24, 1, 0, 0)]
    assert configurations(288, (24, 288))[0].counts == (288, 0, 1, 0)


def test_elan_is_one_price_per_port_from_512_on() -> None:
    found = elan_prices()
    assert found.exact_ports == (512, 1024, 2048, 4096, 8192)
    assert found.per_port * 512 == pytest.approx(1641258)
    off = {row.ports: row.difference for row in found.rows if row.ports not in found.exact_ports}
    assert off == {256: 900, 128: None, 64: None, 32: None, 8: None}


def test_figure_5_has_every_row_of_the_three_tables() -> None:
    chart = figure_5()
    assert [len(track.x) for track in chart.tracks] == [5, 7, 10]
    assert list(chart.tracks[0].x) == [288, 576, 1152, 2304, 4608]
    assert [round(price) for price in chart.tracks[0].y] == [1776, 2056, 2056, 2056, 2056]
    assert round(chart.tracks[2].y[-1]) == 3206


def test_the_tables_say_what_is_exact() -> None:
    tables = paper_tables(found(), elan_prices())
    assert [table.name for table in tables] == ["parts", "table-9", "table-10", "table-11"]
    assert "9 of 12 rows" in tables[0].notes[0]
    for table in tables[1:]:
        # Words begin at their left, figures end at their right.
        words = {at for at, name in enumerate(table.head) if name in ("switches", "published is")}
        assert set(table.left) == words, table.head
    cells = {row[0]: row[5:] for row in tables[2].rows}
    assert cells["256"] == ("-7,450", "with 5 spines: 120 ports for 128 uplinks")
    assert cells["24"] == ("exact", "")
    assert cells["128"] == ("exact", "not evenly: 8 uplinks over 3 spines")
    assert {row[0]: row[5] for row in tables[3].rows}["256"] == "+900"
