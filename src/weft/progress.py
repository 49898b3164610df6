"""The progress of a run, drawn between batches and never during one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from weft.analysis.stats.intervals import median_of_launches
from weft.report.terminal import console
from weft.units import format_bytes, format_time
from weft.wording import counted, with_half

if TYPE_CHECKING:
    from types import TracebackType

    from weft.launch.protocol import Hello
    from weft.measure.state import CaseState

REDRAW_S = 0.2
# In a pipe each of the first rounds has a line, and of those behind them every so many.
FIRST_ROUNDS, LATER_ROUNDS = 5, 10


class ProgressLine:
    """A bar with the current case, its interval and the time left; plain lines in a pipe.

    No thread draws: the bar is redrawn explicitly, between batches.
    """

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_quiet = is_quiet
        self._console = console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.fields[what]}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[left]}"),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("run", total=1, what="starting", left="")
        self._drawn = 0.0
        self._round = -1

    def __enter__(self) -> ProgressLine:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._progress.stop()

    def launched(self, round_: int, hello: Hello) -> None:
        """A transport's ranks are up; a pipe gets a line for a round, but of a quiet run."""
        number = round_ + 1
        is_told = number <= FIRST_ROUNDS or number % LATER_ROUNDS == 0
        is_new = is_told and round_ != self._round
        if not self._is_quiet and is_new and not self._console.is_terminal:
            self._console.print(f"round {number} of launches, {hello.transport} first")
        self._round = round_

    def measured(self, state: CaseState, left_s: float, done: int, of: int) -> None:
        """A batch is in the record."""
        if not self._console.is_terminal or time.monotonic() - self._drawn < REDRAW_S:
            return
        self._drawn = time.monotonic()
        case = state.case
        what = f"{case.transport} {case.test} {format_bytes(case.bytes)}: {_interval(state)}"
        left = f"{done} of {counted(of, 'launch')} of cases, {max(0, left_s):.0f} s left"
        self._progress.update(self._task, completed=done, total=of, what=what, left=left)
        self._progress.refresh()

    def trouble(self, text: str) -> None:
        """Something failed, and the run continues; of a quiet one its record says so."""
        if not self._is_quiet:
            self._console.print(f"weft: {text}", markup=False)


def _interval(state: CaseState) -> str:
    """The time of an operation, with its interval once there are two launches."""
    if len(state.medians_ns) < 2 or min(state.medians_ns) <= 0:
        return format_time(state.operation_ns)
    return with_half(median_of_launches(state.medians_ns, state.resolution_ns), format_time)
