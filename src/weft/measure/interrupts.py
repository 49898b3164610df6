"""Signals that end a run."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def ends_like_an_interrupt() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end a run as Ctrl-C does: ranks ended, footer written."""
    # A run goes on after an interrupt; what that stops from loading cannot load again.
    import numpy  # noqa: F401

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
