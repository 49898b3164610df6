"""How long the job that this process runs in may go on, as its scheduler says."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from weft.host.programs import answer

if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE_S = 20.0
# So long before the end of its time a run is asked to end, and writes its record and its report:
# a minute, or a quarter of a shorter time.
WARNING_S = 60
WARNING_SHARE = 0.25
# Seconds in a second, a minute and an hour, as Slurm writes a time from its end.
_IN_SECONDS = (1, 60, 3600)
_DAY_S = 86400
# A job's number and its time.
_WORDS = 2


def warning_s(time_s: float) -> int:
    """How long before the end of a job of so many seconds it is asked to end."""
    return int(min(WARNING_S, WARNING_SHARE * time_s))


def usable_s(environment: Mapping[str, str] = os.environ) -> float:
    """Seconds until this job is asked to end; infinite in no job of Slurm's, or without a limit."""
    number = environment.get("SLURM_JOB_ID", "")
    if not number:
        return math.inf
    words = ["squeue", "--noheader", f"--jobs={number}", "--states=running", "--format=%A %L"]
    done = answer(words, DEADLINE_S)
    lines = [line.split() for line in done.stdout.splitlines()] if done else []
    # The job of an array's task lists the other tasks too, and a heterogeneous one its components.
    components = range(int(environment.get("SLURM_HET_SIZE") or 0))
    own = {number, *(environment.get(f"SLURM_JOB_ID_HET_GROUP_{one}", "") for one in components)}
    times = [seconds_of(words[1]) for words in lines if len(words) == _WORDS and words[0] in own]
    left_s = min(times, default=math.inf) if done and done.returncode == 0 else math.inf
    return left_s - warning_s(left_s) if math.isfinite(left_s) else left_s


def seconds_of(text: str) -> float:
    """A time as Slurm writes it, "[days-][hours:][minutes:]seconds"; infinite where it is none."""
    days, has_days, rest = text.rpartition("-")
    words = rest.split(":")
    if not all(word.isdecimal() for word in (*words, *([days] if has_days else []))):
        return math.inf
    if len(words) > len(_IN_SECONDS):
        return math.inf
    parts = zip(reversed(words), _IN_SECONDS, strict=False)
    return float(sum(int(word) * unit for word, unit in parts) + int(days or 0) * _DAY_S)
