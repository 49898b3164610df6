"""Sessions in the order of time: planted records with known steps, failures and conditions."""

import weakref
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from support.builders import lost_batch, make_cases
from support.nights import EVEN, NIGHT_CASES, night, nights
from weft.analysis.compare.bounds import Limit
from weft.analysis.compare.history import Course, History, history
from weft.analysis.compare.pool import is_same_run
from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.record.run import Run, load
from weft.sources.limits import read_limits

PING_PONG = "tcp/ping_pong/*"
ONE_CURVE = make_cases(("ping_pong",), ("tcp",), (8, 65536))
# Twelve nights of which each is fast or slow for all curves alike: the standard deviation is 14 %.
UNEVEN = (1.15, 0.85, 1.0, 1.2, 0.8, 1.05, 1.15, 0.85, 1.0, 1.2, 0.8, 1.05)


def course(found: History, name: str = PING_PONG, machine: str = "node1") -> Course:
    [own] = [one for one in found.courses if (one.name, one.machine) == (name, machine)]
    return own


def limits(folder: Path, bound: str) -> tuple[Limit, ...]:
    text = f'[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "{bound}"\n'
    (folder / "limits.toml").write_text(text)
    return read_limits(folder / "limits.toml")


def test_a_planted_step_is_found_with_its_session_and_size(tmp_path: Path) -> None:
    factors = [even * (1.25 if day >= 6 else 1.0) for day, even in enumerate(EVEN)]
    found = history(nights(tmp_path, factors))
    for name in (PING_PONG, "tcp/stream/*"):
        [step] = course(found, name).steps
        assert found.sessions[step.session].measured_utc == "2026-11-07T02:00:00+00:00"
        # Times that are 1.25 times as long, or their bandwidth, are 0.8 of the speed.
        assert step.speed.low < 0.8 < step.speed.high
        assert step.speed.speed == pytest.approx(0.8, rel=0.005)
        assert step.speed.high - step.speed.low < 0.06


def test_one_slow_night_stands_out_and_is_no_step(tmp_path: Path) -> None:
    own = course(history(nights(tmp_path, [*EVEN, 1.25])))
    assert (own.steps, own.outliers) == ((), (10,))


def test_even_nights_have_no_step_and_what_would_be_one_is_told(tmp_path: Path) -> None:
    own = course(history(nights(tmp_path, EVEN)))
    assert own.steps == ()
    assert own.scatter == pytest.approx(0.0052, rel=0.1)
    assert own.smallest is not None
    found = history(nights(tmp_path / "more", [*EVEN, *[1 + 1.05 * own.smallest] * 2]))
    assert [step.session for step in course(found).steps] == [10]


def test_records_are_put_in_the_order_of_time(tmp_path: Path) -> None:
    runs = nights(tmp_path, EVEN)
    assert history(runs[::-1]) == history(runs)
    assert [session.days for session in history(runs).sessions] == list(range(10))


def test_figures_are_those_of_each_session(tmp_path: Path) -> None:
    found = history(nights(tmp_path, (1.0, 2.0)))
    [series] = [one for one in found.series if one.case == "tcp/ping_pong/8"]
    figures = [point.estimate for point in series.points]
    assert [figure.value if figure else None for figure in figures] == [
        pytest.approx(1000.4, rel=1e-3),
        pytest.approx(2000.8, rel=1e-3),
    ]
    assert all(figure and figure.launches == 5 and figure.is_bounded for figure in figures)
    assert list(course(found).speeds) == pytest.approx([2**0.5, 0.5**0.5])


def test_a_night_that_failed_stays_in_its_place_and_is_no_figure(tmp_path: Path) -> None:
    case = NIGHT_CASES[0]
    lost = [lost_batch(case, 4, 90, "failed", "byte 3 differs")]
    runs = [night(tmp_path, 0), night(tmp_path, 1, more=lost), night(tmp_path, 2)]
    runs.append(night(tmp_path, 3, measures=False, outcome=None))
    found = history(runs)
    [series] = [one for one in found.series if one.case == case.key]
    assert [point.estimate is None for point in series.points] == [False, True, False, True]
    assert [point.status for point in series.points] == ["", "failed", "", ""]
    assert series.points[1].why == "failed: byte 3 differs"
    assert found.sessions[1].failed == (f"{case.key}: failed: byte 3 differs",)
    assert found.sessions[3].ended_early == "the run ended without a last line"
    assert len(found.sessions[3].failed) == len(NIGHT_CASES)
    # The other size of the night that failed still counts.
    assert course(found).sessions == (0, 1, 2)
    assert list(course(found).speeds) == pytest.approx([1.0] * 3)


def test_sessions_that_lack_sizes_are_not_called_fast_or_slow(tmp_path: Path) -> None:
    short = make_cases(("ping_pong",), ("tcp",), (8,))
    runs = [*nights(tmp_path, EVEN[:4]), night(tmp_path, 4, cases=short)]
    assert course(history(runs)).speeds[4] == pytest.approx(1.0, abs=0.005)


def test_each_machine_is_a_series_of_its_own(tmp_path: Path) -> None:
    runs = [
        night(tmp_path, day, even * (1.5 if day % 2 else 1.0), host=f"n{day % 2}")
        for day, even in enumerate(EVEN)
    ]
    found = history(runs)
    assert found.machines == ("n0", "n1")
    for machine, first in (("n0", 0), ("n1", 1)):
        own = course(found, machine=machine)
        assert own.sessions == tuple(range(first, 10, 2))
        assert own.steps == ()
    assert all(session.changed == () for session in found.sessions)


def test_changed_conditions_are_named_at_the_session_where_they_changed(tmp_path: Path) -> None:
    kernels = ("6.1.0", "6.1.0", "6.1.9", "6.1.9")
    found = history([night(tmp_path, day, kernel=text) for day, text in enumerate(kernels)])
    named = [session.changed for session in found.sessions]
    assert named == [(), (), ("kernel 6.1.0 then, 6.1.9 now",), ()]


def test_limits_are_in_the_unit_of_the_figures_and_judge_each_session(tmp_path: Path) -> None:
    found = history(nights(tmp_path, (1.0, 1.2)), limits(tmp_path, "1.1 us"))
    assert [session.answer for session in found.sessions] == ["pass", "fail"]
    bounds = {one.case: [limit.value for limit in one.limits] for one in found.series}
    assert bounds["tcp/ping_pong/8"] == [pytest.approx(1100)]
    assert bounds["tcp/ping_pong/65536"] == bounds["tcp/stream/8"] == []


def test_limits_that_are_for_nothing_are_refused(tmp_path: Path) -> None:
    runs = nights(tmp_path, (1.0,), cases=make_cases(("stream",), ("tcp",), (8,)))
    with pytest.raises(WeftError, match="no limit applies"):
        history(runs, limits(tmp_path, "1 us"))


def test_a_slow_drift_without_a_step_is_told(tmp_path: Path) -> None:
    own = course(history(nights(tmp_path, [even * 1.0012**n for n, even in enumerate(EVEN)])))
    assert own.steps == ()
    assert (own.drift, own.drift_chance) == (None, None)
    found = history(nights(tmp_path / "more", [1.001**n for n in range(5)]))
    own = course(found)
    # In order are 2 of 120 orders: too many for each of two curves, and not for both together.
    assert (own.steps, own.drift) == ((), None)
    [together] = found.together
    assert together.drift == pytest.approx(0.004, rel=0.01)
    one = history(nights(tmp_path / "one", [1.001**n for n in range(5)], cases=ONE_CURVE))
    assert course(one).drift == pytest.approx(0.004, rel=0.01)
    assert one.together == ()


def test_a_step_of_one_curve_is_seen_against_the_others_that_move_alike(tmp_path: Path) -> None:
    cases = make_cases(transports=("tcp",), sizes=(8,))
    found = history(
        night(tmp_path, day, factor, cases=cases, slower="stream" if day >= 7 else "")
        for day, factor in enumerate(UNEVEN, 1)
    )
    assert not any(one.steps for one in (*found.courses, *found.together))
    stepped = {one.name: one.against_others for one in found.courses if one.against_others}
    [step] = stepped.pop("tcp/stream/*")
    assert not stepped
    assert step.session == 6
    assert step.speed.low < 1 / 1.3 < step.speed.high
    assert step.speed.high - step.speed.low < 0.05
    assert found.has_step


def test_curves_that_step_together_are_one_step_of_all(tmp_path: Path) -> None:
    factors = [even * (1.04 if day >= 6 else 1.0) for day, even in enumerate(EVEN)]
    [together] = history(nights(tmp_path, factors)).together
    assert together.sessions == tuple(range(len(EVEN)))
    [step] = together.steps
    assert step.session == 6
    assert step.speed.speed == pytest.approx(1 / 1.04, rel=0.004)


def test_the_step_that_would_have_been_seen_is_told(tmp_path: Path) -> None:
    own = course(history(nights(tmp_path, EVEN)))
    assert own.seen is not None
    factors = [even * (1 + 1.5 * own.seen if day >= 5 else 1.0) for day, even in enumerate(EVEN)]
    assert [step.session for step in course(history(nights(tmp_path / "b", factors))).steps] == [5]


def test_a_run_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    runs = nights(tmp_path, (1.0,))
    with pytest.raises(WeftError, match="is given twice"):
        history([*runs, *runs])


def test_of_each_record_only_figures_are_kept_before_the_next_is_read(tmp_path: Path) -> None:
    paths = [run.path for run in nights(tmp_path, EVEN[:4])]
    read: list[weakref.ref[Run]] = []

    def one_by_one() -> Iterator[Run]:
        for path in paths:
            assert [one for one in read if one() is not None] == []
            run = load(path)
            read.append(weakref.ref(run))
            yield run
            del run

    assert history(one_by_one()) == history(map(load, paths))
    assert len(read) == 4


def test_a_record_without_its_samples_is_still_itself(tmp_path: Path) -> None:
    one, other = nights(tmp_path, EVEN[:2])
    bare = one.without_samples()
    assert not any(batch.ticks or batch.parts for batch in bare.lines.batches)
    assert is_same_run(bare, one)
    assert is_same_run(load(one.path), bare)
    assert not is_same_run(bare, other)


def test_sessions_of_a_simulated_platform_are_a_series_of_its_own(tmp_path: Path) -> None:
    measured = night(tmp_path, 0)
    plan = msgspec.structs.replace(
        measured.header.plan, simulated=SimulatedPlatform(name="escher", kind="model", nodes=2)
    )
    header = msgspec.structs.replace(measured.header, plan=plan, hosts={})
    simulated = Run(measured.path, msgspec.structs.replace(measured.lines, header=header))
    found = history([measured, simulated])
    assert found.machines == ("node1", "simulated on escher (model)")
    assert {one.machine for one in found.series} == set(found.machines)
