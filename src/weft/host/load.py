"""What else runs on this machine now."""

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


def look() -> Load:
    """Watch the machine for a third of a second; this process and its parents do not count."""
    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    before = _times(own)
    steal_before = psutil.cpu_times()
    time.sleep(WINDOW_S)
    used = []
    for pid, (name, seconds) in _times(own).items():
        if pid in before and seconds > before[pid][1]:
            used.append((name, (seconds - before[pid][1]) / WINDOW_S))
    used.sort(key=lambda entry: -entry[1])
    steal = getattr(psutil.cpu_times(), "steal", 0.0) - getattr(steal_before, "steal", 0.0)
    return Load(
        busiest=tuple(used[:3]),
        total=sum(share for _, share in used),
        steal_percent=100 * steal / WINDOW_S,
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
