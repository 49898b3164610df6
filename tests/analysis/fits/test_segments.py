"""The piecewise model on protocols that are known, synthetic and published."""

import math

import numpy as np
import pytest

from support.noise import KINDS, relative_noise
from weft.analysis.fits.segments import Piecewise, fit_piecewise
from weft.analysis.fits.sweeps import Series, Sweep, series_of_times
from weft.analysis.stats.change_points import find_changes, segment_costs
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.sources.series import series_of

TRIALS = 1000
# Of five launches each, which take five times as long.
TRIALS_OF_LAUNCHES = 400
LOWEST, HIGHEST = 0.93, 0.97
# Three protocols: the first size of each, its intercept in ns and its slope in ns a byte.
PROTOCOLS = ((0, 1500.0, 0.5), (1024, 2600.0, 0.25), (65536, 24_000.0, 0.1))
SIZES = np.array(
    sorted({0, 1, *(1 << e for e in range(1, 23)), *(3 << e for e in range(22))}), dtype=np.float64
)
SIZES = SIZES[SIZES <= 4 << 20]
LAST = PROTOCOLS[-1]
HALF = LAST[1] / LAST[2]


def true_times() -> np.ndarray:
    times = np.zeros(len(SIZES))
    for first, intercept, slope in PROTOCOLS:
        times = np.where(first <= SIZES, intercept + slope * SIZES, times)
    return times


def series_of_medians(rows: list[np.ndarray], *, is_table: bool = False) -> Series:
    """A series whose launches have these medians, and one sample a size."""
    ones = np.ones(len(SIZES))
    sweeps = [
        Sweep(
            sizes_bytes=SIZES,
            counts=ones,
            means_ns=row,
            squares_ns2=0 * ones,
            medians_ns=row,
            kept_ns=tuple(row[:, None]),
            weights=ones,
        )
        for row in rows
    ]
    return Series(name="made", launches=tuple(sweeps), is_table=is_table)


def holds(parameter: Estimate | None, truth: float) -> bool:
    return parameter is not None and parameter.low <= truth <= parameter.high


def hits(model: Piecewise) -> list[bool]:
    """Whether the changes are the true ones, then whether each interval holds its truth."""
    found = [switch.at_bytes for switch in model.switches] == [p[0] for p in PROTOCOLS[1:]]
    if not found:
        return [False]
    held = [True]
    for segment, (_, intercept, slope) in zip(model.segments, PROTOCOLS, strict=True):
        held += [holds(segment.latency_ns, intercept), holds(segment.slope_ns_per_byte, slope)]
    for switch, old, new in zip(model.switches, PROTOCOLS, PROTOCOLS[1:], strict=False):
        step = (new[1] + new[2] * new[0]) / (old[1] + old[2] * new[0])
        held.append(holds(switch.step, step))
    held.append(holds(model.asymptotic_bandwidth_bytes_per_s, 1e9 / LAST[2]))
    held.append(holds(model.latency_ns, PROTOCOLS[0][1]))
    held.append(holds(model.half_bandwidth_bytes, HALF))
    return held


def check(outcomes: list[list[bool]], lowest: float = LOWEST, highest: float = HIGHEST) -> None:
    found = [outcome for outcome in outcomes if outcome[0]]
    assert len(found) >= 0.97 * len(outcomes)
    shares = np.mean(found, axis=0)[1:]
    assert ((shares >= lowest) & (shares <= highest)).all(), shares


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_over_launches_is_held_as_often_as_said(kind: str) -> None:
    random = np.random.default_rng(10 + KINDS.index(kind))
    outcomes = []
    for _ in range(TRIALS_OF_LAUNCHES):
        rows = [
            true_times()
            * np.exp(random.normal(0, 0.01))
            * (1 + np.median(relative_noise(random, kind, len(SIZES), 101), axis=1))
            for _ in range(5)
        ]
        outcomes.append(hits(fit_piecewise(series_of_medians(rows))))
    check(outcomes, 0.92, 0.98)  # three standard errors of so many trials


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_of_a_table_is_held_as_often_as_said(kind: str) -> None:
    random = np.random.default_rng(20 + KINDS.index(kind))
    outcomes = []
    for _ in range(TRIALS):
        noise = np.median(relative_noise(random, kind, len(SIZES), 101), axis=1)
        table = series_of_medians([true_times() * (1 + noise)], is_table=True)
        outcomes.append(hits(fit_piecewise(table)))
    check(outcomes)


def test_one_launch_of_a_record_has_no_interval() -> None:
    """Its sizes tell how well its own lines are known, and not how launches differ."""
    model = fit_piecewise(series_of_medians([true_times()]))
    assert not model.asymptotic_bandwidth_bytes_per_s.is_bounded
    assert not any(segment.latency_ns.is_bounded for segment in model.segments)
    assert model.segments[0].latency_ns.launches == 1


def test_one_line_is_not_cut() -> None:
    random = np.random.default_rng(30)
    cut = 0
    for trial in range(TRIALS):
        noise = random.normal(0, (0.001, 0.01, 0.03, 0.1)[trial % 4], len(SIZES))
        times = (1500 + 0.25 * SIZES) * np.exp(noise)
        cut += len(find_changes(SIZES, times).ranges) > 1
    assert cut <= 0.03 * TRIALS


def test_the_latency_is_that_of_the_smallest_message() -> None:
    sizes = np.arange(10_000, 200_000, 10_000)
    found = fit_piecewise(series_of_times("far", sizes, 1500 + 0.25 * sizes.astype(np.float64)))
    assert found.latency_ns.value == pytest.approx(1500 + 0.25 * 10_000, rel=1e-6)


def test_the_costs_are_those_of_least_squares() -> None:
    random = np.random.default_rng(31)
    times = true_times() * random.normal(1, 0.05, len(SIZES))
    costs = segment_costs(SIZES, times)
    for begin, end in ((0, 9), (3, 20), (10, len(SIZES)), (20, 23)):
        design = np.column_stack([1 / times[begin:end], SIZES[begin:end] / times[begin:end]])
        found, *_ = np.linalg.lstsq(design, np.ones(end - begin), rcond=None)
        deviations = design @ found - 1
        if found[1] > 0:
            assert costs[begin, end] == pytest.approx(float(deviations @ deviations), rel=1e-6)
    assert np.isinf(costs[0, 2])


def test_times_that_fall_cost_what_a_level_line_does() -> None:
    sizes = np.array([1e3, 2e3, 3e3, 4e3])
    times = np.array([400.0, 300.0, 200.0, 100.0])
    level = 1 / times
    cost = len(times) - level.sum() ** 2 / (level**2).sum()
    assert segment_costs(sizes, times)[0, 4] == pytest.approx(cost)


def published(name: str, test: str) -> Piecewise:
    """The model of a platform's latency and bandwidth tables laid end to end."""
    [(series, _)] = series_of(name, test)
    assert series.sizes_bytes[0] == 0
    assert series.sizes_bytes[-1] == 4 << 20
    return fit_piecewise(series)


@pytest.mark.parametrize("test", ["ping_pong", "sendrecv"])
@pytest.mark.parametrize("name", ["escher", "callisto"])
def test_infiniband_switches_at_2_kib_as_the_text_says(name: str, test: str) -> None:
    model = published(name, test)
    [switch] = [s for s in model.switches if s.step.low > 1.25]
    assert (switch.above_bytes, switch.at_bytes, switch.up_to_bytes) == (1024, 2048, 2048)
    # The data hold a step of some per cent at 64 B too, which the text neither names nor denies.
    assert {s.at_bytes for s in model.switches} <= {64, 2048}
    assert all(s.step.value < 1.25 for s in model.switches if s.at_bytes == 64)


@pytest.mark.parametrize("test", ["ping_pong", "sendrecv"])
def test_elan4_switches_at_512_b_as_the_text_says(test: str) -> None:
    model = published("red-squall", test)
    [switch] = [s for s in model.switches if s.at_bytes > 64]
    assert switch.at_bytes == 512
    assert switch.above_bytes <= 512 <= switch.up_to_bytes <= 1024
    assert switch.step.high < 1
    assert {s.at_bytes for s in model.switches} <= {64, 512}


def test_the_published_latencies_and_peaks_come_out() -> None:
    model = published("escher", "ping_pong")
    assert model.latency_ns.value == pytest.approx(4290, rel=0.01)
    assert model.asymptotic_bandwidth_bytes_per_s.value == pytest.approx(958.5e6, rel=0.01)
    assert model.half_bandwidth_bytes is not None
    assert model.half_bandwidth_bytes.value == pytest.approx(16384, rel=0.05)


def test_a_switch_with_too_few_sizes_on_one_side_is_warned_of() -> None:
    sizes = np.array([1024, 2048, 4096, 8192, 16384, 32768, 65536])
    times = np.array([7900, 19100, 21300, 25400, 34000, 51000, 85000], dtype=np.float64)
    model = fit_piecewise(series_of_times("few", sizes, times))
    assert any("fit no line" in note for note in model.notes)


def test_too_few_sizes_are_refused() -> None:
    with pytest.raises(WeftError, match="at least 6"):
        fit_piecewise(series_of_times("few", np.arange(5), np.linspace(1.0, 2.0, 5)))


def test_many_sizes_are_thinned() -> None:
    sizes = np.arange(0, 5000) * 100
    model = fit_piecewise(series_of_times("many", sizes, 1000 + 0.5 * sizes.astype(np.float64)))
    assert len(model.segments) == 1
    assert model.latency_ns.value == pytest.approx(1000, rel=1e-6)


def test_a_slope_that_is_lost_in_the_scatter_has_no_upper_bound() -> None:
    """A run that was stopped early: a slope of 1e-7 known to 20 is e^10^8 times as large."""
    sizes = np.arange(0, 48, 8)
    times = np.array([1000.0, 2000, 1000, 1000, 2000, 1000]) + 1e-7 * sizes
    [segment] = fit_piecewise(series_of_times("x", sizes, times)).segments
    slope = segment.slope_ns_per_byte
    assert slope.value > 0
    assert slope.low == 0
    assert slope.high == math.inf
    assert segment.bandwidth_bytes_per_s.high == math.inf


def doubtful(random: np.random.Generator, step: float) -> Series:
    """Sizes 2 % off two lines of one slope, the second one higher; five launches 1 % off."""
    sizes = np.array([2**power for power in range(3, 23)])
    level = 1500 + 0.25 * sizes + step * (1500 + 0.25 * 65536) * (sizes >= 65536)
    level *= np.exp(random.normal(0, 0.02, len(sizes)))
    launches = []
    for _ in range(5):
        noise = 1 + 0.02 * random.exponential(1.0, (len(sizes), 10))
        times = level[:, None] * math.exp(random.normal(0, 0.01)) * noise
        launches.append(series_of_times("x", np.repeat(sizes, 10), times.ravel()).launches[0])
    return Series(name="made", launches=tuple(launches))


def test_a_step_that_is_not_certain_is_in_the_interval_of_the_bandwidth() -> None:
    """Without it 58 % of 60 trials covered the slope; exponential noise has its median at ln 2."""
    random = np.random.default_rng(47)
    slope = 0.25 * (1 + 0.02 * math.log(2))
    found = [fit_piecewise(doubtful(random, 0.15)) for _ in range(50)]
    missed = [one for one in found if not one.switches]
    assert len(missed) >= 10
    assert np.mean([holds(one.segments[-1].slope_ns_per_byte, slope) for one in found]) >= 0.88
    noted = [one for one in missed if "is possible, not certain" in " ".join(one.notes)]
    assert len(noted) >= 0.8 * len(missed)
    assert any("a change at 64 KiB is possible" in " ".join(one.notes) for one in noted)
    for one in noted:
        assert one.asymptotic_bandwidth_bytes_per_s == one.segments[-1].bandwidth_bytes_per_s


def test_one_line_has_no_change_in_doubt() -> None:
    random = np.random.default_rng(48)
    found = [fit_piecewise(doubtful(random, 0.0)) for _ in range(50)]
    assert sum("not certain" in " ".join(one.notes) for one in found) <= 5
