"""Which other processes use this machine now."""

from __future__ import annotations

import contextlib
import os
import time

import msgspec
import psutil

WINDOW_S = 0.3


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Other processes' use of the cores over a short window, as a share of one core each."""

    busiest: tuple[tuple[str, float], ...] = ()
    total: float = 0.0
    steal_percent: float = 0.0


class Watch:
    """A window over what others do: it opens when this is made and is at least WINDOW_S long."""

    def __init__(self) -> None:
        self._own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
        self._opened_s = time.monotonic()
        self._times = _times(self._own)
        self._steal = getattr(psutil.cpu_times(), "steal", 0.0)

    def load(self) -> Load:
        """What others used since; waits where the window is still too short.

        This process, its parents and what it started since do not count.
        """
        time.sleep(max(0.0, self._opened_s + WINDOW_S - time.monotonic()))
        window_s = time.monotonic() - self._opened_s
        used = []
        for pid, (name, seconds) in _times(self._own).items():
            if pid in self._times and seconds > self._times[pid][1]:
                used.append((name, (seconds - self._times[pid][1]) / window_s))
        used.sort(key=lambda entry: -entry[1])
        steal = getattr(psutil.cpu_times(), "steal", 0.0) - self._steal
        return Load(
            busiest=tuple(used[:3]),
            total=sum(share for _, share in used),
            steal_percent=100 * steal / window_s,
        )


def _times(own: set[int]) -> dict[int, tuple[str, float]]:
    times = {}
    for process in psutil.process_iter():
        if process.pid in own:
            continue
        with contextlib.suppress(psutil.Error):
            spent = process.cpu_times()
            times[process.pid] = (process.name(), spent.user + spent.system)
    return times
