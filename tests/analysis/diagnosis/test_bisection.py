"""What a link gets of matchings whose answer is known."""

import math

import msgspec
import numpy as np
import pytest

from weft.analysis.diagnosis.bisection import (
    LEAST_BYTES,
    Bisection,
    answer_of,
    bisection_of,
    bisection_of_map,
    why_no_bisection,
)
from weft.analysis.diagnosis.measured import MeasuredMap
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.fabric.known import KnownFabric
from weft.fabric.peaks import parse_link
from weft.plan.case import Case
from weft.plan.rounds import partners_in, rounds_of

ANSWER_NS = 1000.0
BYTES = 1 << 20


def mapped(nodes: int, rate: "dict[tuple[int, int], float]", launches: int = 3) -> PairTimes:
    """Each way at 1 GB/s but for those named, with an answer of 1 us behind it."""
    rows = [
        (rank, partner, launch * 100 + point, 1e9 * BYTES / rate.get((rank, partner), 1e9))
        for launch in range(launches)
        for point in range(rounds_of(nodes))
        for rank, partner in enumerate(partners_in(point, nodes))
        if partner < nodes
    ]
    source, target, visit, time_ns = map(np.array, zip(*rows, strict=True))
    return PairTimes(
        names=tuple(f"n{node}" for node in range(nodes)),
        source=source, target=target, visit=visit, time_ns=time_ns + ANSWER_NS,
    )  # fmt: skip


def found_in(times: PairTimes, link: str = "") -> Bisection:
    found = bisection_of(times, BYTES, ANSWER_NS, parse_link(link) if link else None)
    assert found is not None
    return found


@pytest.mark.parametrize("nodes", [4, 5, 8, 9])
def test_a_crossbar_gives_every_link_all(nodes: int) -> None:
    found = found_in(mapped(nodes, {}), "IB 4x SDR")
    assert found.matchings == 2 * rounds_of(nodes)
    values = (found.effective.value, found.least, *found.shares, found.greatest)
    assert values == pytest.approx([1e9] * len(values))
    # 4 lanes of 2.5 Gbit/s, 8 of 10 bits of them data.
    assert found.percent_of_peak == pytest.approx(100)
    assert len(found.worst) == nodes // 2


def test_the_worst_matching_is_that_of_the_slow_way() -> None:
    """One way of a matching of four at a quarter: 13/16; the other 13 matchings have all."""
    found = found_in(mapped(8, {(2, 5): 0.25e9}))
    assert found.worst[0] == ("n2", "n5")
    assert found.least == pytest.approx(13 / 16 * 1e9)
    assert found.greatest == pytest.approx(1e9)
    assert found.effective.value == pytest.approx((13 + 13 / 16) / 14 * 1e9)
    assert found.effective.low < found.effective.value < found.effective.high
    assert found.percent_of_peak is None


def test_rates_are_averaged_and_not_times() -> None:
    """Two ways at 1/4 and 3/4 are half on average; by their times they would be 3/8."""
    rates = {(i, j): 0.25e9 if i in (0, 1) else 0.75e9 for i in range(4) for j in range(4)}
    found = found_in(mapped(4, rates))
    assert found.least < found.greatest
    assert found.effective.value == pytest.approx(0.5e9)


def test_a_matching_with_a_pair_missing_does_not_count() -> None:
    times = mapped(6, {}, launches=1)
    lost = np.where((times.source == 0) & (times.target == 1), math.nan, times.time_ns)
    found = found_in(msgspec.structs.replace(times, time_ns=lost))
    assert found.matchings == 2 * rounds_of(6) - 1
    nothing = msgspec.structs.replace(times, time_ns=np.full(len(lost), math.nan))
    assert bisection_of(nothing, BYTES, ANSWER_NS, None) is None


def test_a_launch_that_was_disturbed_does_not_make_a_matching_the_worst() -> None:
    times = mapped(6, {})
    disturbed = np.where(times.visit == 101, 9 * times.time_ns, times.time_ns)
    assert found_in(msgspec.structs.replace(times, time_ns=disturbed)).least == pytest.approx(1e9)


@pytest.mark.parametrize(
    ("nodes", "size", "at_once", "why"),
    [
        (8, BYTES, 2, "pairs that took turns have no bisection bandwidth"),
        (8, LEAST_BYTES - 1, 0, "messages of less than 64 KiB have no bisection bandwidth"),
        (3, LEAST_BYTES, 0, "bisection bandwidth takes 4 endpoints or more"),
        (4, LEAST_BYTES, 0, "no matching of all endpoints was measured whole"),
    ],
)
def test_what_has_no_bisection_says_why(nodes: int, size: int, at_once: int, why: str) -> None:
    """Of the last nothing was measured, though it could have one."""
    case = Case(test="pair_rounds", transport="tcp", bytes=size, ranks=nodes, at_once=at_once)
    times = mapped(nodes, {})
    if nodes == 4:
        times = msgspec.structs.replace(times, time_ns=np.full(len(times.time_ns), math.nan))
    one = MeasuredMap(
        case=case, times=times, delays=times, fabric=KnownFabric(), launches=1, rounds=1
    )
    assert bisection_of_map(one, ANSWER_NS, None) is None
    assert why_no_bisection(one) == why


def test_pairs_at_once_have_one() -> None:
    case = Case(test="pair_rounds", transport="tcp", bytes=LEAST_BYTES, ranks=4)
    times = mapped(4, {})
    one = MeasuredMap(
        case=case, times=times, delays=times, fabric=KnownFabric(), launches=1, rounds=1
    )
    assert bisection_of_map(one, ANSWER_NS, None) is not None


def test_the_answer_to_a_message_is_of_its_own_transport() -> None:
    """Half of there and back of the smallest messages: 8 us over tcp, 2 us over ucx."""

    def measured(transport: str, size: int, time_ns: float) -> MeasuredMap:
        times = mapped(4, {})
        alike = msgspec.structs.replace(times, time_ns=np.full(len(times.source), time_ns))
        case = Case(test="pair_rounds", transport=transport, bytes=size, ranks=4)
        return MeasuredMap(
            case=case, times=alike, delays=alike, fabric=KnownFabric(), launches=1, rounds=1
        )

    small = {name: measured(name, 8, ns) for name, ns in (("tcp", 16e3), ("ucx", 4e3))}
    large = {name: measured(name, BYTES, 1e6) for name in small}
    maps = [*small.values(), *large.values()]
    assert [answer_of(large[name], maps) for name in ("tcp", "ucx")] == [8e3, 2e3]
    assert [answer_of(small[name], maps) for name in ("tcp", "ucx")] == [8e3, 2e3]
    # Nothing as short as an answer was measured over it.
    assert answer_of(large["ucx"], [small["tcp"], large["ucx"]]) == 0.0
