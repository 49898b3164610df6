"""`weft compare` and `weft check` of the same records give one figure, and both know the clock."""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
import scipy

import weft
from support.builders import make_batch, make_header, make_launch, synthetic_record, write_lines
from weft.analysis.compare.acceptance import Checked, _has_figure, against_record
from weft.analysis.compare.comparison import Row, compare
from weft.analysis.compare.pool import Pooled, pool
from weft.analysis.stats.slowdown import Paces, Slowdown, slowdown_between
from weft.plan.case import Case
from weft.sources.sides import load_sides

if TYPE_CHECKING:
    from weft.record.model import Line

CASES = (
    *(Case(test="ping_pong", transport="tcp", bytes=size) for size in (8, 1024)),
    *(Case(test="stream", transport="tcp", bytes=size) for size in (1024, 65536)),
)


def noisy(path: Path, seed: int, launches: int) -> str:
    """A record whose launches scatter by 20 %, so that their median is not their mean."""

    def times(case: Case, launch: int) -> Sequence[float]:
        draw = random.Random(f"{seed}/{case.key}/{launch}")  # noqa: S311 - noise, no secret
        middle = 1000 * (1 + case.bytes / 1024) * draw.lognormvariate(0, 0.2)
        return [middle * (1 + share / 100) for share in range(-1, 2)]

    return str(synthetic_record(path, CASES, launches=launches, times_ns=times))


def laid_beside(theirs: Sequence[str], mine: Sequence[str]) -> list[tuple[Row, Checked]]:
    """Each case's row of a comparison, and what a check says of it."""
    rows = [
        (table.test, row)
        for table in compare(load_sides([",".join(theirs), ",".join(mine)])).tables
        for row in table.rows
    ]
    ours, reference = [pool([weft.load(path) for path in paths]) for paths in (mine, theirs)]
    checks = [check for check in against_record(ours, reference) if check.bytes is not None]
    by_place = {(check.test, check.bytes): check for check in checks}
    assert len(rows) == len(checks) == len(CASES)
    return [(row, by_place[test, row.bytes]) for test, row in rows]


@pytest.mark.parametrize(("sessions", "launches"), [((1, 1), 4), ((3, 1), 2), ((2, 3), 3)])
def test_compare_and_check_give_one_figure(
    tmp_path: Path, sessions: tuple[int, int], launches: int
) -> None:
    """0.940 and "not significantly" beside 1.137 and "faster", of one case in two commands."""
    theirs, mine = (
        [noisy(tmp_path / f"{side}{at}.jsonl", 10 * side + at, launches) for at in range(count)]
        for side, count in enumerate(sessions)
    )
    for row, check in laid_beside(theirs, mine):
        [ratio] = row.ratios
        assert ratio is not None
        assert check.speed is not None
        assert ratio.speed == pytest.approx(check.speed.speed, rel=1e-12)
        assert ratio.basis == check.speed.basis == ("sessions" if sum(sessions) > 2 else "launches")
        # A comparison's ends hold together at all sizes, the lower one of a check by itself.
        assert ratio.low < check.speed.low < check.speed.speed < check.speed.high


def coarse(path: Path, time_ns: float, tick_ns: float) -> str:
    """Two sizes of one curve that took the same in every launch, on a clock of this tick."""
    cases = CASES[:2]
    lines: list[Line] = [make_header(cases)]
    for launch in range(5):
        lines.append(make_launch(launch, "tcp", tick_ns=tick_ns))
        for order, case in enumerate(cases):
            lines.append(
                make_batch(
                    case,
                    launch,
                    2 * launch + order,
                    [2 * time_ns] * 20,
                    ops_per_sample=1,
                    tick_ns=tick_ns,
                )
            )
    return str(write_lines(path, lines))


@pytest.mark.parametrize(
    ("slower_ns", "tick_ns", "outcome"),
    [
        # Half a tick of either may be all that lies between 1,200 and 1,280 ns a round trip.
        (640.0, 80.0, "cannot tell"),
        (720.0, 1.0, "fail"),
        (760.0, 80.0, "fail"),
        (600.0, 80.0, "cannot tell"),
        # Other days may be slower by more than the rest.
        (600.0, 16.0, "cannot tell"),
        (560.0, 16.0, "pass"),
    ],
)
def test_a_check_knows_a_time_to_half_a_tick(
    tmp_path: Path, slower_ns: float, tick_ns: float, outcome: str
) -> None:
    theirs = [coarse(tmp_path / "a.jsonl", 600.0, tick_ns)]
    mine = [coarse(tmp_path / "b.jsonl", slower_ns, tick_ns)]
    ours, reference = [pool([weft.load(path) for path in paths]) for paths in (mine, theirs)]
    checks = against_record(ours, reference)
    assert {check.outcome for check in checks} == {outcome}
    assert {check.bytes for check in checks} == {None, 8, 1024}
    true = 600 / slower_ns
    for check in checks:
        assert check.speed is not None
        assert check.speed.speed == pytest.approx(true)
        assert check.speed.low < true < check.speed.high
        # Each side's time is between half a tick less and half a tick more.
        half = tick_ns / 4
        assert check.speed.low <= (600 - half) / (slower_ns + half)
        assert check.speed.high >= (600 + half) / (slower_ns - half)


def test_no_further_launch_makes_a_tick_shorter() -> None:
    """The scatter shrinks with the launches, what the clock cannot tell does not."""
    few, many = (
        slowdown_between(Paces(((1.0, 1.1) * count,), 0.05), Paces(((1.0,) * count,), 0.0))
        for count in (3, 300)
    )
    assert few is not None
    assert many is not None
    assert few.squared_error > 50 * many.squared_error
    assert few.bound == many.bound == pytest.approx(0.0513, abs=1e-4)


@pytest.mark.parametrize("bound", [0.0, 0.004])
def test_what_the_clock_may_have_added_counts_for_the_machine_in_both_hypotheses(
    bound: float,
) -> None:
    """6 % slower where 5 % is allowed: one standard error over it, less the clock's share."""
    allowed, error = math.log(1.05), 0.01
    found = Slowdown(log=allowed + error, squared_error=error**2, freedom=8.0, bound=bound)
    score = 1 - bound / error
    assert found.chance_if_at_most(0.05) == pytest.approx(scipy.stats.t.sf(score, 8))
    assert found.chance_if_at_least(0.05) == pytest.approx(scipy.stats.t.cdf(1 + bound / error, 8))


def test_a_case_that_one_of_several_sessions_measured_is_over_its_launches() -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    once = Pooled(case=case, directions=1, paces=({0: 1.0, 1: 1.1}, {}))
    assert once.unit == "launch"
    assert once.known.sessions == ((1.0, 1.1),)
    assert msgspec.structs.replace(once, paces=({0: 1.0}, {0: 1.1}, {})).unit == "session"


def test_a_case_of_one_session_of_several_has_a_figure() -> None:
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    for paces, has in ((({0: 1.0}, {}), True), (({}, {0: 1.0}), True), (({}, {}), False)):
        assert _has_figure(Pooled(case=case, directions=1, paces=paces)) is has
    failed = Pooled(case=case, directions=1, paces=({0: 1.0},), failed="wrong byte")
    assert not _has_figure(failed)
