"""What others use, in scripted time: how long the window is, and whose share is what of it."""

from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from weft.host import load
from weft.host.load import Watch

BEFORE = {1: ("a", 1.0), 2: ("b", 2.0), 3: ("c", 3.0), 4: ("d", 4.0), 5: ("idle", 5.0)}
# A process that is new has no share: since when it computes is not known.
AFTER = {
    1: ("a", 1.1), 2: ("b", 2.4), 3: ("c", 3.3), 4: ("d", 4.2), 5: ("idle", 5.0), 6: ("new", 9.0),
}  # fmt: skip


class Clock:
    """It moves where somebody sleeps, and where a test says so."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.mark.parametrize(("passed_s", "window_s"), [(0.0, 0.3), (0.1, 0.3), (0.5, 0.5)])
def test_a_window_is_three_tenths_of_a_second_or_what_passed(
    monkeypatch: pytest.MonkeyPatch, passed_s: float, window_s: float
) -> None:
    clock = Clock()
    told: list[Any] = [BEFORE, AFTER]
    steal = [SimpleNamespace(steal=7.0), SimpleNamespace(steal=7.02)]
    monkeypatch.setattr(load, "time", clock)
    monkeypatch.setattr(load, "_times", lambda _: told.pop(0))
    monkeypatch.setattr(psutil, "cpu_times", lambda: steal.pop(0))
    watch = Watch()
    clock.now += passed_s
    found = watch.load()
    assert clock.slept == [pytest.approx(max(0.0, 0.3 - passed_s))]
    assert [name for name, _ in found.busiest] == ["b", "c", "d"]
    shares = [share for _, share in found.busiest]
    assert shares == pytest.approx([one / window_s for one in (0.4, 0.3, 0.2)])
    assert found.total == pytest.approx((0.4 + 0.3 + 0.2 + 0.1) / window_s)
    assert found.steal_percent == pytest.approx(100 * 0.02 / window_s)
