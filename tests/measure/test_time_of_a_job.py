"""A run in a job ends itself before the job does, in virtual time."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from support.builders import make_cases
from support.virtual_ranks import Machine, Sink, footer_of, programs_of
from weft.launch.protocol import Hello, LaunchError
from weft.measure.rounds import Measurement
from weft.plan.plan import make_plan
from weft.record.model import LaunchEnd

CASES = make_cases(("ping_pong",), ("a",), (8, 64))
BUDGET_S = 600.0


class Slow(Machine):
    """Ranks that take `start_s` until they have started."""

    start_s = 1.0

    def hello(self, deadline_s: float = 0) -> Hello:
        self.now += min(self.start_s, deadline_s)
        if self.start_s > deadline_s:
            raise LaunchError("timeout", f"the ranks did not start in {deadline_s:g} s")
        return super().hello()


class Told(Sink):
    def trouble(self, text: str) -> None:
        self.predicted.append(text)


def _measured(
    monkeypatch: pytest.MonkeyPatch, start_s: float, job_s: float
) -> tuple[Told, float, float]:
    """The lines of a run, how long it took, and what it was given time for, in seconds."""
    machine = Slow(0.001, lambda _, __: 1.0)
    machine.start_s = start_s
    monkeypatch.setattr(time, "monotonic", lambda: machine.now)
    plan = make_plan(
        CASES, precision=0.01, budget_s=BUDGET_S, seed=1, mpi="none", options={},
        case_deadline_s=20, launches=400, samples=10,
    )  # fmt: skip
    sink = Told()
    record: Any = sink
    begun = machine.now
    Measurement(
        plan, programs_of(CASES), record, sink, launcher=machine,
        end_s=begun + BUDGET_S, job_end_s=begun + job_s,
    ).measure()  # fmt: skip
    return sink, machine.now - begun, footer_of(sink).budget_s


def test_a_run_ends_before_the_job_that_is_shorter_than_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, took_s, budget_s = _measured(monkeypatch, 1.0, 90.0)
    assert took_s < 93.0
    assert budget_s == 90.0
    assert footer_of(sink).outcome == "budget"
    assert sink.predicted[0] == (
        "the job's time ends before the budget of 600 s: of that 90 s are left; ask for more with"
        " --time"
    )


@pytest.mark.parametrize("job_s", [BUDGET_S, math.inf])
def test_a_job_that_is_long_enough_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, job_s: float
) -> None:
    sink, _, budget_s = _measured(monkeypatch, 1.0, job_s)
    assert budget_s == BUDGET_S
    assert not any("job" in line for line in sink.predicted)


def test_ranks_that_do_not_start_in_a_jobs_time_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two ranks have 40 s by themselves.
    sink, took_s, _ = _measured(monkeypatch, 300.0, 30.0)
    assert took_s < 32.0
    # A launch took 0.6 s before the ranks were waited for.
    ends = [line for line in sink if isinstance(line, LaunchEnd)]
    assert [end.reason for end in ends] == ["the ranks did not start in 30 s"]
