"""LogGP and PLogP from parameters that are known."""

import msgspec
import numpy as np
import pytest

from support.noise import KINDS, relative_noise
from weft.analysis.fits.delays import DelayTest
from weft.analysis.fits.loggp import LogGP, from_delays, from_series
from weft.analysis.fits.models import fit_models
from weft.analysis.fits.sweeps import Series, series_of_times
from weft.errors import WeftError
from weft.estimate import Estimate

TRIALS = 1000
# The intervals hold medians and means of launches, so a little more than 95 % of either.
LOWEST, HIGHEST = 0.93, 0.98
L, SEND, RECEIVE, GAP, BYTE = 1800.0, 300.0, 250.0, 700.0, 0.12
SIZES = (1, 64, 1024, 16384, 65536, 262144)
MESSAGES = 10


def delay_test(size: int, factors: tuple[float, ...] = (1.0,) * 4) -> DelayTest:
    """What the delay method sees at a size, each figure by its factor; o_s and o_r grow a little.

    The pause is 1.5 round trips.
    """
    send, receive = SEND + 0.01 * size, RECEIVE + 0.02 * size
    single = 2 * (L + SEND + RECEIVE + (size - 1) * BYTE)
    pause = 1.5 * single
    return DelayTest(
        bytes=size,
        messages=MESSAGES,
        single_ns=single * factors[0],
        burst_ns=single * factors[0] + (MESSAGES - 1) * (GAP + (size - 1) * BYTE) * factors[1],
        delayed_ns=single * factors[0] + (MESSAGES - 1) * (pause + send * factors[2]),
        delay_ns=pause,
        receive_ns=receive * factors[3],
    )


def with_overheads(send: float, receive: float) -> tuple[tuple[DelayTest, ...], ...]:
    """Three launches that differ a little, of messages whose calls take so long."""
    launches = []
    for launch in (0.999, 1.0, 1.001):
        tests = []
        for size in SIZES:
            one = delay_test(size)
            pause = one.delay_ns
            tests.append(
                msgspec.structs.replace(
                    one,
                    delayed_ns=one.single_ns + (MESSAGES - 1) * (pause + send * launch),
                    receive_ns=receive * launch,
                )
            )
        launches.append(tuple(tests))
    return tuple(launches)


def test_a_latency_below_zero_is_reported_with_what_it_means() -> None:
    """The calls together take longer than the message: some of the receiver's work is in both."""
    whole = L + SEND + RECEIVE
    model = from_delays("tcp", with_overheads(0.9 * whole, 0.5 * whole))
    assert model.latency_ns is not None
    assert model.latency_ns.value == pytest.approx(-0.4 * whole, rel=0.01)
    assert model.latency_ns.high < 0
    assert any("L is below zero" in note and "receiver" in note for note in model.notes)
    assert model.transfer_ns.value == pytest.approx(whole, rel=0.01)


def test_a_latency_above_zero_or_about_it_is_told_apart() -> None:
    assert from_delays("mpi", with_overheads(SEND, RECEIVE)).notes == ()
    whole = L + SEND + RECEIVE
    about = from_delays("mpi", with_overheads(0.5 * whole, 0.5 * whole))
    assert any("not significantly above zero" in note for note in about.notes)


def holds(parameter: Estimate | None, truth: float) -> bool:
    return parameter is not None and parameter.low <= truth <= parameter.high


def held(model: LogGP) -> list[bool]:
    """Whether each interval holds its truth."""
    # At one byte, where L is taken, the overheads hold a little more than SEND and RECEIVE.
    answers = [
        holds(model.transfer_ns, L + SEND + RECEIVE),
        holds(model.latency_ns, L - 0.03),
        holds(model.gap_ns, GAP),
        holds(model.gap_ns_per_byte, BYTE),
        holds(model.plogp_latency_ns, L + SEND + RECEIVE - GAP),
    ]
    for overhead, gap in zip(model.overheads, model.gaps, strict=True):
        answers += [
            holds(overhead.send_ns, SEND + 0.01 * overhead.bytes),
            holds(overhead.receive_ns, RECEIVE + 0.02 * overhead.bytes),
            holds(gap.gap_ns, GAP + (gap.bytes - 1) * BYTE),
        ]
    return answers


def test_without_noise_every_parameter_comes_out() -> None:
    model = from_delays("exact", [[delay_test(size) for size in SIZES]] * 2)
    assert model.latency_ns is not None
    assert model.latency_ns.value == pytest.approx(L - 0.03)
    assert model.gap_ns.value == pytest.approx(GAP)
    assert model.gap_ns_per_byte.value == pytest.approx(BYTE)
    for overhead, gap in zip(model.overheads, model.gaps, strict=True):
        assert overhead.send_ns.value == pytest.approx(SEND + 0.01 * overhead.bytes)
        assert overhead.receive_ns is not None
        assert overhead.receive_ns.value == pytest.approx(RECEIVE + 0.02 * overhead.bytes)
        assert gap.gap_ns.value == pytest.approx(GAP + (gap.bytes - 1) * BYTE)
    assert model.time_ns(1024) == pytest.approx(L + SEND + RECEIVE + 1023 * BYTE)
    assert model.plogp_time_ns(1024) == pytest.approx(L + SEND + RECEIVE + 1023 * BYTE)
    assert model.plogp_time_ns(1000) is None


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_held_as_often_as_said(kind: str) -> None:
    launches = 5
    random = np.random.default_rng(10 * KINDS.index(kind))
    answers = []
    for _ in range(TRIALS):
        noise = np.median(relative_noise(random, kind, launches * len(SIZES) * 4, 41), axis=1)
        factors = (1 + noise).reshape(launches, len(SIZES), 4)
        factors = factors * np.exp(random.normal(0, 0.01, (launches, 1, 4)))
        tests = [
            [delay_test(size, tuple(f)) for size, f in zip(SIZES, launch, strict=True)]
            for launch in factors
        ]
        answers.append(held(from_delays("made", tests)))
    each = np.mean(answers, axis=0)
    # L and the like by themselves; o_s, o_r and g(s) over their sizes together.
    shares = np.concatenate([each[:5], each[5:].reshape(len(SIZES), 3).mean(axis=0)])
    assert ((shares >= LOWEST) & (shares <= HIGHEST)).all(), shares


def made(base: float, launches: int = 3) -> Series:
    """Launches of base + 0.12 (s - 1) ns, the second and third 1 % up and down."""
    each = [
        series_of_times(
            "made", np.array(SIZES), (base + (np.array(SIZES) - 1.0) * BYTE) * factor
        ).launches[0]
        for factor in (1.0, 1.01, 0.99)[:launches]
    ]
    return Series(name="made", launches=tuple(each))


def test_ping_pong_and_stream_give_the_sum_and_the_gaps() -> None:
    model = from_series(made(2350), made(700))
    assert model.transfer_ns.value == pytest.approx(2350)
    assert model.gap_ns.value == pytest.approx(700)
    assert model.gap_ns_per_byte.value == pytest.approx(BYTE)
    assert model.plogp_latency_ns.value == pytest.approx(1650)
    assert model.latency_ns is None
    assert not model.overheads
    assert [gap.bytes for gap in model.gaps] == list(SIZES)


def test_a_model_that_fails_shows_it() -> None:
    """A link that streams four times as fast as one message passes: LogGP is far off, and says."""
    slow = made(2350)
    fast = Series(
        name="fast",
        launches=tuple(
            series_of_times("f", np.array(SIZES), 700 + np.array(SIZES) * BYTE / 4).launches[0]
            for _ in range(3)
        ),
    )
    found = {p.model: p for p in fit_models(slow, fast).predictions}
    assert found["LogGP"].basis == "predicted from the bandwidth test"
    assert found["LogGP"].largest_error_percent > 60
    assert found["LogGP"].largest_at_bytes == SIZES[-1]
    assert found["piecewise"].largest_error_percent < 1
    good = {p.model: p for p in fit_models(slow, made(700)).predictions}
    assert good["LogGP"].largest_error_percent < 1e-6
    assert good["PLogP"].largest_error_percent < 1e-6
    assert good["Hockney, median line"].largest_error_percent < 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"messages": 1}, "at least two messages"),
        ({"delay_ns": 10.0}, "shorter than a round trip"),
        ({"burst_ns": 1.0}, "not positive"),
    ],
)
def test_measurements_that_cannot_carry_it_are_refused(change: dict[str, float], says: str) -> None:
    good = [delay_test(size) for size in SIZES]
    bad = [msgspec.structs.replace(good[0], **change), *good[1:]]
    with pytest.raises(WeftError, match=says):
        from_delays("bad", [bad, bad])


def test_one_launch_or_two_sizes_are_refused() -> None:
    tests = [delay_test(size) for size in SIZES]
    with pytest.raises(WeftError, match="at least two"):
        from_delays("bad", [tests])
    with pytest.raises(WeftError, match="three sizes"):
        from_delays("bad", [tests[:2], tests[:2]])
    with pytest.raises(WeftError, match="at least two"):
        from_series(made(2350, 1), made(700, 1))


def test_a_stream_of_one_launch_makes_no_model() -> None:
    assert fit_models(made(2350), made(700, 1)).loggp is None
    assert fit_models(made(2350), made(700, 2)).loggp is not None


def test_where_one_size_has_no_receive_overhead_there_is_no_latency() -> None:
    """L takes both overheads, o_s of each size stays."""
    first, *others = [delay_test(size) for size in SIZES]
    for lacking in (
        [msgspec.structs.replace(first, receive_ns=None), *others],
        [first, *others[:-1], msgspec.structs.replace(others[-1], receive_ns=None)],
    ):
        model = from_delays("some", [lacking, lacking])
        assert model.latency_ns is None
        assert len(model.overheads) == len(SIZES)
        assert [one.receive_ns is None for one in model.overheads].count(True) == 1


def test_an_overhead_that_one_launch_lacks_is_left_out() -> None:
    """As a mean over the launches that have it, it would be of other launches than the rest."""
    whole = [[delay(size) for size in (1, 1024, 65536)] for _ in range(3)]
    lacking = [*whole[1:], [msgspec.structs.replace(one, receive_ns=None) for one in whole[0]]]
    found = from_delays("tcp", lacking)
    assert [one.receive_ns for one in found.overheads] == [None] * 3
    assert found.latency_ns is None


def delay(size: int) -> DelayTest:
    return DelayTest(
        bytes=size, messages=9, single_ns=4000.0 + 0.2 * size, burst_ns=9600.0 + 1.0 * size,
        delayed_ns=4000.0 + 0.2 * size + 8 * (9e5 + 300), delay_ns=9e5, receive_ns=250.0,
    )  # fmt: skip


def test_a_pause_as_long_as_a_round_trip_is_long_enough_and_a_shorter_one_is_not() -> None:
    launches = [[delay(size) for size in (1, 1024, 65536)] for _ in range(2)]
    exact = [
        [msgspec.structs.replace(one, delay_ns=one.single_ns) for one in own] for own in launches
    ]
    assert from_delays("tcp", exact).overheads[0].bytes == 1
    short = [
        [msgspec.structs.replace(one, delay_ns=one.single_ns - 1) for one in own]
        for own in launches
    ]
    with pytest.raises(WeftError, match="shorter than a round trip"):
        from_delays("tcp", short)


def off_the_line(launch: int) -> list[DelayTest]:
    """Bursts whose gaps lie on no line, so that another line or another size is another answer."""
    gaps = {1: 100.0, 1001: 900.0, 4001: 1500.0, 16001: 9000.0}
    factor = 1 + 0.001 * launch
    return [
        DelayTest(
            bytes=size, messages=MESSAGES, single_ns=factor * (4000.0 + size),
            burst_ns=factor * (4000.0 + size + (MESSAGES - 1) * gap),
            delayed_ns=factor * (4000.0 + size) + (MESSAGES - 1) * (1e6 + 300.0), delay_ns=1e6,
            receive_ns=250.0,
        )
        for size, gap in gaps.items()
    ]  # fmt: skip


def test_the_line_through_gaps_is_that_of_least_relative_deviations() -> None:
    """As numpy's polyfit has it with a weight of one over the usual gap for each deviation."""
    model = from_delays("tcp", [off_the_line(launch) for launch in range(3)])
    gaps = [(test.bytes - 1, test.gap_ns) for test in off_the_line(1)]
    further, apart = zip(*gaps, strict=True)
    slope, level = np.polyfit(further, apart, 1, w=1 / np.array(apart))
    assert model.gap_ns.value == pytest.approx(level)
    assert model.gap_ns_per_byte.value == pytest.approx(slope)
    assert model.transfer_ns.value == pytest.approx(1.001 * 4001 / 2)
    # PLogP's L is the smallest message's time less its gap.
    assert model.plogp_latency_ns.value == pytest.approx(1.001 * (4001 / 2 - 100))


def test_a_latency_whose_interval_reaches_zero_is_not_called_one() -> None:
    """L is about 50 ns, and scatters by more than that from launch to launch."""
    whole = L + SEND + RECEIVE
    launches = [
        [
            msgspec.structs.replace(test, receive_ns=whole - SEND - 50.0 + 90.0 * (number - 1))
            for test in tests
        ]
        for number, tests in enumerate(with_overheads(SEND, RECEIVE))
    ]
    model = from_delays("tcp", launches)
    assert model.latency_ns is not None
    assert model.latency_ns.low < 0 < model.latency_ns.value
    assert any("not significantly above zero" in note for note in model.notes)
