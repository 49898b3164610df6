"""Limits made from a good record: an equal machine keeps them, a slower one does not."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from weft.analysis.compare.acceptance import Outcome
from weft.analysis.compare.bounds import Limit
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.made_limits import KEEPS, MadeLimit, limit_of
from weft.analysis.compare.pool import Pooled, pool
from weft.analysis.stats.intervals import median_of_launches
from weft.cli.main import app
from weft.errors import WeftError
from weft.sources.limits import read_limits
from weft.studies.made_limits import write_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.case import Case

TRIALS = 600
CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp",))


def session(
    random: np.random.Generator,
    middle_ns: float,
    count: int,
    scatter: float,
    deviates: np.ndarray | None = None,
) -> Pooled:
    """The launches of one session, which differs from others by 2 %, or as much as launches do.

    Their deviates are normal if none are given.
    """
    middle_ns *= math.exp(max(0.02, scatter) * random.standard_normal())
    own = random.standard_normal(count) if deviates is None else deviates
    medians = middle_ns * np.exp(scatter * own)
    return Pooled(
        case=CASES[0],
        directions=1,
        launches=count,
        paces=(dict(enumerate(medians.tolist())),),
        latency_ns=median_of_launches(medians.tolist()),
    )


def as_limit(made: MadeLimit) -> Limit:
    return Limit(
        text="", test=made.pooled.case.test, transport="", wanted=(), ranges=(), variant="",
        kind=made.kind, bound=made.bound,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("count", "scatter"),
    [*((count, some) for count in (3, 5, 10) for some in (0.005, 0.02)),
     *((count, some) for count in (5, 10) for some in (0.05, 0.2))],
)  # fmt: skip
def test_an_equal_machine_keeps_them_and_one_slower_by_far_more_fails(
    count: int, scatter: float
) -> None:
    """Three launches know their scatter badly: of 5 % and more they are not asked."""
    random = np.random.default_rng(count)
    equal, slower = Counter[Outcome](), Counter[Outcome]()
    for _ in range(TRIALS):
        made = limit_of(session(random, 1000.0, count, scatter))
        assert isinstance(made, MadeLimit)
        for answers, factor in ((equal, 1.0), (slower, (1 + made.tolerance) ** 2.2)):
            new = session(random, 1000.0 * factor, count, scatter)
            answers[against_limits({"new": new}, [as_limit(made)])[0].outcome] += 1
    assert equal["pass"] >= KEEPS * TRIALS, equal
    assert equal["fail"] <= 0.01 * TRIALS, equal
    assert slower["fail"] >= 0.96 * TRIALS, slower


@pytest.mark.parametrize("scatter", [0.02, 0.03, 0.05, 0.2])
@pytest.mark.parametrize("kind", ["exponential", "modes"])
def test_of_ten_launches_a_tail_breaks_no_more_than_is_promised(kind: str, scatter: float) -> None:
    """Exponential launches, and three in ten that are two scatters slow."""
    random = np.random.default_rng(10)

    def drawn() -> Pooled:
        tail = random.exponential(1.0, 10) - 1
        modes = 0.4 * random.standard_normal(10) + 2 * ((random.random(10) < 0.3) - 0.3)
        return session(random, 1000.0, 10, scatter, tail if kind == "exponential" else modes)

    kept = 0
    for _ in range(TRIALS):
        made = limit_of(drawn())
        assert isinstance(made, MadeLimit)
        assert made.is_for_a_tail
        kept += against_limits({"new": drawn()}, [as_limit(made)])[0].outcome == "pass"
    # 95.2 % and more in the long form; less than 93 % would be one chance in a hundred.
    assert kept >= 0.93 * TRIALS


def test_limits_of_few_launches_that_scatter_say_how_many_hold_with_a_tail(tmp_path: Path) -> None:
    def times(case: Case, launch: int) -> Sequence[float]:
        return [time * (1.0, 1.03, 0.98)[launch % 3] for time in usual_times_ns(case, launch)]

    def few(name: str, launches: int, **how: Any) -> str:
        record = synthetic_record(tmp_path / name, CASES, launches=launches, **how)
        return write_limits([record], tmp_path / f"{name}.toml").few

    said = few("few.jsonl", 5, times_ns=times)
    assert said.startswith(
        f"{len(CASES)} limits of fewer than 10 launches: where these have a tail"
    )
    assert f"weft run --again {tmp_path / 'few.jsonl'} --launches 10 " in said
    assert few("ten.jsonl", 10, times_ns=times) == ""
    assert few("quiet.jsonl", 5) == ""


@pytest.mark.parametrize("count", [3, 5])
def test_limits_of_several_sessions_are_kept_by_as_many(count: int) -> None:
    random = np.random.default_rng(count)

    def sessions() -> Pooled:
        times = (1000 * np.exp(0.05 * random.standard_normal(count))).tolist()
        return Pooled(
            case=CASES[0],
            directions=1,
            launches=2 * count,
            paces=tuple({0: time, 1: time} for time in times),
            latency_ns=median_of_launches(times, unit="session"),
        )

    kept = 0
    for _ in range(TRIALS):
        made = limit_of(sessions())
        assert isinstance(made, MadeLimit)
        kept += against_limits({"new": sessions()}, [as_limit(made)])[0].outcome == "pass"
    assert kept >= KEEPS * TRIALS


def test_two_sessions_give_no_limit() -> None:
    estimate = median_of_launches([1000.0, 1010.0], unit="session")
    paces = tuple({0: time, 1: time} for time in (1000.0, 1010.0))
    two = Pooled(case=CASES[0], directions=1, paces=paces, latency_ns=estimate)
    assert str(limit_of(two)).startswith("two sessions do not show")


def test_a_case_whose_order_of_magnitude_is_unknown_has_no_limit() -> None:
    times = [1000.0, 90_000.0, 8000.0]
    wild = Pooled(
        case=CASES[0],
        directions=1,
        launches=3,
        paces=(dict(enumerate(times)),),
        latency_ns=median_of_launches(times),
    )
    assert str(limit_of(wild)).startswith("its launches scatter by so much")


@pytest.mark.parametrize(
    ("low_ns", "why"),
    [(-0.5, "one launch has no interval"), (0.0, "one launch has no interval"),
     (1e-3, "its launches scatter by so much")],
)  # fmt: skip
def test_a_figure_that_may_be_nothing_has_no_limit(low_ns: float, why: str) -> None:
    """Nothing has no logarithm; of a little the limit is told by the scatter."""
    times = [900.0, 1000.0, 1100.0]
    known = msgspec.structs.replace(median_of_launches(times), low=low_ns)
    paces = (dict(enumerate(times)),)
    one = Pooled(case=CASES[0], directions=1, launches=3, paces=paces, latency_ns=known)
    assert str(limit_of(one)).startswith(why)


@pytest.mark.parametrize(
    ("launches", "paces", "narrower"), [(3, (1.0, 1.4, 0.8), 10), (12, (1.0, 3.0, 0.5), 24)]
)
def test_limits_that_say_little_are_counted_with_what_narrows_them(
    tmp_path: Path, launches: int, paces: tuple[float, ...], narrower: int
) -> None:
    def times(case: Case, launch: int) -> Sequence[float]:
        return [time * paces[launch % 3] for time in usual_times_ns(case, launch)]

    noisy = synthetic_record(tmp_path / "noisy.jsonl", CASES, launches=launches, times_ns=times)
    made = write_limits([noisy], tmp_path / "wide.toml")
    assert made.wide.startswith(f"{len(CASES)} limits over 50 % from their figures")
    assert f"weft run --again {noisy} --launches {narrower} " in made.wide
    quiet = synthetic_record(tmp_path / "quiet.jsonl", CASES)
    assert write_limits([quiet], tmp_path / "narrow.toml").wide == ""


@pytest.mark.parametrize(("unit", "percent"), [("session", 84), ("launch", 471)])
def test_a_limit_lies_by_the_interval_and_what_two_runs_differ_by(
    unit: Literal["session", "launch"], percent: int
) -> None:
    """By hand: half of ln(1100 / 900) is 0.1003, its error 0.0512; t of two degrees is 6.965.

    0.1003 + 6.965 sqrt(2 * 0.0512^2) = 0.605 of sessions; launches add 2 * 1.25 * 0.0201 for other
    days.
    """
    estimate = median_of_launches([900.0, 1000.0, 1100.0], unit=unit)
    known = msgspec.structs.replace(estimate, low=900.0, high=1100.0)
    paces = ({0: 900.0}, {0: 1100.0}) if unit == "session" else ({0: 900.0, 1: 1100.0},)
    one = Pooled(case=CASES[0], directions=1, paces=paces, latency_ns=known)
    made = limit_of(one)
    assert isinstance(made, MadeLimit)
    assert made.tolerance == pytest.approx(percent / 100)
    assert made.bound == pytest.approx(1000 * (1 + percent / 100))


def test_the_file_is_read_and_its_own_record_keeps_it(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "good.jsonl", CASES)
    made = write_limits([record], tmp_path / "limits.toml")
    limits = read_limits(Path(made.path))
    assert made.limits == len(limits) == len(CASES)
    checks = against_limits(pool([weft.load(record)]), limits)
    assert [check.outcome for check in checks] == ["pass"] * len(CASES)
    assert {limit.kind for limit in limits} == {"latency_at_most", "bandwidth_at_least"}


def test_a_limit_is_written_to_less_than_a_digit_on_the_lenient_side(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "good.jsonl", CASES)
    path = Path(write_limits([record], tmp_path / "limits.toml").path)
    written = {(one.test, one.wanted[0]): one.bound for one in read_limits(path)}
    for pooled in pool([weft.load(record)]).values():
        made = limit_of(pooled)
        assert isinstance(made, MadeLimit)
        bound = written[pooled.case.test, pooled.case.bytes]
        if made.kind == "latency_at_most":
            assert 0 <= bound - made.bound <= 0.1001
        else:
            assert 0 <= made.bound - bound <= 100.1


def test_a_case_without_an_interval_has_none_and_says_why(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "one.jsonl", CASES, launches=1)
    with pytest.raises(WeftError, match="can have a limit, the first is tcp/ping_pong/0: one laun"):
        write_limits([record], tmp_path / "limits.toml")

    def times(case: Case, launch: int) -> Sequence[float]:
        return usual_times_ns(case, launch) if launch == 0 or case.test == "stream" else []

    some = synthetic_record(tmp_path / "some.jsonl", CASES, times_ns=times)
    made = write_limits([some], tmp_path / "limits.toml")
    assert made.limits == sum(case.test == "stream" for case in CASES)
    assert len(re.findall("^# No limit for ", Path(made.path).read_text(), re.MULTILINE)) == len(
        made.without
    )


def test_what_is_printed_of_limits_says_why_many_have_none_once(tmp_path: Path) -> None:
    """Limits of many times their figures are no per cent of them."""

    def times(case: Case, launch: int) -> Sequence[float]:
        scatter = 2.0 if case.test == "stream" else 1.0
        return [time * scatter ** (launch % 3) for time in usual_times_ns(case, launch)]

    def printed(name: str, launches: int, times_ns: Any) -> str:
        record = synthetic_record(tmp_path / name, CASES, launches=launches, times_ns=times_ns)
        words = ["check", "--make-limits", str(record), "-o", str(tmp_path / "made.toml")]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    def one_launch(case: Case, launch: int) -> Sequence[float]:
        return usual_times_ns(case, launch) if launch == 0 or case.test == "stream" else []

    def some_scatter(case: Case, launch: int) -> Sequence[float]:
        scatter = 1.05 if case.test == "stream" else 1.0
        return [time * scatter ** (launch % 3) for time in usual_times_ns(case, launch)]

    assert "9 limits, tolerance 8 % " in printed("q.jsonl", 5, usual_times_ns)
    assert re.search(r"limits, tolerances 8 to \d\d % ", printed("s.jsonl", 5, some_scatter))
    wide = printed("wide.jsonl", 5, times)
    assert re.search(r"limits, 1\.\d\d to [\d,]+ times their figures ", wide), wide
    count = sum(case.test != "stream" for case in CASES)
    without = printed("some.jsonl", 3, one_launch)
    assert f"no limit for {count} cases, first tcp/ping_pong/" in without
    assert without.count("no limit for") == 1
