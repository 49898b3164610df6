"""Amounts of money, and the axis of sizes that prices are drawn over: both sides of each bound."""

import pytest

from weft.topics.fabric_cost import money, sizes_chart


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "0"), (7.0, "7"), (7.5, "7.50"), (999.994, "999.99"), (1000.0, "1,000"),
        (1000.6, "1,001"), (-999.25, "-999.25"), (-1000.25, "-1,000"), (2368460.0, "2,368,460"),
    ],
)  # fmt: skip
def test_cents_are_shown_where_they_say_something(amount: float, words: str) -> None:
    assert money(amount) == words


@pytest.mark.parametrize(
    ("sizes", "ticks"),
    [
        ((8, 512), ["8", "16", "32", "64", "128", "256", "512"]),
        ((8, 1024), ["8", "32", "128", "512"]),
        ((9, 1023), ["16", "32", "64", "128", "256", "512"]),
        ((24, 24), []),
    ],
)
def test_labels_of_sizes_are_powers_of_two_that_fit(
    sizes: tuple[int, int], ticks: list[str]
) -> None:
    curves = [("a", [(sizes[0], 3.0)]), ("b", [(sizes[1], 7.0), (sizes[0], 2.0)])]
    chart = sizes_chart("EUR", curves, nodes=17)
    assert [text for _, text in chart.x.ticks or ()] == ticks
    assert chart.y.ends == pytest.approx((0.0, 1.35 * 7))
    assert chart.y.label == "price per port in EUR"
    assert [(mark.at, mark.text) for mark in chart.marks] == [(17.0, "17")]
    assert not sizes_chart("EUR", curves).marks
    points = [list(zip(track.x, track.y, strict=True)) for track in chart.tracks]
    assert points == [[(sizes[0], 3.0)], [(sizes[1], 7.0), (sizes[0], 2.0)]]
