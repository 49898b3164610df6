"""How far a long piece of work is: in shares of the outermost, and only if it takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.builders import make_batch, make_cases, make_clock, pattern
from weft.measure.state import CaseState
from weft.progress import figure_of, left_in_words
from weft.stages import PATIENCE_S, Stages, counted_as_they_come, counted_off, shown_by

if TYPE_CHECKING:
    from collections.abc import Iterator


class Screen:
    """What was shown, and a clock of which every part of the work takes so long."""

    def __init__(self, part_s: float) -> None:
        self.shown: list[tuple[str, float, float]] = []
        self.hidden = 0
        self._now_s = 0.0
        self._part_s = part_s

    def show(self, what: str, share: float, left_s: float) -> None:
        self.shown.append((what, round(share, 6), round(left_s, 6)))

    def hide(self) -> None:
        self.hidden += 1

    def work(self) -> None:
        self._now_s += self._part_s

    def clock(self) -> float:
        return self._now_s

    def stages(self) -> Stages:
        return Stages(lambda: self, self.clock)


def test_the_time_left_is_that_of_the_outermost_work() -> None:
    screen = Screen(part_s=1.0)
    with shown_by(screen.stages()):
        for _ in counted_off("ab", "outer"):
            for _ in counted_off("vwxyz", "inner"):
                screen.work()
    # Five parts of ten are done after five seconds.
    assert screen.shown[0] == ("outer", 0.1, 9.0)
    assert ("outer", 0.5, 5.0) in screen.shown
    assert screen.shown[-1] == ("outer", 1.0, 0.0)
    assert screen.hidden == 1


def test_what_is_soon_done_shows_nothing() -> None:
    screen = Screen(part_s=PATIENCE_S / 10)
    with shown_by(screen.stages()):
        assert list(counted_as_they_come(iter("abcdefgh"), 8, "quick")) == list("abcdefgh")
        for _ in counted_off("abc", "quick"):
            screen.work()
    assert not screen.shown


def test_many_short_pieces_of_a_long_command_are_shown() -> None:
    """None of them takes as long as the patience, and the user waits for all."""
    screen = Screen(part_s=0.3 * PATIENCE_S)
    with shown_by(screen.stages()):
        for what in ("first", "second", "third", "fourth"):
            for _ in counted_off("ab", what):
                screen.work()
    assert [what for what, _, _ in screen.shown] == ["second"] + ["third"] * 2 + ["fourth"] * 2
    # Of each the time left is that of its own pace.
    assert screen.shown[1] == ("third", 0.5, 0.3)


def test_work_that_is_given_up_is_not_under_way_any_more() -> None:
    screen = Screen(part_s=2.0)

    def fail() -> None:
        for number in counted_off(range(5), "given up"):
            screen.work()
            if number == 2:
                raise ValueError("given up")

    with shown_by(screen.stages()):
        with pytest.raises(ValueError, match="given up"):
            fail()
        for _ in counted_off("ab", "next"):
            screen.work()
    assert [what for what, _, _ in screen.shown] == ["given up"] * 2 + ["next"] * 2


def test_without_a_listener_nothing_is_counted() -> None:
    def failing() -> Iterator[int]:
        yield from (1, 2)

    assert list(counted_as_they_come(failing(), 2, "unheard")) == [1, 2]
    screen = Screen(part_s=9.0)
    with shown_by(screen.stages()), shown_by(None):
        for _ in counted_off("abc", "measured"):
            screen.work()
    assert not screen.shown


@pytest.mark.parametrize(
    ("test", "wanted"), [("ping_pong", "2.000 µs ["), ("stream", "16.38 GB/s [")]
)
def test_a_run_shows_the_figures_that_its_tables_have(test: str, wanted: str) -> None:
    """Of a round trip the half, of a stream its bandwidth."""
    [case] = make_cases((test,), ("tcp",), (65536,))
    clock = make_clock()
    state = CaseState(case, pattern(test))
    for launch in range(3):
        state.add_launch(launch, 4000 / clock.tick_ns, 1, clock)
    assert figure_of(state).startswith(wanted)


def test_an_interval_is_shown_from_two_launches_on() -> None:
    [case] = make_cases(("ping_pong",), ("tcp",), (8,))
    clock = make_clock()
    state = CaseState(case, pattern("ping_pong"))
    state.learn(make_batch(case, 0, 0, [1400.0] * 5), 1400 / clock.tick_ns, 0, clock)
    assert figure_of(state) == "700 ns"
    state.add_launch(0, 1000 / clock.tick_ns, 1, clock)
    assert figure_of(state) == "700 ns"
    state.add_launch(1, 1020 / clock.tick_ns, 1, clock)
    assert figure_of(state).startswith("500 ns [4")


@pytest.mark.parametrize(
    ("left_s", "words"),
    [(-1.0, "0 s left"), (13.2, "13 s left"), (121.0, "3min left"), (5460.0, "1h40min left")],
)
def test_the_time_left_of_hours_is_not_in_seconds(left_s: float, words: str) -> None:
    assert left_in_words(left_s) == words
