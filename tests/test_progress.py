"""What is said while a run goes on: rounds in a pipe, and a bar that is not drawn too often."""

import io
import time
from math import inf
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from support.builders import pattern
from weft.measure.rounds import Measurement
from weft.progress import FIRST_ROUNDS, LATER_ROUNDS, REDRAW_S, ProgressLine, figure_of


class Screen:
    """What is written, on a terminal or into a pipe, and a clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool) -> None:
        self.now = 50.0
        self.file = io.StringIO()
        # rich draws no bar where TERM is dumb, whatever the console is said to be.
        monkeypatch.setenv("TERM", "xterm" if is_terminal else "dumb")
        screen = Console(
            file=self.file,
            width=120,
            force_terminal=is_terminal,
            highlight=False,
            color_system=None,
        )
        monkeypatch.setattr("weft.progress.console", lambda **_: screen)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def said(self) -> list[str]:
        lines = self.file.getvalue().splitlines()
        self.file.seek(0)
        self.file.truncate()
        return lines


def state(size: int, *medians_ns: float) -> Any:
    """Of a round trip, of which the half is shown."""
    case = SimpleNamespace(transport="tcp", test="ping_pong", bytes=size)
    return cast(
        "Any",
        SimpleNamespace(
            case=case,
            pattern=pattern("ping_pong"),
            medians_ns=medians_ns,
            operation_ns=1400.0,
            resolution_ns=0.0,
        ),
    )


def test_a_pipe_has_a_line_for_each_of_the_first_rounds_and_of_every_tenth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen(monkeypatch, is_terminal=False)
    with ProgressLine() as line:
        for round_ in range(31):
            line.launched(round_, "mpi")
            line.launched(round_, "tcp")
            line.measured(state(8, 500.0), 3.0, 1, 9)
        line.trouble("[byte] 3 differs")
    told = [1, 2, 3, 4, 5, 10, 20, 30]
    assert (FIRST_ROUNDS, LATER_ROUNDS) == (5, 10)
    assert screen.said() == [
        *(f"round {number} of launches, mpi first" for number in told),
        "weft: [byte] 3 differs",
    ]


def test_what_fails_again_in_the_same_way_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both tries of a launch found the port in use, and said so in four lines."""
    screen = Screen(monkeypatch, is_terminal=False)
    with ProgressLine() as line:
        line.trouble("tcp: the port is in use")
        line.trouble("tcp: byte 3 differs")
        line.trouble("tcp: the port is in use")
    assert screen.said() == ["weft: tcp: the port is in use", "weft: tcp: byte 3 differs"]


@pytest.mark.parametrize(
    ("left_s", "shown"),
    [(3.0, "1 of 9 launches of cases, 3 s left"), (inf, "1 of 9 launches of cases")],
)
def test_a_bar_says_how_long_it_takes_once_that_is_known(
    monkeypatch: pytest.MonkeyPatch, left_s: float, shown: str
) -> None:
    screen = Screen(monkeypatch, is_terminal=True)
    with ProgressLine() as line:
        line.measured(state(8, 500.0), left_s, 1, 9)
        lines = [one.rstrip() for one in screen.said()]
    assert any(one.endswith(shown) for one in lines), lines


@pytest.mark.parametrize(("launches", "left_s"), [(0, inf), (1, 30.0)])
def test_a_simulation_says_when_it_ends_once_a_launch_of_a_case_has_ended(
    monkeypatch: pytest.MonkeyPatch, launches: int, left_s: float
) -> None:
    """It showed the whole budget as the time left, which it hardly ever takes."""
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    told: list[float] = []
    run = Measurement.__new__(Measurement)
    vars(run).update(
        plan=SimpleNamespace(simulated="escher", launches=1),
        states=[state(8, *[500.0] * launches), *[state(size) for size in (16, 32, 64)]],
        watcher=SimpleNamespace(measured=lambda _, left_s, *__: told.append(left_s)),
        _begun=100.0,
        _end=700.0,
    )
    run.measured(run.states[0])
    assert told == [left_s]


def test_a_quiet_run_says_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, is_terminal=False)
    with ProgressLine(is_quiet=True) as line:
        line.launched(0, "mpi")
        line.trouble("byte 3 differs")
    assert screen.said() == []


def test_a_bar_says_the_case_its_interval_and_what_is_left_and_waits_before_it_is_drawn_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen(monkeypatch, is_terminal=True)
    with ProgressLine() as line:
        screen.said()
        line.launched(0, "mpi")
        assert screen.said() == []
        line.measured(state(8), 12.6, 1, 9)
        [first] = [one for one in screen.said() if "tcp" in one]
        assert "tcp ping_pong 8 B: 700 ns" in first
        assert "1 of 9 launches of cases, 13 s left" in first
        screen.now += 0.9 * REDRAW_S
        line.measured(state(1024), 12.0, 2, 9)
        assert screen.said() == []
        screen.now += 0.2 * REDRAW_S
        line.measured(state(4096, 1000.0, 1020.0), -2.0, 3, 9)
        drawn = "".join(screen.said())
        assert "tcp ping_pong 4 KiB: 500 ns [" in drawn
        assert "3 of 9 launches of cases, 0 s left" in drawn


def test_progress_ends_at_100_percent_although_some_cases_get_more_launches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three launches were asked for; what is not precise by then gets further ones."""
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    told: list[tuple[int, int]] = []
    run = Measurement.__new__(Measurement)
    vars(run).update(
        plan=SimpleNamespace(simulated=None, launches=3),
        states=[state(8, *[500.0] * 7), state(16, *[500.0] * 2)],
        watcher=SimpleNamespace(measured=lambda _, __, *counts: told.append(counts)),
        _begun=100.0,
        _end=700.0,
    )
    run.measured(run.states[0])
    assert told == [(5, 6)]


def test_a_launch_of_which_the_clock_saw_nothing_leaves_the_figure_without_an_interval() -> None:
    assert figure_of(state(8, 500.0, 0.0)) == figure_of(state(8))
    assert "[" in figure_of(state(8, 500.0, 510.0))
