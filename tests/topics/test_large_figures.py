"""What the pages of a map, of scaling and of a comparison show large, where the answer is known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.in_process import weft_here
from support.maps import map_record
from support.nights import night
from support.studies import record_of, rows_of, weak_cases
from weft.analysis.compare.comparison import compare
from weft.analysis.summary import summarise
from weft.report.comparison_cards import comparison_cards
from weft.report.front import cards_of
from weft.sources.sides import load_sides
from weft.studies.map_changes import change_figures, changed_maps
from weft.topics import results_of
from weft.topics.pair_map import PairMap, maps_of
from weft.topics.scaling import Scaling

if TYPE_CHECKING:
    from pathlib import Path


def said(
    path: Path, slow: dict[str, float], rounds: int = 0, **more: object
) -> list[tuple[str, ...]]:
    run = map_record(path / "m.jsonl", slow, rounds, **more)  # type: ignore[arg-type]
    return [one[2:] for one in PairMap().large(maps_of(run, None))]


def test_a_map_says_what_is_usual_the_slowest_way_and_who_is_slow(tmp_path: Path) -> None:
    usual, slowest, slow = said(tmp_path, {"n5": 2.0})
    assert usual[:2] == ("usual there and back, 8 B", "1.01 µs")
    assert slowest[1] in ("+99%", "+100%", "+101%")
    assert slowest[2].startswith("n5 to ")
    assert slow[:2] == ("slow", "n5 when it sends")
    assert slow[2].endswith("] slower over 6 ways")


@pytest.mark.parametrize(
    ("rounds", "more", "value", "below"),
    [
        (0, {}, "nobody", "28 rounds in 5 launches"),
        (1, {}, "not known", "1 round in 5 launches"),
        (0, {"gone": ("n3",)}, "nobody else", "n3 did not answer"),
    ],
)
def test_nobody_is_slow_only_where_that_was_told(
    tmp_path: Path, rounds: int, more: dict[str, tuple[str, ...]], value: str, below: str
) -> None:
    *_, slow = said(tmp_path, {}, rounds, **more)
    assert slow == ("slow", value, below)


def test_a_study_says_what_the_smallest_and_the_largest_lattice_keep(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases()))
    found = {one.what: (one.value, one.interval) for one in Scaling().large(rows)}
    kept = {what: words for what, words in found.items() if "efficiency" in what}
    assert list(kept) == ["milc 4^4 on 4 ranks: efficiency", "milc 14^4 on 4 ranks: efficiency"]
    values = [float(value.removesuffix(" %")) for value, _ in kept.values()]
    assert values == pytest.approx([100 / 2.0, 100 / 1.04], abs=0.5)
    assert all(below.startswith("[") for _, below in kept.values())
    assert any(
        what.startswith("most in ") and value.startswith("+") for what, (value, _) in found.items()
    )


def test_the_page_of_a_map_has_a_card_and_no_headline_that_says_it_again(tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {})
    [card] = cards_of([results_of(run, summarise(run))])
    assert card.title == "tcp"
    assert [what for what, _, _ in card.figures][-1] == "slow"


def test_a_comparison_says_how_many_times_as_fast_a_side_is(tmp_path: Path) -> None:
    records = [str(night(tmp_path, number, pace).path) for number, pace in ((1, 1.0), (2, 1.25))]
    found = compare(load_sides(records))
    cards = comparison_cards(found)
    assert cards
    for card in cards:
        names = [what for what, _, _ in card.figures]
        assert names[0].startswith("latency, ")
        for _, value, below in card.figures:
            assert float(value) == pytest.approx(0.8, abs=0.02)
            assert "times as fast" in below


def test_published_ratios_have_no_interval_and_each_quantity_its_own_test() -> None:
    first, singles = comparison_cards(compare(load_sides(["escher", "red-squall"])))
    assert first.figures[0] == ("latency, 0 B", "2.043", "times as fast: better")
    assert first.figures[1][0] == "ping_pong bandwidth, 4 MiB"
    assert singles.title == "Red Squall"


def test_of_several_sides_a_figure_bears_its_side() -> None:
    found = compare(load_sides(["escher", "red-squall", "callisto"]))
    names = [what for card in comparison_cards(found) for what, _, _ in card.figures]
    assert names[:2] == ["Red Squall: latency, 0 B", "Callisto: latency, 0 B"]


def test_two_maps_say_who_got_slower_and_how_much_longer_all_take(tmp_path: Path) -> None:
    runs = [
        map_record(tmp_path / f"{number}.jsonl", slow)
        for number, slow in enumerate(({}, {"n5": 2.0}))
    ]
    slower, together = change_figures(changed_maps(runs[:1], runs[1:]))
    assert slower[:4] == ("tcp", "", "got slower, 8 B", "n5 when it sends")
    assert "slower over 6 ways" in slower.interval
    assert together.what == "all together"
    assert together.value.startswith(("+", "-"))
    same, _ = change_figures(changed_maps(runs[:1], runs[:1]))
    assert same[3:] == ("nobody", "beside the others")
    paths = [str(run.path) for run in runs]
    words = ["compare", *paths, "-o", tmp_path / "maps.html"]
    assert weft_here(words, dict(os.environ)).returncode == 0
    assert "got slower, 8 B" in (tmp_path / "maps.html").read_text()
