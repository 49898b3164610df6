"""Plans and stopping: pure, so every rule is checked without hardware."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.builders import make_clock, pattern
from weft.analysis.stats.precision import settled
from weft.errors import WeftError
from weft.measure.stopping import (
    CLOCK_SHARE,
    MOST_OPERATIONS,
    Amount,
    amount,
    budget_of_turns_s,
    calibration_amount,
    too_many_turns,
    too_short,
)
from weft.names import choose
from weft.plan.case import Case, Schedule
from weft.plan.cases import (
    Variants,
    crowding,
    make_cases,
    parse_options,
    parse_schedules,
    parse_variants,
    preset_of,
)
from weft.plan.memory import check_memory, within_memory
from weft.plan.pattern import Axis, Pattern

PING_PONG, STREAM = pattern("ping_pong"), pattern("stream")
CLOCK = make_clock()


def test_names_are_checked_and_hyphens_are_fine() -> None:
    assert choose("test", ["ping-pong", "PING_PONG"], ["ping_pong"]) == ("ping_pong",)
    with pytest.raises(WeftError, match="did you mean ping_pong"):
        choose("test", ["pingpong"], ["ping_pong", "stream"])
    with pytest.raises(WeftError, match="choose from ping_pong, stream"):
        choose("test", ["zzz"], ["ping_pong", "stream"])


def test_cases_are_every_test_transport_and_size() -> None:
    stream = msgspec.structs.replace(PING_PONG, name="stream", least_bytes=1)
    cases = make_cases(
        ["ping_pong", "stream"],
        ["mpi"],
        "0..2",
        patterns={"ping_pong": PING_PONG, "stream": stream},
    )
    assert [case.key for case in cases] == [
        "mpi/ping_pong/0",
        "mpi/ping_pong/1",
        "mpi/ping_pong/2",
        "mpi/stream/1",
        "mpi/stream/2",
    ]


def test_only_tests_with_an_axis_have_points() -> None:
    axis = Axis(name="work", unit="%", points="0,50")
    worked = msgspec.structs.replace(PING_PONG, name="worked", axis=axis)
    patterns = {"ping_pong": PING_PONG, "worked": worked}
    usual = make_cases(["ping_pong", "worked"], ["mpi"], "8", patterns=patterns)
    assert [case.key for case in usual] == [
        "mpi/ping_pong/8",
        "mpi/worked/8/at0",
        "mpi/worked/8/at50",
    ]
    asked = parse_variants("64", "one", "", points="10,90", single=False)
    cases = make_cases(["worked"], ["mpi"], "8", variants=asked, patterns=patterns)
    assert [case.point for case in cases] == [10, 90]
    [plain] = make_cases(["ping_pong"], ["mpi"], "8", variants=asked, patterns=patterns)
    assert plain.point is None


@pytest.mark.parametrize(
    ("known", "of_case"),
    [
        ({"figure": "collective"}, {"wait": "", "schedule": Schedule(), "pages": ""}),
        ({"figure": "copy"}, {"wait": ""}),
        ({"figure": "registration"}, {"wait": ""}),
        ({"every_operation": True}, {"single": False}),
        ({"has_queue": True}, {"queue_depth": 8}),
        ({"has_size": False, "least_bytes": 1}, {"bytes": 0}),
        ({}, {}),
    ],
)
def test_what_a_test_does_not_know_is_planned_once(
    known: dict[str, Any], of_case: dict[str, Any]
) -> None:
    one = msgspec.structs.replace(PING_PONG, **known)
    asked = parse_variants("8", "turn:4", "spin", pages="huge", single=True)
    patterns = {"ping_pong": one}
    [case] = make_cases(["ping_pong"], ["mpi"], "8", variants=asked, patterns=patterns)
    taken = {
        "wait": "spin", "schedule": Schedule(kind="turn", count=4), "pages": "huge",
        "single": True, "queue_depth": 64, "bytes": 8,
    }  # fmt: skip
    assert {name: getattr(case, name) for name in taken} == {**taken, **of_case}


@pytest.mark.parametrize("ranks", [-1, 0, 1, 5000])
def test_ranks_out_of_range(ranks: int) -> None:
    with pytest.raises(WeftError, match="use --ranks"):
        make_cases(["ping_pong"], ["mpi"], "8", ranks=ranks)


def test_sizes_beyond_memory_name_what_fits() -> None:
    cases = make_cases(["ping_pong"], ["mpi"], "8,1GiB")
    with pytest.raises(WeftError, match=r"--sizes 0\.\.254MiB"):
        check_memory(cases, 1 << 30)
    check_memory(cases, 64 << 30)


def test_buffers_beyond_memory_are_not_cured_by_smaller_messages() -> None:
    variants = parse_variants("64", "reuse:1048576:99%", "", single=False)
    with pytest.raises(WeftError, match=r"use fewer --buffers"):
        check_memory(make_cases(["ping_pong"], ["mpi"], "8", variants=variants), 8 << 30)


def test_asked_samples_are_part_of_the_memory() -> None:
    cases = make_cases(["ping_pong"], ["mpi"], "8")
    check_memory(cases, 64 << 20, samples=1000)
    with pytest.raises(WeftError, match="fewer --buffers, --samples"):
        check_memory(cases, 64 << 20, samples=1_000_000)


@pytest.mark.parametrize("points", ["1000001", "18014398509481984"])
def test_points_out_of_range(points: str) -> None:
    with pytest.raises(WeftError, match="use --points 0 to 1000000"):
        parse_variants("64", "one", "", points=points, single=False)


def test_crowded_cores_are_told() -> None:
    assert crowding(2, 2) == ""
    assert crowding(4, 2) == (
        "4 ranks share 2 cores: waiting ranks take the cores from working ones, so times include"
        " the scheduler. Fix: use --ranks 2 or a machine with more cores"
    )
    # Most tests need two ranks.
    assert crowding(2, 1).startswith("2 ranks share 1 core: ")
    assert crowding(2, 1).endswith("use more hosts (--hosts A,B) or a machine with more cores")


def test_schedules() -> None:
    assert parse_schedules("one") == (Schedule(),)
    assert parse_schedules("shared") == (Schedule(kind="shared"),)
    assert parse_schedules("turn:16") == (Schedule(kind="turn", count=16),)
    assert [one.count for one in parse_schedules("turn:1..8")] == [1, 2, 4, 8]
    assert parse_schedules("reuse:100:50%") == (
        Schedule(kind="reuse", count=100, reuse_percent=50),
    )
    shares = [one.reuse_percent for one in parse_schedules("reuse:100:0..100:25%")]
    assert shares == [0, 25, 50, 75, 100]
    for bad in ("", "turn", "turn:0", "reuse:1", "reuse:4:101%", "turn:9999999"):
        with pytest.raises(WeftError):
            parse_schedules(bad)


@pytest.mark.parametrize("operation_ns", [1.0, 50.0, 300.0, 5_000.0, 1e6])
def test_the_clock_costs_under_one_per_cent(operation_ns: float) -> None:
    case = Case(test="ping_pong", transport="mpi", bytes=8)
    chosen = amount(
        case, PING_PONG, operation_ns=operation_ns, latency_ns=100, clock=CLOCK, share_ns=1e7
    )
    cost_ns = CLOCK.overhead_ticks * CLOCK.tick_ns
    assert chosen.ops_per_sample * operation_ns >= CLOCK_SHARE * cost_ns
    single = amount(
        Case(test="ping_pong", transport="mpi", bytes=8, single=True), PING_PONG,
        operation_ns=operation_ns, latency_ns=100, clock=CLOCK, share_ns=1e7,
    )  # fmt: skip
    assert single.ops_per_sample == 1


def chosen_for(case: Case) -> Amount:
    return amount(
        case, pattern(case.test), operation_ns=100, latency_ns=5_000, clock=CLOCK, share_ns=1e8
    )


def test_a_sample_too_short_for_the_clock_is_told() -> None:
    case = Case(test="ping_pong", transport="mpi", bytes=8)
    least_ns = CLOCK_SHARE * CLOCK.overhead_ticks * CLOCK.tick_ns
    assert too_short(case, chosen_for(case), 0.99 * least_ns, 8)
    assert not too_short(case, chosen_for(case), least_ns, 8)
    assert not too_short(case, chosen_for(case), 0.0, 8)
    for test in ("ping_pong", "offered_load"):
        one = Case(test=test, transport="mpi", bytes=8, single=test == "ping_pong")
        assert not too_short(one, chosen_for(one), 0.1 * least_ns, 1)


@pytest.mark.parametrize("test", ["stream", "hot_spot_receive", "message_rate", "busy_stream"])
def test_a_streams_latencies_cost_under_one_per_cent(test: str) -> None:
    case = Case(test=test, transport="tcp", bytes=8)
    chosen = chosen_for(case)
    held_ns = pattern(test).latencies_per_sample * 5_000
    assert held_ns > 0
    assert chosen.ops_per_sample * 100 >= 100 * held_ns
    assert too_short(case, chosen, 99 * held_ns, chosen.ops_per_sample)
    assert not too_short(case, chosen, 100 * held_ns, chosen.ops_per_sample)


@pytest.mark.parametrize(
    ("test", "depths"), [("stream", {1, 8}), ("offered_load", {1, 8}), ("ping_pong", {64})]
)
def test_queue_depths_are_planned_for_every_test_with_a_queue(test: str, depths: set[int]) -> None:
    cases = make_cases(
        (test,),
        ("tcp",),
        "8",
        variants=Variants(queue_depths=(1, 8)),
        patterns={test: pattern(test)},
    )
    assert {case.queue_depth for case in cases} == depths


@given(
    count=st.integers(2, 4096),
    operation_ns=st.floats(10, 1e7),
    share_ns=st.floats(2e6, 5e8),
    asked=st.sampled_from([0, 3, 10, 1000]),
    test=st.sampled_from([PING_PONG, STREAM, pattern("burst")]),
    ranks=st.sampled_from([2, 8]),
)
def test_buffers_in_turn_are_used_in_whole_turns(
    count: int, operation_ns: float, share_ns: float, asked: int, test: Pattern, ranks: int
) -> None:
    schedule = Schedule(kind="turn", count=count)
    case = Case(test=test.name, transport="t", bytes=8, schedule=schedule, ranks=ranks)
    chosen = amount(
        case, test, operation_ns=operation_ns, latency_ns=1000, clock=CLOCK, share_ns=share_ns,
        asked_samples=asked,
    )  # fmt: skip
    # An operation of many streams is a message of any of them, of at most one for each peer.
    messages = chosen.ops_per_sample / (ranks - 1)
    assert chosen.warmup * messages >= count
    assert chosen.samples * messages >= 2 * count
    assert not asked or chosen.samples == asked
    needed_s = 3 * count * (ranks - 1) * operation_ns / 1e9
    budget_s = budget_of_turns_s(case, test, operation_ns, 5)
    assert budget_s == pytest.approx(2 * needed_s * 5)
    assert too_many_turns(case, budget_s, budget_s, 5) == ""
    assert too_many_turns(case, budget_s, budget_s * 0.998, 5)


def test_one_buffer_has_no_turns() -> None:
    for schedule in (Schedule(), Schedule(kind="turn", count=1), Schedule(kind="reuse", count=9)):
        case = Case(test="ping_pong", transport="t", bytes=8, schedule=schedule)
        assert budget_of_turns_s(case, PING_PONG, 1e9, 5) == 0


def test_a_slow_case_still_gets_a_few_samples() -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=1 << 22)
    chosen = amount(case, PING_PONG, operation_ns=1e9, latency_ns=1, clock=CLOCK, share_ns=1e6)
    assert chosen.samples >= 3


def test_settled_wants_precision_and_launches() -> None:
    assert not settled([], 0.01, 5)
    assert not settled([100.0, 100.1], 0.01, 5)
    assert not settled([100.0] * 4, 0.01, 5)
    assert settled([100.0, 100.1, 100.0, 99.9, 100.0], 0.01, 5)
    assert not settled([100.0, 120.0, 100.0, 99.9, 100.0], 0.01, 5)
    assert not settled([100.0], 0.01, 1)
    assert settled([100.0, 100.0], 0.01, 1)


@pytest.mark.parametrize("medians", [[0.0, 0.0], [0.0, 100.0], [100.0, -1.0]])
def test_times_that_are_none_are_never_settled(medians: list[float]) -> None:
    assert not settled(medians, 1.0, 2)


def test_the_rendezvous_sweep_is_the_published_one() -> None:
    preset = preset_of(["Rendezvous-Sweep"])
    assert preset is not None
    sizes = [case.bytes for case in make_cases(preset.tests, ["mpi"], preset.sizes)]
    assert sizes == [step * 16 << 20 for step in range(1, 126)]
    assert preset.launches * preset.samples == 10
    assert preset_of(["ping_pong"]) is None
    with pytest.raises(WeftError, match="cannot run with other tests"):
        preset_of(["rendezvous_sweep", "stream"])


def test_a_sweep_keeps_the_sizes_that_memory_permits() -> None:
    cases = make_cases(["ping_pong"], ["mpi"], "16MiB..2.1GB:16MiB")
    kept = within_memory(cases, 4 << 30)
    assert kept == cases[:63]
    check_memory(kept, 4 << 30)


def test_asked_samples_are_taken_however_long_they_are() -> None:
    case = Case(test="ping_pong", transport="mpi", bytes=1 << 30, single=True)
    chosen = amount(
        case, PING_PONG, operation_ns=1e9, latency_ns=100, clock=CLOCK, share_ns=1e6,
        asked_samples=2,
    )  # fmt: skip
    assert (chosen.samples, chosen.ops_per_sample) == (2, 1)


def test_pauses_are_part_of_a_batchs_time() -> None:
    paused = msgspec.structs.replace(PING_PONG, time_factor=30)
    case = Case(test="paused_burst", transport="mpi", bytes=8)
    chosen = amount(case, paused, operation_ns=10_000, latency_ns=1, clock=CLOCK, share_ns=3e7)
    assert chosen.samples * chosen.ops_per_sample * 10_000 * 30 <= 3e7


def test_under_load_a_sample_is_one_operation_and_there_are_many() -> None:
    case = Case(test="offered_load", transport="tcp", bytes=8, point=50)
    load = pattern("offered_load")
    chosen = amount(case, load, operation_ns=500, latency_ns=100, clock=CLOCK, share_ns=1e9)
    assert (chosen.ops_per_sample, chosen.samples) == (1, MOST_OPERATIONS)


@pytest.mark.parametrize(
    ("usual", "ranks", "points"),
    [("1..ranks-1", 8, [1, 2, 4, 7]), ("1..ranks-1", 2, [1]), ("1..ranks/2", 7, [1, 2, 3])],
)
def test_points_reach_as_far_as_the_ranks(usual: str, ranks: int, points: list[int]) -> None:
    axis = Axis(name="peers", points=usual)
    known = {"hot": msgspec.structs.replace(STREAM, name="hot", axis=axis)}
    cases = make_cases(["hot"], ["tcp"], "8", ranks=ranks, patterns=known)
    assert [case.point for case in cases] == points


def test_a_long_stream_that_takes_more_than_its_share_has_one_sample() -> None:
    case = Case(test="stream", transport="tcp", bytes=4 << 20)
    chosen = amount(case, STREAM, operation_ns=3e6, latency_ns=1e4, clock=CLOCK, share_ns=20e6)
    assert (chosen.samples, chosen.warmup) == (1, 1)
    assert chosen.ops_per_sample >= case.queue_depth
    look = calibration_amount(case, STREAM)
    assert (look.samples, look.queue_depth) == (1, 4)


def test_time_beyond_the_most_samples_goes_into_longer_ones() -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    chosen = amount(case, PING_PONG, operation_ns=1000, latency_ns=500, clock=CLOCK, share_ns=200e6)
    spans_ns = (chosen.samples * chosen.ops_per_sample) * 1000
    assert spans_ns == pytest.approx(200e6, rel=0.02)
    assert chosen.samples == pytest.approx(2000, rel=0.02)


def test_a_clock_that_reads_no_cost_of_its_own_costs_a_tick() -> None:
    """A coarse clock moves between few of its pairs of reads: the median cost it tells is none."""
    coarse = msgspec.structs.replace(CLOCK, tick_ns=40.0, overhead_ticks=0)
    assert coarse.cost_ns == 40.0
    assert CLOCK.cost_ns == CLOCK.overhead_ticks * CLOCK.tick_ns


def test_interruptions_that_hold_most_of_the_time_are_planned_for() -> None:
    """Half of the operations take a microsecond, and on average they take a millisecond."""
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    chosen = amount(
        case, PING_PONG, operation_ns=1000, pace_ns=1e6, latency_ns=500, clock=CLOCK, share_ns=1e9
    )
    assert chosen.samples * chosen.ops_per_sample * 1e6 <= 1.01e9
    assert chosen.ops_per_sample * 1000 >= chosen.least_sample_ns


@pytest.mark.parametrize("again", ["tcp.port=7001", "tcp.port=7000"])
def test_an_option_that_is_set_twice_is_refused(again: str) -> None:
    assert parse_options(["tcp.port=7000", "ucx.device=a"]) == {
        "tcp.port": "7000",
        "ucx.device": "a",
    }
    with pytest.raises(WeftError, match=r"tcp\.port is set twice"):
        parse_options(["tcp.port=7000", "ucx.device=a", again])
