"""A resumed run equals one that went through, wherever it was interrupted.

Ranks in virtual time; a record is cut after each of its lines in turn, as a kill cuts it, and what
is known of it is held to what the run itself knew there. Signals are real: the process gets them.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.uneven import (
    BUDGET_S,
    CASES,
    LAUNCHES,
    Failing,
    Knowing,
    Told,
    Uneven,
    known_of,
    plan_of,
    record_of,
    uneven_run,
)
from support.virtual_ranks import footer_of, programs_of
from weft.measure.interrupts import ends_like_an_interrupt
from weft.measure.state import restore
from weft.record.model import Batch, Footer, Launch, LaunchEnd, Line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# All that is asked for is measured, ranks fail here and there, the budget ends in a round.
WAYS = {
    "whole": (Uneven, BUDGET_S, "precise"),
    "failing": (Failing, BUDGET_S, "precise"),
    "short": (Uneven, 4.2, "budget"),
}


@pytest.mark.parametrize("seed", [1, 907])
@pytest.mark.parametrize("way", WAYS)
def test_a_record_tells_at_each_line_what_the_run_knew_there(
    seed: int, way: str, tmp_path: Path
) -> None:
    ranks, budget_s, outcome = WAYS[way]
    sink = Knowing()
    uneven_run(seed, ranks, budget_s, sink)
    assert footer_of(sink).outcome == outcome
    # Before line k the run knew what the record's first k lines say.
    for at, known in enumerate(sink.known):
        before = list(sink)[:at]
        so_far = restore(
            plan_of(seed, budget_s), programs_of(CASES), record_of(tmp_path / "r", before, seed)
        )
        found = known_of(so_far.states)
        # A case that failed is open again, since what disturbed it may be gone.
        assert found == {key: own._replace(closed=found[key].closed) for key, own in known.items()}
        assert way == "failing" or found == known
        assert_counts_go_on(so_far, sink[at], before)


def test_more_launches_open_a_record_that_lacks_nothing(tmp_path: Path) -> None:
    """`weft run --resume RECORD --launches N`: how a settled record gets another session."""
    sink = Knowing()
    uneven_run(1, Uneven, BUDGET_S, sink)
    plan, record = plan_of(1, BUDGET_S), record_of(tmp_path / "r", list(sink), 1)
    made = len(record.launches)
    for launches, is_open in ((plan.launches, False), (made + plan.launches, True)):
        asked = msgspec.structs.replace(plan, launches=launches)
        states = restore(asked, programs_of(CASES), record).states
        assert any(state.is_unfinished(asked) for state in states) is is_open


def assert_counts_go_on(so_far: Any, line: Line, before: list[Line]) -> None:
    """The next number of each kind is the one that the run took."""
    if isinstance(line, Launch):
        assert so_far.launches == line.launch
        started = [one.round for one in before if isinstance(one, Launch)]
        assert so_far.round == max(started, default=-1) + 1
    elif isinstance(line, LaunchEnd):
        assert so_far.launches in (line.launch, line.launch + 1)
    elif isinstance(line, Batch):
        assert so_far.order == line.order
    elif isinstance(line, Footer):
        assert so_far.order == line.batches


def plain(line: Line) -> Line:
    """A line without what no two runs have alike: when it was, and which command it is of."""
    if isinstance(line, Launch):
        return msgspec.structs.replace(line, started_utc="", session=0, load_average=0.0)
    if isinstance(line, Footer):
        return msgspec.structs.replace(line, finished_utc="")
    return line


def ends_of_rounds(lines: list[Line]) -> list[int]:
    """Behind which lines a round is over."""
    rounds = [one.round if isinstance(one, Launch) else -1 for one in lines]
    first = {number: rounds.index(number) for number in sorted(set(rounds) - {-1})}
    return [at for number, at in first.items() if number > 0]


@pytest.mark.parametrize("seed", [1, 907])
def test_a_run_that_is_cut_between_rounds_goes_on_line_by_line(seed: int, tmp_path: Path) -> None:
    """The order that is drawn, the counters, the amounts and the footer."""
    whole = list(uneven_run(seed))
    cuts = ends_of_rounds(whole)
    assert len(cuts) == LAUNCHES - 1
    for at in cuts:
        rest = uneven_run(seed, before=record_of(tmp_path / "r", whole[:at], seed))
        drawn = [(one.case, one.order) for one in rest if isinstance(one, Batch)]
        wanted = [(one.case, one.order) for one in whole[at:] if isinstance(one, Batch)]
        assert drawn == wanted
        numbers = [(o.launch, o.round, o.transport) for o in rest if isinstance(o, Launch)]
        others = [(o.launch, o.round, o.transport) for o in whole[at:] if isinstance(o, Launch)]
        assert numbers == others
        assert plain(rest[-1]) == plain(whole[-1])


@pytest.mark.parametrize(("seed", "way"), [(1, "whole"), (907, "failing"), (2, "short")])
def test_a_run_that_is_cut_anywhere_ends_with_the_same_launches_and_footer(
    seed: int, way: str, tmp_path: Path
) -> None:
    ranks, budget_s, _ = WAYS[way]
    whole = list(uneven_run(seed, ranks, budget_s))
    for at in range(len(whole)):
        rest = uneven_run(seed, before=record_of(tmp_path / "r", whole[:at], seed))
        assert_goes_on(whole[:at], rest)


def assert_goes_on(before: list[Line], rest: Told) -> None:
    """Each case has its launches once, numbers go on, and the footer is that of a whole run."""
    lines = [*before, *rest]
    measured = [
        (one.case, one.launch)
        for one in lines
        if isinstance(one, Batch) and one.role == "measure" and one.status == "ok"
    ]
    assert len(measured) == len(set(measured)) == len(CASES) * LAUNCHES
    orders = [one.order for one in lines if isinstance(one, Batch)]
    assert orders == list(range(len(orders)))
    started = [one.launch for one in lines if isinstance(one, Launch)]
    assert started == sorted(set(started))
    ends = [one.launch for one in lines if isinstance(one, LaunchEnd)]
    assert ends == sorted(set(ends))
    assert set(started) >= {one.launch for one in lines if isinstance(one, Batch)}
    footer = footer_of(rest)
    assert (footer.outcome, footer.batches) == ("precise", len(orders))
    assert footer.budget_s == BUDGET_S


class Signalled(Told):
    """A signal comes to this process before line `at` is there, or once the run heard of it."""

    def __init__(self, at: int, number: signal.Signals, *, is_written: bool) -> None:
        super().__init__()
        self._at, self._number, self._is_written = at, number, is_written
        self._comes = True

    def _strike(self, after: int) -> None:
        if self._comes and len(self) == after:
            self._comes = False
            os.kill(os.getpid(), self._number)

    def write(self, line: Line) -> None:
        self._strike(self._at + self._is_written)
        super().write(line)
        if not isinstance(line, Batch):  # of a batch it hears, and has counted it then
            self._strike(self._at + self._is_written)

    def measured(self, *_: object) -> None:
        self._strike(self._at + self._is_written)

    def trouble(self, text: str) -> None:
        super().trouble(text)
        self._strike(self._at + self._is_written)


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@pytest.fixture
def heard() -> Iterator[None]:
    """Signals come through, though whoever started the tests ignores some, as nohup does."""
    before = {one: signal.getsignal(one) for one in SIGNALS}
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL if one != signal.SIGINT else signal.default_int_handler)
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("is_written", [True, False], ids=["behind", "before"])
@pytest.mark.parametrize("way", WAYS)
def test_a_signal_at_any_line_leaves_a_record_that_goes_on(
    way: str, is_written: bool, tmp_path: Path
) -> None:
    """Whoever ends a run: the footer says so, and the rest is measured once."""
    ranks, budget_s, _ = WAYS[way]
    count = len(uneven_run(3, ranks, budget_s))
    for at in range(count - 1):
        sink = Signalled(at, SIGNALS[at % 3], is_written=is_written)
        with ends_like_an_interrupt():
            uneven_run(3, ranks, budget_s, sink)
        before = list(sink)
        assert len(before) == at + 1 + is_written
        assert footer_of(sink).outcome == "interrupted"
        assert footer_of(sink).batches == sum(isinstance(one, Batch) for one in before)
        rest = uneven_run(3, before=record_of(tmp_path / "r", before, 3))
        assert_goes_on(before[:-1], rest)


def test_a_case_whose_clock_stands_still_stays_closed(tmp_path: Path) -> None:
    """A resumed run measured it again, and had no more to say of it."""

    class Still(Uneven):
        def run(self, case: Any, wait_s: float) -> Any:
            answer = super().run(case, wait_s)
            is_still = case["bytes"] == 65536
            ticks = tuple(0 for _ in answer.ticks) if is_still else answer.ticks
            return msgspec.structs.replace(answer, ticks=ticks)

    sink = uneven_run(5, Still)
    assert sink.run is not None
    closed = {one.case.key for one in sink.run.states if one.closed}
    assert closed == {case.key for case in CASES if case.bytes == 65536}
    run = record_of(tmp_path / "r", list(sink), 5)
    so_far = restore(plan_of(5), programs_of(CASES), run)
    assert {one.case.key for one in so_far.states if one.closed} == closed
    assert [type(one) for one in uneven_run(5, Still, before=run)] == [Footer]
