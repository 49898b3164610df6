"""What the money buys: per bandwidth, per microsecond saved, and who is on the Pareto front."""

import math
import re
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from support.price_lists import PARTS, price_list
from weft.analysis.fabric_value import (
    Application,
    Delivered,
    FabricOption,
    delivered_by,
    values_of,
)
from weft.analysis.fits.sweeps import series_of_run
from weft.analysis.stats.needed import Needed, apart
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.fabric.cost import cost_of
from weft.fabric.price_list import PriceList
from weft.fabric.topologies import FabricAsked, build
from weft.plan.case import Case
from weft.plan.command import NextSession
from weft.record.run import Run
from weft.sources.price_lists import read_prices
from weft.topics.fabric_value import value_charts, value_notes, value_table


def estimate(value: float, half: float) -> Estimate:
    return Estimate(
        value=value, low=value - half, high=value + half, coverage=0.95, method="", launches=5
    )


def delivered(latency_us: float, gb_per_s: float = 0.9, half: float = 0.01) -> Delivered:
    return Delivered(
        name="measured",
        latency_ns=estimate(latency_us * 1e3, half * 1e3),
        bandwidth_bytes_per_s=estimate(gb_per_s * 1e9, half * 1e9),
    )


@pytest.fixture
def prices(tmp_path: Path) -> PriceList:
    return read_prices(price_list(tmp_path / "a.toml"))


def option(
    prices: PriceList,
    name: str,
    blocking: str = "2:1",
    measured: Delivered | None = None,
    link: str = "IB 4x SDR",
) -> FabricOption:
    built = build(FabricAsked(nodes=192, switch="24", blocking=blocking, link=link))
    cost = cost_of(built.parts, built.ports, prices)
    return FabricOption(name=name, built=built, cost=cost, delivered=measured)


def test_dollars_per_bandwidth_at_the_links_peak(prices: PriceList) -> None:
    """Table 10: 192 ports cost 360160; half-bandwidth has 48 cables of 1 GB/s."""
    [value] = values_of([option(prices, "a")])
    assert value.total == 360160
    assert value.bisection_bytes_per_s == 48e9
    assert value.price_per_gb_per_s == pytest.approx(360160 / 48)
    assert value.bisection_per_node == pytest.approx(48e9 / 192)
    assert (value.rests_on, value.saves) == ("peak of InfiniBand 4x SDR", "baseline")


def test_dollars_per_bandwidth_as_measured_with_its_interval(prices: PriceList) -> None:
    [value] = values_of([option(prices, "a", measured=delivered(4.0, 0.8, 0.1))])
    assert value.price_per_gb_per_s == pytest.approx(360160 / (48 * 0.8))
    assert value.price_per_gb_per_s_low == pytest.approx(360160 / (48 * 0.9))
    assert value.price_per_gb_per_s_high == pytest.approx(360160 / (48 * 0.7))
    assert value.rests_on == "measured"


def test_dollars_per_microsecond_saved(prices: PriceList) -> None:
    slow = option(prices, "slow", measured=delivered(6.0))
    fast = option(prices, "fast", "1:1", delivered(4.0))
    values = values_of([slow, fast])
    more = (fast.cost.total - slow.cost.total) / 192
    assert more > 0
    assert values[1].price_per_us_saved == pytest.approx(more / 2)
    assert values[1].price_per_us_saved_low == pytest.approx(more / 2.02)
    assert values[1].price_per_us_saved_high == pytest.approx(more / 1.98)
    assert values[1].saves == "faster"
    [_, back] = values_of([fast, slow])
    assert (back.price_per_us_saved, back.saves) == (None, "saves no time")
    same_price = option(prices, "same", measured=delivered(4.0))
    [_, free] = values_of([slow, same_price])
    assert (free.price_per_us_saved, free.saves) == (None, "as cheap, and faster")
    [_, cheaper] = values_of([option(prices, "a", "1:1", delivered(6.0)), same_price])
    assert (cheaper.price_per_us_saved, cheaper.saves) == (None, "cheaper and faster")


def test_equal_is_equal_and_without_an_interval_there_is_no_price(prices: PriceList) -> None:
    one = option(prices, "one", measured=delivered(4.0))
    [_, same] = values_of([one, option(prices, "same", "1:1", delivered(4.0))])
    assert (same.price_per_us_saved, same.saves) == (None, "equal")
    published = msgspec.structs.replace(
        delivered(3.0),
        latency_ns=Estimate(value=3e3, low=-math.inf, high=math.inf, coverage=0.0, method=""),
    )
    [_, other] = values_of([one, option(prices, "other", "1:1", published)])
    assert (other.price_per_us_saved, other.saves) == (None, "interval not known")


def test_two_half_rails_are_no_cheaper_than_one_full_rail(prices: PriceList) -> None:
    """96 nodes: 360,160 for two half rails, 224,280 for one full rail; both have 48 GB/s."""

    def of(rails: int, blocking: str) -> FabricOption:
        asked = FabricAsked(nodes=96, switch="24", blocking=blocking, rails=rails, link="IB 4x SDR")
        built = build(asked, prices)
        return FabricOption(
            name=f"{rails}", built=built, cost=cost_of(built.parts, built.ports, prices)
        )

    two, one = values_of([of(2, "2:1"), of(1, "1:1")])
    assert (two.total, one.total) == (360160, 224280)
    assert two.bisection_bytes_per_s == one.bisection_bytes_per_s == 48e9
    assert (two.is_on_front, one.is_on_front) == (False, True)
    assert (two.nodes, two.ports, one.ports) == (96, 192, 96)
    assert two.per_node == 360160 / 96
    # A node has the full 1 GB/s while one half sends to the other.
    assert one.delivered_bytes_per_s == 1e9
    assert one.price_per_node_gb_per_s == pytest.approx(224280 / 96)
    head, row = value_table([two, one]).head, value_table([two, one]).rows[0]
    assert row[head.index("ports")] == "192"
    assert row[head.index("nodes")] == "96"
    assert row[head.index("per node")] == "3,752"


def test_what_was_measured_over_several_rails_is_not_taken_for_each(prices: PriceList) -> None:
    asked = FabricAsked(nodes=96, switch="24", rails=2)
    built = build(asked, prices)
    cost = cost_of(built.parts, built.ports, prices)
    both = msgspec.structs.replace(delivered(4.0, 1.8), rails=2)
    [value] = values_of([FabricOption(name="a", built=built, cost=cost, delivered=both)])
    assert value.bisection_bytes_per_s == 96 * 0.9e9


def test_intervals_that_overlap_save_nothing_that_is_known(prices: PriceList) -> None:
    slow = option(prices, "slow", measured=delivered(4.1, half=0.1))
    fast = option(prices, "fast", "1:1", delivered(4.0, half=0.1))
    [_, value] = values_of([slow, fast])
    assert (value.price_per_us_saved, value.saves) == (None, "not significant")


def test_what_would_tell_two_latencies_apart_is_for_the_distance_between_them(
    prices: PriceList,
) -> None:
    again = NextSession(record="a.jsonl", launches=5, made=5, launch_s=2.0, budget_s=60.0)

    def advised(slower: float) -> tuple[float, Needed]:
        of_slow, of_fast = (
            msgspec.structs.replace(delivered(us, half=0.4), again=again) for us in (slower, 4.0)
        )
        options = [option(prices, "slow", measured=of_slow), option(prices, "fast", "1:1", of_fast)]
        [line, *_] = values_of(options)[1].advice
        [said] = re.findall(r"takes about (\d+) launches", line)
        needed = apart(of_fast.latency_ns, of_slow.latency_ns, math.log(slower / 4.0))
        return float(said), needed

    found = [advised(slower) for slower in (4.2, 4.4, 4.6)]
    assert [said for said, _ in found] == [needed.count for _, needed in found]
    counts = [said for said, _ in found]
    assert counts == sorted(set(counts), reverse=True)


def test_the_front_has_whom_nobody_beats(prices: PriceList) -> None:
    cheap = option(prices, "cheap", "3:1")
    wide = option(prices, "wide", "1:1")
    doubled = msgspec.structs.replace(wide.cost, total=2 * wide.cost.total)
    beaten = msgspec.structs.replace(wide, name="beaten", cost=doubled)
    values = values_of([beaten, cheap, wide])
    assert [value.is_on_front for value in values] == [False, True, True]
    [chart] = value_charts(values)
    front = chart.tracks[0]
    assert front.label == "Pareto front"
    assert front.x == (values[1].per_node, values[2].per_node)
    assert front.y == pytest.approx((33e3 / 192, 96e3 / 192))  # 11 leaves of 6 uplinks
    assert "*" not in value_table(values).rows[0][0]


def test_what_one_option_does_not_know_is_not_compared(prices: PriceList) -> None:
    without = option(prices, "without", "1:1", link="")
    values = values_of([option(prices, "a", measured=delivered(4.0)), without])
    assert [value.is_on_front for value in values] == [True, False]  # by its price alone
    assert values[1].price_per_gb_per_s is None
    assert values[1].saves == "nothing measured"
    assert value_charts(values) == []


def test_unlike_currencies_are_refused(tmp_path: Path, prices: PriceList) -> None:
    head = 'title = "b"\ncurrency = "EUR"\ndate = "2026"\n'
    euros = read_prices(price_list(tmp_path / "b.toml", head=head, parts=PARTS))
    with pytest.raises(WeftError, match="a costs USD and b EUR; convert"):
        values_of([option(prices, "a"), option(euros, "b")])


def test_dollars_per_mflop_of_an_application_on_all_nodes(prices: PriceList) -> None:
    application = Application(name="milc 8^4 on 16 ranks, mpi", flops_per_s=estimate(2e9, 0.5e9))
    priced = msgspec.structs.replace(option(prices, "a"), application=application)
    [value] = values_of([priced])
    assert value.flops_per_s == 192 * 2e9
    assert value.price_per_mflop_per_s == pytest.approx(360160 / (192 * 2000))
    assert value.price_per_mflop_per_s_low == pytest.approx(360160 / (192 * 2500))
    assert value.price_per_mflop_per_s_high == pytest.approx(360160 / (192 * 1500))
    said = "USD 0.938 [0.750, 1.25] of fabric per MFlop/s on 192 nodes (milc 8^4 on 16 ranks, mpi)"
    assert said in value_notes(value)
    assert f"a: {said}" in value_table([value]).notes


def test_a_resumed_record_is_priced_over_its_sessions(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8, 1024))
    run = weft.load(synthetic_record(tmp_path / "a.jsonl", cases, launches=6))
    launches = tuple(
        msgspec.structs.replace(one, session=one.launch // 2) for one in run.lines.launches
    )
    resumed = Run(run.path, msgspec.structs.replace(run.lines, launches=launches))
    found = [
        delivered_by(series_of_run(one, "ping_pong", "tcp"), None).latency_ns
        for one in (run, resumed)
    ]
    assert [(one.unit, one.launches) for one in found] == [("launch", 6), ("session", 3)]


def test_the_bandwidth_of_an_option_is_the_best_and_is_named_by_its_size(tmp_path: Path) -> None:
    """At 64 KiB a byte takes a nanosecond, at the other sizes two; a latency is half of a round."""

    def times_ns(case: Case, launch: int) -> list[float]:
        both_ways = 2 if case.test == "ping_pong" else 1
        of_a_byte = LAUNCH_EFFECTS[launch] * (1.0 if case.bytes == 1 << 16 else 2.0)
        return [both_ways * case.bytes * of_a_byte] * 9

    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 1 << 16, 1 << 22))
    run = weft.load(synthetic_record(tmp_path / "a.jsonl", cases, launches=5, times_ns=times_ns))
    latency, stream = (series_of_run(run, test, "tcp") for test in ("ping_pong", "stream"))
    for found, name in (
        (delivered_by(latency, stream), f"{latency.name} 8 B, {stream.name} 64 KiB"),
        (delivered_by(latency, None), f"{latency.name} 8 B, 64 KiB"),
    ):
        assert found.name == name
        assert found.latency_ns.value == pytest.approx(16)
        assert found.bandwidth_bytes_per_s.value == pytest.approx(1e9)
