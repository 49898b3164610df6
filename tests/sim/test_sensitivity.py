"""Platforms moved within the errors of their calibration, and what that does to differences."""

from collections.abc import Sequence
from itertools import product

import msgspec
import pytest

from support.simulations import platform
from weft.fabric.topologies import FabricAsked
from weft.reference.library import find_platform
from weft.sim.answer_charts import algorithms_chart, differences_chart, has_differences
from weft.sim.answers import (
    Certainty,
    PredictedFabric,
    PredictedFigure,
    Slower,
    certainty_of,
    in_percent,
    notes_of,
    slower_within,
    within,
)
from weft.sim.fidelity import point_errors, predicted_ns
from weft.sim.platforms import protocols_of
from weft.sim.predicted import Variant, parameters_of, predicted
from weft.sim.sensitivity import Move, corners, moved

MOVES = corners((1 / 1.1, 1 / 0.9), (1 / 1.25, 1 / 0.75))


def fabric(name: str, fixed: float, byte: float, more: float = 0.0) -> PredictedFabric:
    """A fabric on which a case takes so long: latency, bytes, and what is not the platform's."""

    def figure(move: Move) -> PredictedFigure:
        return PredictedFigure(case="c", value=fixed * move.fixed + byte * move.byte + more)

    return PredictedFabric(
        variant=name, nodes=8, switches=1, figures=(figure(Move()),),
        moved=tuple((figure(move),) for move in MOVES),
    )  # fmt: skip


def ends_of(found: Slower) -> tuple[float | None, ...]:
    return found.value, found.low, found.high


def test_the_corners_are_where_both_kinds_of_time_may_be() -> None:
    # A model that is 25 % too long makes 80 of 100, and one that is 25 % too short 133.
    ends = list(product((1 / 1.1, 1 / 0.9), (0.8, 1 / 0.75)))
    found = sorted((one.fixed, one.byte) for one in MOVES)
    for one, wanted in zip(found, sorted(ends), strict=True):
        assert one == pytest.approx(wanted)


def test_a_ratio_of_latencies_knows_no_error_of_the_bandwidth() -> None:
    found = slower_within(fabric("a", 100.0, 0.0), fabric("b", 150.0, 0.0), 0)
    assert ends_of(found) == pytest.approx((0.5, 0.5, 0.5))


def test_a_ratio_of_bandwidths_knows_no_error_at_all() -> None:
    found = slower_within(fabric("a", 0.0, 100.0), fabric("b", 0.0, 200.0), 0)
    assert ends_of(found) == pytest.approx((1.0, 1.0, 1.0))


def test_a_ratio_of_both_has_the_ends_of_the_opposite_corners() -> None:
    found = slower_within(fabric("a", 100.0, 100.0), fabric("b", 100.0, 200.0), 0)
    assert found.value == pytest.approx(0.5)
    shares = [g / (a + g) for a, g in ((1 / 1.1, 1 / 0.75), (1 / 0.9, 0.8))]
    assert (found.high, found.low) == pytest.approx(tuple(shares))
    assert in_percent(found) == "+50.0 % [+41.9, +59.5]"


def test_a_time_that_is_not_the_platforms_makes_the_other_corners_count() -> None:
    found = slower_within(fabric("a", 100.0, 0.0), fabric("b", 100.0, 0.0, more=10.0), 0)
    assert (found.low, found.high) == pytest.approx((0.1 * 0.9, 0.1 * 1.1))


@pytest.mark.parametrize("still", [0, 1])
def test_a_difference_has_an_interval_where_both_fabrics_were_moved(still: int) -> None:
    both = [fabric("a", 100.0, 100.0), fabric("b", 100.0, 200.0)]
    both[still] = msgspec.structs.replace(both[still], moved=())
    found = slower_within(both[0], both[1], 0)
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (None, None)
    assert not found.is_known


def test_a_limit_has_three_answers() -> None:
    first = fabric("full", 100.0, 100.0)
    answers = (first, fabric("near", 100.0, 104.0), fabric("far", 100.0, 150.0))
    found = within(answers, 0.05)
    assert (found.within, found.beyond, found.unknown) == (("full", "near"), ("far",), ())
    found = within((first, fabric("maybe", 100.0, 110.0)), 0.05)
    assert found.unknown == ("maybe",)


def test_without_moves_nothing_is_decided() -> None:
    bare = [
        PredictedFabric(variant=name, nodes=8, switches=1,
                        figures=(PredictedFigure(case="c", value=value),))
        for name, value in (("a", 100.0), ("b", 104.0), ("c", 106.0))
    ]  # fmt: skip
    found = within(bare, 0.05)
    assert (found.within, found.beyond, found.unknown) == (("a",), (), ("b", "c"))
    assert not found.has_intervals
    assert in_percent(slower_within(bare[0], bare[1], 0)) == "+4.0 %"


def test_of_one_figure_that_is_not_known_the_fabric_is_not_known() -> None:
    def both(name: str, byte: float) -> PredictedFabric:
        one, two = fabric(name, 100.0, 100.0), fabric(name, 100.0, byte)
        return PredictedFabric(
            variant=name, nodes=8, switches=1, figures=(*one.figures, *two.figures),
            moved=tuple((*a, *b) for a, b in zip(one.moved, two.moved, strict=True)),
        )  # fmt: skip

    # The first figure is surely within, of the second it is not known.
    found = within((both("full", 100.0), both("maybe", 110.0)), 0.05)
    assert (found.within, found.beyond, found.unknown) == (("full",), (), ("maybe",))


def test_a_difference_without_an_interval_has_no_bar_and_says_so() -> None:
    first, other = fabric("full", 100.0, 100.0), fabric("half", 100.0, 150.0)
    bare = [msgspec.structs.replace(one, moved=()) for one in (first, other)]
    [track] = differences_chart(bare, None).tracks
    assert track.bars() == ([0.0], [0.0])
    assert (track.label, track.texts) == ("half", ("c: +25.0 %, interval not known",))
    assert "interval not known" in differences_chart(bare, None).words
    chart = differences_chart((first, other), None)
    assert chart.tracks[0].bars() != ([0.0], [0.0])
    assert "not known" not in chart.words + chart.tracks[0].texts[0]


def test_an_axis_of_differences_spans_a_per_cent_and_has_two_places() -> None:
    first = fabric("full", 100.0, 100.0)
    alike, slow = fabric("half", 100.0, 100.0, 0.05), fabric("third", 100.0, 150.0)
    # One difference stands in the table, and nothing is beside it on an axis.
    assert not has_differences((first,))
    assert not has_differences((first, alike))
    assert has_differences((first, alike, slow))
    assert differences_chart((first, alike), None).y.ends == (-1.0, 1.0)
    # A limit is seen too, and so is what is further off.
    assert differences_chart((first, alike), 0.05).y.ends is None
    assert differences_chart((first, alike, slow), None).y.ends is None
    chart = differences_chart((first, alike, slow), None)
    assert chart.x.ticks == ((1.0, "half"), (2.0, "third"))
    assert chart.x.ends == (0.5, 2.5)


def test_of_one_other_fabric_the_cases_stand_side_by_side() -> None:
    def several(name: str, *bytes_ns: float) -> PredictedFabric:
        every = [fabric(name, 100.0, ns) for ns in bytes_ns]
        figures = [
            msgspec.structs.replace(one.figures[0], case=f"c{at}") for at, one in enumerate(every)
        ]
        moves = zip(*(one.moved for one in every), strict=True)
        return msgspec.structs.replace(
            every[0], figures=tuple(figures), moved=tuple(sum(own, ()) for own in moves)
        )

    pair = several("full", 100.0, 100.0), several("half", 120.0, 150.0)
    assert has_differences(pair)
    chart = differences_chart(pair, None)
    assert (chart.x.label, [words for _, words in chart.x.ticks]) == ("case", ["c0", "c1"])
    [track] = chart.tracks
    assert track.label == "half"
    assert track.y == pytest.approx((10.0, 25.0))
    assert [text.partition(":")[0] for text in track.texts] == ["c0", "c1"]


def test_times_of_algorithms_have_no_bar_and_no_interval_of_no_width() -> None:
    answers = [
        msgspec.structs.replace(fabric(name, 100.0, byte), algorithm=name)
        for name, byte in (("ring", 100.0), ("bruck", 150.0))
    ]
    chart = algorithms_chart(answers)
    assert all(track.bars() == ([0.0], [0.0]) for track in chart.tracks)
    assert chart.tracks[0].texts == ("0 B: 200 ns [not known]",)
    assert "interval not known" in chart.words
    # Its file's name, in which there is no sign that a shell reads otherwise.
    assert chart.name == "predicted-algorithms"


def test_a_note_says_whether_differences_have_an_interval() -> None:
    first, other = fabric("full", 100.0, 100.0), fabric("half", 100.0, 150.0)
    bare = [msgspec.structs.replace(one, moved=()) for one in (first, other)]
    certainty = Certainty(
        mean=0.05, worst=0.1, fixed=0.08, byte=0.02, points=7, largest_bytes=1 << 30
    )

    def said(answers: Sequence[PredictedFabric]) -> str:
        return notes_of(platform(), answers, certainty)[0]

    shared = "and differences share that error: they have no interval here"
    assert "difference" not in said([first])
    assert said(bare).endswith(shared)
    assert said([first, bare[1]]).endswith(shared)
    moves = "latencies are moved by 8.0 % and their times of a byte by 2.0 %"
    assert moves in said([first, other])


def test_every_time_of_the_platform_is_moved_and_nothing_else() -> None:
    parts = parameters_of(platform())
    longer = moved(parts, Move(fixed=2.0, byte=4.0))
    assert longer.latency_ns == 2 * parts.latency_ns
    assert longer.bandwidth_bytes_per_s == parts.bandwidth_bytes_per_s / 4
    assert longer.bus_bytes_per_s == parts.bus_bytes_per_s / 4
    assert (longer.hop_ns, longer.flops_per_s) == (parts.hop_ns, parts.flops_per_s)
    for name in ("smpi/os", "smpi/ois", "smpi/or"):
        pairs = zip(parts.settings[name].split(";"), longer.settings[name].split(";"), strict=True)
        for before, after in pairs:
            size, fixed, byte = map(float, before.split(":"))
            wanted = (size, 2 * fixed, 4 * byte)
            assert tuple(map(float, after.split(":"))) == pytest.approx(wanted)
    others = {
        k: v for k, v in parts.settings.items() if k not in ("smpi/os", "smpi/ois", "smpi/or")
    }
    assert others.items() <= longer.settings.items()


def test_the_errors_of_latency_and_of_bandwidth_are_those_of_the_points_they_decide() -> None:
    published = find_platform("escher")
    found = certainty_of(published, "model")
    assert found is not None
    protocols = protocols_of(published, "model")
    fixed_of = predicted_ns(protocols.without_bytes())
    errors = point_errors(published, predicted_ns(protocols))
    of_bytes = [
        one.fraction for one in errors if (fixed_of(one.test, one.bytes) or 0) < one.time_ns / 2
    ]
    others = [
        one.fraction for one in errors if (fixed_of(one.test, one.bytes) or 0) >= one.time_ns / 2
    ]
    assert (found.byte, found.fixed) == (max(of_bytes), max(others))
    assert max(found.byte, found.fixed) == found.worst


def test_a_predicted_platform_has_its_algorithm_and_its_move() -> None:
    asked = FabricAsked(nodes=8, switch="24")
    variant = Variant(fabric=asked, algorithm="ring", settings={"smpi/allreduce": "lr"})
    plain = predicted(platform(), variant)
    assert '<prop id="smpi/allreduce" value="lr"/>' in plain.xml
    assert plain.name.endswith("fat-tree 1:1 ring")
    assert predicted(platform(), variant, move=Move(byte=2.0)).xml != plain.xml
