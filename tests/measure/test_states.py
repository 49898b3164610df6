"""What a case's state is after a launch, measured now or read from a record."""

from pathlib import Path

from support.builders import TICK_NS, make_cases, make_clock, pattern, synthetic_record
from weft.launch.programs import Program
from weft.measure.state import CaseState, restore
from weft.record.run import load

[CASE] = make_cases(("ping_pong",), ("tcp",), (8,))


def test_a_case_whose_clock_stood_still_is_closed_in_a_live_run_and_in_a_resumed_one(
    tmp_path: Path,
) -> None:
    live = CaseState(CASE, pattern(CASE.test))
    live.add_launch(0, 0.0, 1, make_clock(TICK_NS))
    path = synthetic_record(
        tmp_path / "r.jsonl", (CASE,), launches=1, times_ns=lambda *_: [0.0] * 5, finished=False
    )
    run = load(path)
    program = Program(
        transport="tcp", mpi="openmpi", path=Path("x"), patterns=(pattern(CASE.test),)
    )
    [resumed] = restore(run.header.plan, {"tcp": program}, run).states
    assert (live.closed, resumed.closed) == (True, True)
    live = CaseState(CASE, pattern(CASE.test))
    live.add_launch(0, 1.0, 1, make_clock(TICK_NS))
    assert not live.closed
