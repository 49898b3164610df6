"""The progress of a run, drawn between batches and never during one, and that of an analysis."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.summary import bandwidth_of, latency_of
from weft.report.table import console
from weft.stages import shown_by
from weft.units import SHORT_S, format_bandwidth, format_bytes, format_duration, format_time
from weft.wording import counted, with_half

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

    from weft.estimate import Estimate
    from weft.measure.state import CaseState
    from weft.units import Shape

REDRAW_S = 0.2
# In a pipe each of the first rounds has a line, and of those behind them every so many.
FIRST_ROUNDS, LATER_ROUNDS = 5, 10


class DrawnLine:
    """A line that is drawn over: what is done, how much of it, the time left. No thread draws."""

    def __init__(self, screen: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.fields[what]}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[left]}", markup=False),
            console=screen,
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("run", total=1, what="starting", left="")
        self._drawn_s = 0.0

    def start(self) -> None:
        """Take a line of the screen."""
        self._progress.start()

    def stop(self) -> None:
        """Give it back."""
        self._progress.stop()

    @property
    def is_due(self) -> bool:
        """Whether the last drawing is a while ago; this one is then drawn."""
        if time.monotonic() - self._drawn_s < REDRAW_S:
            return False
        self._drawn_s = time.monotonic()
        return True

    def draw(self, what: str, left: str, done: float, of: float = 1.0) -> None:
        """Draw it anew."""
        self._progress.update(self._task, completed=done, total=of, what=what, left=left)
        self._progress.refresh()


class StageLine:
    """The progress of what is not measured, on a terminal; in a pipe there is none."""

    def __init__(self) -> None:
        screen = console(stderr=True)
        self._line = DrawnLine(screen) if screen.is_terminal else None
        self._is_there = False

    def show(self, what: str, share: float, left_s: float) -> None:
        """A share of it is done."""
        if self._line is None or not self._line.is_due:
            return
        self._line.draw(what, f"{100 * share:.0f} %, {left_in_words(left_s)}", share)
        if not self._is_there:
            self._line.start()
        self._is_there = True

    def hide(self) -> None:
        """The line is free for what follows."""
        if self._line is not None and self._is_there:
            self._line.stop()
        self._is_there = False


def left_in_words(left_s: float) -> str:
    """The time left: seconds one by one as long as there are few; nothing where it is not known."""
    if math.isinf(left_s):
        return ""
    if left_s > SHORT_S:
        return f"{format_duration(left_s)} left"
    return f"{max(0, left_s):.0f} s left"


class ProgressLine:
    """A bar with the current case, its interval and the time left; plain lines in a pipe.

    No thread draws: the bar is redrawn explicitly, between batches.
    """

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_quiet = is_quiet
        self._console = console(stderr=True)
        self._line = DrawnLine(self._console)
        self._alone = ExitStack()
        self._round = -1
        self._said: set[str] = set()

    def __enter__(self) -> ProgressLine:
        # What is counted while a run measures is small, and its own line stands there.
        self._alone.enter_context(shown_by(None))
        if self._console.is_terminal:
            self._line.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._line.stop()
        self._alone.close()

    def launched(self, round_: int, transport: str) -> None:
        """A transport's ranks are up; a pipe gets a line for a round, but of a quiet run."""
        number = round_ + 1
        is_told = number <= FIRST_ROUNDS or number % LATER_ROUNDS == 0
        is_new = is_told and round_ != self._round
        if not self._is_quiet and is_new and not self._console.is_terminal:
            self._console.print(f"round {number} of launches, {transport} first")
        self._round = round_

    def measured(self, state: CaseState, left_s: float, done: int, of: int) -> None:
        """A batch is in the record."""
        if not self._console.is_terminal or not self._line.is_due:
            return
        case = state.case
        what = f"{case.transport} {case.test} {format_bytes(case.bytes)}: {figure_of(state)}"
        amount = f"{done} of {counted(of, 'launch')} of cases"
        left = ", ".join(filter(None, (amount, left_in_words(left_s))))
        self._line.draw(what, left, done, of)

    def trouble(self, text: str) -> None:
        """Something failed, and the run continues; of a quiet one its record says so.

        What fails again in the same way is said once; the record has every time.
        """
        if not self._is_quiet and text not in self._said:
            self._said.add(text)
            self._console.print(f"weft: {text}", markup=False)


def figure_of(state: CaseState) -> str:
    """The case's figure as the tables have it, with its interval once there are two launches."""
    pattern, known = state.pattern, state.medians_ns
    if len(known) < 2 or min(known) <= 0:
        known = (state.operation_ns,)
    time_ns = median_of_launches(known, state.resolution_ns)
    rate = bandwidth_of(pattern, state.case.bytes, time_ns) if time_ns.value > 0 else None
    if pattern.figure == "bandwidth" and rate is not None:
        return _shown(rate, format_bandwidth)
    return _shown(latency_of(pattern, time_ns) or time_ns, format_time)


def _shown(figure: Estimate, shape: Shape) -> str:
    return shape(figure.value) if figure.launches < 2 else with_half(figure, shape)
