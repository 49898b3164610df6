"""How far a long piece of work is: whoever does it counts, and whoever shows it listens.

Analyses, pages and studies count what they go through by `counted_off`. A command that shows its
progress runs them under `shown_by`; without it nothing is shown, as in a notebook.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

# What is done sooner after the command began shows nothing.
PATIENCE_S = 1.0
T = TypeVar("T")


class Stage:
    """A piece of work that goes on: what it is, how many of its parts are done, since when."""

    def __init__(self, what: str, of: int, begun_s: float) -> None:
        self.what = what
        self.of = of
        self.begun_s = begun_s
        self.done = 0


class Shown(Protocol):
    """Who shows progress."""

    def show(self, what: str, share: float, left_s: float) -> None:
        """The outermost piece of work: which share of it is done, and about how long it takes."""

    def hide(self) -> None:
        """It is done: what follows is written where it stood."""


class Stages:
    """The pieces of work that are under way, each inside the one before it."""

    def __init__(
        self, show_by: Callable[[], Shown], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show_by = show_by
        self._shown: Shown | None = None
        self._clock = clock
        self._begun_s = clock()
        self._stages: list[Stage] = []

    def begin(self, what: str, of: int) -> Stage:
        """A piece of work begins."""
        self._stages.append(Stage(what, of, self._clock()))
        return self._stages[-1]

    def show(self) -> None:
        """A part of it is done."""
        outermost = self._stages[0]
        now_s = self._clock()
        spent_s = now_s - outermost.begun_s
        share = 0.0
        for stage in reversed(self._stages):
            share = (stage.done + share) / stage.of
        # A command of many short pieces keeps its user waiting as one of a long piece does.
        if now_s - self._begun_s < PATIENCE_S or share <= 0:
            return
        self._shown = self._shown or self._show_by()
        self._shown.show(outermost.what, share, spent_s * (1 - share) / share)

    def end(self, stage: Stage) -> None:
        """A piece of work is done, or given up, with all inside it."""
        if stage in self._stages:
            del self._stages[self._stages.index(stage) :]
        if not self._stages and self._shown is not None:
            self._shown.hide()


_STAGES: ContextVar[Stages | None] = ContextVar("stages", default=None)


@contextmanager
def shown_by(stages: Stages | None) -> Iterator[None]:
    """Who shows all that is counted meanwhile; None: nobody, something else is shown."""
    before = _STAGES.set(stages)
    try:
        yield
    finally:
        _STAGES.reset(before)


def counted_off(items: Collection[T], what: str) -> Iterator[T]:
    """These items one after the other; how many are done is shown with each next one.

    `what` is a line's beginning: "reading records".
    """
    return counted_as_they_come(items, len(items), what)


def counted_as_they_come(items: Iterable[T], of: int, what: str) -> Iterator[T]:
    """The same of items that come one by one, and are so many."""
    stages = _STAGES.get()
    if stages is None or not of:
        yield from items
        return
    stage = stages.begin(what, of)
    try:
        for item in items:
            yield item
            stage.done += 1
            stages.show()
    finally:
        stages.end(stage)
