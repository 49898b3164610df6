"""Signals that end a run."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def ends_like_an_interrupt() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end a run as Ctrl-C does: ranks ended, footer written.

    A signal that is ignored stays ignored, as nohup asks.
    """
    # A run goes on after an interrupt; what that stops from loading cannot load again.
    import numpy  # noqa: F401

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    heard = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    ]
    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
