"""Signals end a run like Ctrl-C, unless they were ignored when it started."""

import os
import signal
from collections.abc import Iterator

import pytest

from weft.measure.interrupts import ends_like_an_interrupt


@pytest.fixture(params=[signal.SIGHUP, signal.SIGTERM])
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    before = signal.getsignal(request.param)
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_that_nohup_ignores_ends_no_run(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    with ends_like_an_interrupt():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) == signal.SIG_IGN


def test_a_signal_ends_a_run_like_an_interrupt(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), ends_like_an_interrupt():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) == signal.SIG_DFL
