"""What a prediction shows: each cell is its fabric's own figure, each figure its record's own."""

import itertools
import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import pytest

from support.builders import pattern
from support.cells import UNITS, Shown, shows
from support.simulations import platform
from support.told import Lines
from weft.analysis.summary import CaseSummary, summarise
from weft.record.run import Run
from weft.sim.answer_charts import algorithms_chart, differences_chart
from weft.sim.answers import (
    Certainty,
    PredictedFabric,
    PredictedFigure,
    answers_table,
    limits_in_words,
)
from weft.sim.switches import switches_table
from weft.studies.predicted_figures import _mean, figures_of
from weft.tables import Table
from weft.topics import results_of

CERTAINTY = Certainty(mean=0.031, worst=0.17, fixed=0.07, byte=0.13, points=41, largest_bytes=4096)
NAMES = ("full", "half", "third")
# All slow the same way, so the platform as it is is an end of each interval.
MOVES = (1.04, 1.08, 1.21)
_NS, _RATE = UNITS["_ns"], UNITS["_bytes_per_s"]


def figure(fabric: int, case: int, moved: float = 1.0) -> PredictedFigure:
    """Unlike those of any other; every second is a bandwidth, one is a mean over drawn places."""
    is_rate = case % 2 == 1
    slower = moved * (1 + 0.07 * fabric * (case + 1))
    value = 3.1e9 / (slower * (1 + case)) if is_rate else 1234.5 * slower * (1 + case)
    more = {"low": 0.83 * value, "high": 1.29 * value, "draws": 29} if case == 2 else {}
    return PredictedFigure(
        case=f"c{case} {8 << 5 * case} B", value=value, is_rate=is_rate, bytes=8 << 5 * case,
        largest_bytes=8 << 5 * case, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def fabrics(cases: int = 4) -> tuple[PredictedFabric, ...]:
    return tuple(
        PredictedFabric(
            variant=name, nodes=53, switches=3 + at, record=f"{name}.jsonl",
            figures=tuple(figure(at, case) for case in range(cases)),
            # A move changes each fabric a little differently, so differences have an interval.
            moved=tuple(
                tuple(figure(at, case, move ** (1 + 0.1 * at)) for case in range(cases))
                for move in MOVES
            ),
        )
        for at, name in enumerate(NAMES)
    )  # fmt: skip


def slower(first: PredictedFigure, other: PredictedFigure) -> float:
    """In per cent of time: a bandwidth is turned round."""
    quotient = other.value / first.value
    return 100 * ((1 / quotient if first.is_rate else quotient) - 1)


def wanted(at: int, case: int) -> list[Shown | str]:
    answers = fabrics()
    own, first = answers[at].figures[case], answers[0].figures[case]
    units = _RATE if own.is_rate else _NS
    ends = (own.low or own.value, own.high or own.value)
    low, high = ends[0] / (1 + CERTAINTY.worst), ends[1] / (1 - CERTAINTY.worst)
    cells: list[Shown | str] = [own.case, answers[at].variant, Shown(value=own.value, units=units)]
    cells += [Shown(value=low, units=units), Shown(value=high, units=units)]
    if at == 0:
        return [*cells, ""]
    moves = [
        slower(one[case], other[case])
        for one, other in zip(answers[0].moved, answers[at].moved, strict=True)
    ]
    every = [slower(first, own), *moves]
    units = {"%": 1.0}
    return [*cells, Shown(value=every[0], low=min(every), high=max(every), units=units)]


def is_row(row: Sequence[str], cells: Sequence[Shown | str]) -> bool:
    low, _, high = row[3].partition(" to ")
    # A difference is written with its sign.
    more = row[4].replace("+", "")
    return all(map(shows, (*row[:3], low, high, more), cells))


def test_each_cell_is_its_fabrics_figure_with_its_interval() -> None:
    table = answers_table(platform(), fabrics(), CERTAINTY)
    assert table.head == ("case", "fabric", "figure", "by the calibration", "slower")
    places = list(itertools.product(range(4), range(3)))
    for row, (case, at) in zip(table.rows, places, strict=True):
        assert is_row(row, wanted(at, case)), (row, wanted(at, case))
        other = wanted((at + 1) % 3, case)
        assert not is_row(row, [*other[:1], row[1], *other[2:]])
        assert all(not is_row(wrong, wanted(at, case)) for wrong in swapped(row))


def swapped(row: Sequence[str]) -> Iterator[list[str]]:
    for left in range(len(row) - 1):
        yield [*row[:left], row[left + 1], row[left], *row[left + 2 :]]


def test_each_point_of_the_differences_is_its_fabrics() -> None:
    chart = differences_chart(fabrics(), 0.11)
    assert [track.label for track in chart.tracks] == [one.case for one in fabrics()[0].figures]
    assert [words for _, words in chart.x.ticks] == list(NAMES[1:])
    assert [mark.at for mark in chart.marks] == pytest.approx([0, 11])
    assert [mark.text for mark in chart.marks] == [NAMES[0], "11 %"]
    assert [mark.text for mark in differences_chart(fabrics(), None).marks] == [NAMES[0]]
    for case, track in enumerate(chart.tracks):
        for at, place in ((1, 0), (2, 1)):
            cell = wanted(at, case)[-1]
            assert isinstance(cell, Shown)
            found = (track.x[place], track.y[place], track.low[place], track.high[place])
            assert found == pytest.approx((at, cell.value, cell.low, cell.high))


ALGORITHMS = ("ring", "recursive-doubling", "bruck", "openmpi")


def by_algorithm() -> tuple[PredictedFabric, ...]:
    """Sizes that are in no order; which is the fastest changes with the size."""
    sizes = (65536, 8, 1024)
    return tuple(
        PredictedFabric(
            variant=f"fat-tree {name}", nodes=53, switches=3, algorithm=name,
            figures=tuple(
                PredictedFigure(
                    case=f"allreduce {size} B", bytes=size, largest_bytes=size,
                    value=700.0 + 131 * at + size * (0.9 - 0.17 * at),
                )
                for size in sizes
            ),
        )
        for at, name in enumerate(ALGORITHMS)
    )  # fmt: skip


def test_each_cell_of_algorithms_is_its_own_time() -> None:
    answers = by_algorithm()
    table = switches_table(platform(), answers, None)
    assert_algorithms(table, answers)
    others = tuple(table.head[:1] + table.head[2:0:-1] + table.head[3:])
    with pytest.raises(AssertionError):
        assert_algorithms(msgspec.structs.replace(table, head=others), answers)
    assert table.caption.startswith("allreduce predicted on 53 nodes, fat-tree, with links")
    assert_algorithms(switches_table(platform(), answers, None), answers)
    alone = switches_table(platform(), answers[:1], None)
    assert [row[0] for row in alone.rows] == ["8 B", "1 KiB", "64 KiB"]
    chart = algorithms_chart(answers)
    assert "allreduce on 53 nodes" in chart.title
    for track, one in zip(chart.tracks, answers, strict=True):
        known = {figure.bytes: figure.value / 1e3 for figure in one.figures}
        assert track.label == one.algorithm
        assert dict(zip(track.x, track.y, strict=True)) == pytest.approx(known)
        # Repeats are identical: no time has an end to either side.
        assert (set(track.low), set(track.high)) == ({-math.inf}, {math.inf})


def assert_algorithms(table: Table, answers: Sequence[PredictedFabric]) -> None:
    assert set(table.head) == {"size", *ALGORITHMS}
    sizes = {"8 B": 8, "1 KiB": 1024, "64 KiB": 65536}
    assert [row[0] for row in table.rows] == list(sizes)
    own = {one.algorithm: {figure.bytes: figure.value for figure in one.figures} for one in answers}
    for row in table.rows:
        size = sizes[row[0]]
        best = min(ALGORITHMS[:-1], key=lambda name: own[name][size])
        for name, cell in zip(table.head[1:], row[1:], strict=True):
            assert cell.endswith(" *") == (name == best)
            assert shows(cell.removesuffix(" *"), Shown(value=own[name][size], units=_NS))


def test_each_figure_is_the_mean_over_its_own_launches(unlike: Run) -> None:
    """Launches of a simulation are draws: their mean counts, with the range of most of them."""
    lines = Lines(unlike.path)
    results = results_of(unlike, summarise(unlike))
    known = [
        one
        for one in results.summaries
        if one.status == "ok" and pattern(one.test).figure not in ("overhead", "iteration")
    ]
    known = [one for one in known if one.latency_ns or one.bandwidth_bytes_per_s]
    lacking = {one.case for one in results.summaries} - {one.case for one in known}
    # A case's name here has no transport and no options: one of a name is enough.
    first: dict[tuple[str, int | None, int], CaseSummary] = {}
    for one in known:
        point = unlike.cases[one.case].point
        first.setdefault((one.test, point, one.bytes), one)
    lacking |= {one.case for one in known} - {one.case for one in first.values()}
    found = figures_of([results], [1.0], lacking)
    assert len(found) == len(first) > 30
    for figure, one in zip(found, first.values(), strict=True):
        own = pattern(one.test)
        medians = [float(np.median(lines.times(batch))) for batch in lines.batches[one.case]]
        # As far from the figure of all sessions as a launch is from the middle one.
        whole = lines.median(one.case, lines.times) / np.median(medians)
        times = [whole * median / (own.latency_divisor or 1) for median in medians]
        values = times
        if not own.latency_divisor:
            values = [own.bandwidth_factor * one.bytes * 1e9 / time for time in times]
        assert figure.is_rate is not bool(own.latency_divisor), one.case
        assert figure.draws == len(values)
        shown = (figure.value, figure.low, figure.high)
        assert shown == pytest.approx((np.mean(values), min(values), max(values))), one.case
        assert figure.case.startswith(one.test)
        assert figure.bytes == figure.largest_bytes == one.bytes


def test_a_mean_over_placements_counts_each_by_its_share() -> None:
    """Of 2, 3 and 7 with the shares 0.5, 0.3 and 0.2; nine tenths of all are between the ends."""
    own = [
        (PredictedFigure(case="c", value=value, largest_bytes=8), share)
        for value, share in ((7.0, 0.2), (2.0, 0.5), (3.0, 0.3))
    ]
    found = _mean(own)
    assert found.value == pytest.approx(3.3)
    assert (found.low, found.high, found.case) == (2.0, 7.0, "c")


def notes(answers: Sequence[PredictedFabric], certainty: Certainty | None) -> list[str]:
    return list(answers_table(platform(), answers, certainty).notes)


def test_each_figure_of_the_notes_is_its_own() -> None:
    known, ranges, extrapolated = notes(fabrics(), CERTAINTY)
    assert known == (
        "the model misses 41 published figures by 3.1 % on average and 17.0 % at most; the interval"
        " is of the most; that of a difference is how far it goes when all fabrics' latencies are"
        " moved by 7.0 % and their times of a byte by 13.0 %, what the model misses most where"
        " either counts most"
    )
    assert ranges == (
        "means over where ranks are: 90 % of these places are in the interval; pairs were drawn 29"
        " times"
    )
    # The largest of 8 B to 256 KiB is beyond the calibration's, the most switches are the third's.
    assert extrapolated == (
        "extrapolated: 53 nodes (2 were calibrated), 5 switches on a way (1 was), messages of"
        " 256 KiB (4 KiB were)"
    )


def test_what_was_held_out_says_within_which_factor_a_further_one_is() -> None:
    """Nine of further ones in ten are within the worst of nine; eight say it of themselves."""
    held = msgspec.structs.replace(CERTAINTY, of="held-out", points=8, further=0.37)
    for points, who in ((8, "all"), (9, "90 % of further ones")):
        [alone, _, _] = notes(fabrics()[:1], msgspec.structs.replace(held, points=points))
        assert alone == (
            f"the model misses {points} held-out figures by 3.1 % on average and 17.0 % at most;"
            f" {who} are within a factor of 1.37, and the interval is of that"
        )
    [several, *_] = notes(fabrics(), held)
    assert several.endswith("what the model misses so often where either counts most")


@pytest.mark.parametrize(
    ("nodes_", "switches", "largest", "said"),
    [
        (2, 1, 4096, []),
        (3, 1, 4096, ["extrapolated: 3 nodes (2 were calibrated)"]),
        (2, 2, 4096, ["extrapolated: 2 switches on a way (1 was)"]),
        (2, 1, 4097, ["extrapolated: messages of 4097 B (4 KiB were)"]),
    ],
)
def test_only_what_is_beyond_the_calibration_is_extrapolated(
    nodes_: int, switches: int, largest: int, said: list[str]
) -> None:
    case = PredictedFigure(case="c", value=1234.5, bytes=largest, largest_bytes=largest)
    one = PredictedFabric(variant="one", nodes=nodes_, switches=switches, figures=(case,))
    assert notes((one,), CERTAINTY)[1:] == said


def test_variants_are_within_a_limit_beyond_it_or_not_known() -> None:
    """Slower by 1/32, by 1/32 to 1/16, by 9/128: each limit is one of these, or just below."""

    def variant(name: str, *times: float) -> PredictedFabric:
        own = [PredictedFigure(case="c", value=time) for time in times]
        return PredictedFabric(
            variant=name,
            nodes=2,
            switches=1,
            figures=(own[0],),
            moved=tuple((one,) for one in own[1:]),
        )

    answers = (
        variant("a", 128, 128, 128),
        variant("b", 132, 132, 132),
        variant("c", 134, 136, 132),
        variant("d", 137, 137, 137),
    )
    said = [limits_in_words(answers, limit) for limit in (0.03, 1 / 32, 1 / 16, 9 / 128)]
    assert said == [
        "within 3 % of a: a; not within: b, c, d",
        "within 3.125 % of a: a, b; not within: d; not known: c",
        "within 6.25 % of a: a, b, c; not within: d",
        "within 7.03125 % of a: a, b, c, d",
    ]
    bare = tuple(msgspec.structs.replace(one, moved=()) for one in answers)
    assert limits_in_words(bare, 0.04) == (
        "within 4 % of a: a; not known: b, c, d (no difference has an interval)"
    )
