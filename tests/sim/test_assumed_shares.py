"""Assumed times of switches and additions: their ranges, shares, and effect on differences."""

from collections.abc import Sequence

import pytest

from support.simulations import platform
from weft.fabric.topologies import FabricAsked
from weft.sim.answers import (
    AssumedFigures,
    Certainty,
    PredictedFabric,
    PredictedFigure,
    answers_table,
    slower_within,
)
from weft.sim.assumed_shares import assumptions_in_words, with_shares
from weft.sim.assumptions import assumed_adder, assumed_computing, assumed_switches
from weft.sim.predicted import Variant, every_placed, parameters_of
from weft.sim.sensitivity import ends_of_ranges, with_assumed
from weft.sim.switches import in_words, switches_of

SWITCHES, ADDER = assumed_switches(), assumed_adder(1e9)
BOTH = (SWITCHES, ADDER)
KNOWN = Certainty(mean=0.01, worst=0.1, points=41, largest_bytes=1 << 22)
# A latency, further switches and additions of each size, which makes 20, 16 and 64 % of a time.
OWN_NS, FURTHER, ADDITIONS = 500.0, 2, 1600


def time_ns(
    switch_ns: float,
    addition_ns: float,
    own_ns: float = OWN_NS,
    further: int = FURTHER,
    additions: int = ADDITIONS,
) -> float:
    return own_ns + further * switch_ns + additions * addition_ns


def fabric(
    name: str,
    *counts: tuple[float, int, int],
    is_rate: bool = False,
    algorithm: str = "",
) -> PredictedFabric:
    """A fabric whose cases have a fixed part, and this many further switches and additions."""

    def figures(switch_ns: float, addition_ns: float) -> tuple[PredictedFigure, ...]:
        times = [time_ns(switch_ns, addition_ns, *own) for own in counts]
        return tuple(
            PredictedFigure(
                case=f"c{at}", value=1e12 / time if is_rate else time, is_rate=is_rate,
                bytes=8 << at,
            )
            for at, time in enumerate(times)
        )  # fmt: skip

    plain = figures(SWITCHES.usual_ns, ADDER.usual_ns)
    ends = tuple(
        AssumedFigures(
            assumed_ns=move.assumed_ns,
            figures=figures(
                move.assumed_ns.get("switches", SWITCHES.usual_ns),
                move.assumed_ns.get("adder", ADDER.usual_ns),
            ),
        )
        for move in ends_of_ranges(BOTH)
    )
    found = PredictedFabric(
        variant=name, nodes=8, switches=3, figures=plain, moved=(plain,), assumed=ends,
        algorithm=algorithm,
    )  # fmt: skip
    return with_shares(found, BOTH)


def test_each_end_is_simulated_once_and_the_usual_time_not_again() -> None:
    assert [one.assumed_ns for one in ends_of_ranges(BOTH)] == [
        {"switches": 100}, {"switches": 400}, {"adder": 0.05}, {"switches": 100, "adder": 0.05},
    ]  # fmt: skip
    assert [one.assumed_ns for one in ends_of_ranges([SWITCHES])] == [
        {"switches": 100}, {"switches": 400},
    ]  # fmt: skip
    assert [one.assumed_ns for one in ends_of_ranges([ADDER])] == [{"adder": 0.05}]
    assert ends_of_ranges([]) == ()


def test_the_range_of_an_adder_has_a_rank_that_computes_slower_or_faster() -> None:
    found = [assumed_adder(rate) for rate in (0.5e9, 4e9, 40e9)]
    assert [one.usual_ns for one in found] == pytest.approx([2, 0.25, 0.025])
    assert [one.least_ns for one in found] == pytest.approx([0.05, 0.05, 0.025])
    assert [one.most_ns for one in found] == pytest.approx([2, 1, 1])


def test_computing_is_assumed_apart_from_additions() -> None:
    own = parameters_of(platform())
    [fast] = ends_of_ranges([assumed_computing(1e9)])
    found = with_assumed(own, fast)
    assert (found.flops_per_s, found.sum_bytes_per_s) == pytest.approx((20e9, 4e9))


def test_a_platform_with_assumed_times_has_them_on_its_links() -> None:
    """An addition of four bytes in 0.05 ns is 80 GB/s."""
    own = parameters_of(platform())
    both = ends_of_ranges(BOTH)[-1]
    assert with_assumed(own, both).sum_bytes_per_s == pytest.approx(80e9)
    variant = Variant(fabric=FabricAsked(nodes=4, switch="3", blocking="2:1"), hop_ns=200)
    [usual] = every_placed(platform(), variant)
    [changed] = every_placed(platform(), variant, move=both)
    assert "200 ns for each further switch" in usual.platform.origin
    assert "100 ns for each further switch" in changed.platform.origin
    assert "sum-rate" not in usual.platform.xml
    assert 'id="sum-rate" value="80000000000"' in changed.platform.xml


@pytest.mark.parametrize("is_rate", [False, True])
def test_shares_are_the_parts_of_a_time(is_rate: bool) -> None:
    [figure] = fabric("a", (OWN_NS, FURTHER, ADDITIONS), is_rate=is_rate).figures
    assert figure.shares == pytest.approx({"switches": 0.16, "adder": 0.64})
    least, most = time_ns(100, 0.05), time_ns(400, 1)
    wanted = (1e12 / most, 1e12 / least) if is_rate else (least, most)
    assert (figure.least, figure.most) == pytest.approx(wanted)


def test_the_table_shows_shares_above_a_tenth_and_intervals_cover_the_ranges() -> None:
    answers = (fabric("a", (500.0, 2, 1600), (10_000.0, 1, 0)),)
    table = answers_table(platform(), answers, KNOWN)
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    assert [row["assumed"] for row in rows] == ["switches 16 %, adder 64 %", ""]
    # 780 ns to 2.9 us, and 10 % either side.
    assert rows[0]["by the calibration"] == "709 ns to 3.22 µs"
    switches, adder = assumptions_in_words(BOTH, answers)
    assert "200 ns for each further switch, up to 16 % of a value (c0, a)" in switches
    assert "intervals cover 100 ns to 400 ns" in switches
    assert "1.00 GFlop/s in a sum, up to 64 % of a value (c0, a)" in adder
    assert "intervals cover 1.00 GFlop/s to 20.0 GFlop/s" in adder


def test_small_shares_are_in_no_column() -> None:
    answers = (fabric("a", (10_000.0, 1, 0)),)
    assert "assumed" not in answers_table(platform(), answers, KNOWN).head
    assert "at most 10 % of each value" in assumptions_in_words([SWITCHES], answers)[0]


def test_without_simulated_ends_no_interval_covers_an_assumption() -> None:
    plain = PredictedFigure(case="c", value=100.0)
    answers = (PredictedFabric(variant="a", nodes=8, switches=3, figures=(plain,)),)
    assert with_shares(answers[0], BOTH) == answers[0]
    [line] = assumptions_in_words([SWITCHES], answers)
    assert "no interval covers 100 ns to 400 ns" in line
    assert assumptions_in_words([], answers) == ()


def test_a_difference_covers_the_assumptions_that_fabrics_do_not_share() -> None:
    """Two more switches add 400 ns to 1 us: 200 to 800 ns."""
    near, far = fabric("near", (1000.0, 0, 0)), fabric("far", (1000.0, 2, 0))
    found = slower_within(near, far, 0)
    assert (found.value, found.low, found.high) == pytest.approx((0.4, 0.2, 0.8))


def algorithms(*each: tuple[str, Sequence[tuple[float, int, int]]]) -> list[PredictedFabric]:
    return [fabric(name, *counts, algorithm=name) for name, counts in each]


def test_a_switch_of_algorithms_says_on_what_it_depends() -> None:
    """Few additions win at 8 B with a slow adder; with a fast one they lose from there on."""
    answers = algorithms(
        ("few", [(300.0, 0, 100), (900.0, 0, 100), (900.0, 0, 100)]),
        ("many", [(250.0, 0, 400), (550.0, 0, 400), (350.0, 0, 400)]),
    )
    first, second = switches_of(answers)
    assert (first.algorithm, second.algorithm) == ("few", "many")
    assert (second.from_bytes, second.earliest, second.latest) == (16, 8, 16)
    assert second.depends == ("adder",)
    [line] = in_words(answers)
    assert "many from 16 B [8 B to 16 B; depends on the assumed adder]" in line
    assert "by the calibration's error and the assumptions" in line


def test_a_switch_that_no_assumption_moves_depends_on_none() -> None:
    answers = algorithms(
        ("few", [(100.0, 0, 100), (900.0, 0, 100)]),
        ("many", [(600.0, 0, 400), (300.0, 0, 400)]),
    )
    assert [one.depends for one in switches_of(answers)] == [(), ()]
    [line] = in_words(answers)
    assert line.endswith("whatever the calibration's error and the assumptions")
