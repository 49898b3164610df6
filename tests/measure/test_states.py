"""What a case's state is after a launch, measured now or read from a record."""

from pathlib import Path
from typing import TYPE_CHECKING

from support.builders import (
    TICK_NS,
    make_batch,
    make_cases,
    make_clock,
    make_header,
    make_launch,
    pattern,
    synthetic_record,
    write_lines,
)
from weft.launch.programs import Program
from weft.measure.state import CaseState, restore
from weft.record.run import load

if TYPE_CHECKING:
    from weft.record.model import Line

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


def test_a_resumed_case_knows_each_launch_by_its_own_operations_and_its_own_tick(
    tmp_path: Path,
) -> None:
    """The coarsest launch has two operations a sample, the finest one: as in its summary."""
    lines: list[Line] = [make_header((CASE,))]
    for launch, (tick_ns, operations) in enumerate(((1.0, 1), (40.0, 2), (8.0, 4))):
        lines.append(make_launch(launch, "tcp", tick_ns=tick_ns))
        times = [10 * tick_ns] * 5
        lines.append(
            make_batch(CASE, launch, launch, times, ops_per_sample=operations, tick_ns=tick_ns)
        )
    run = load(write_lines(tmp_path / "r.jsonl", lines))
    program = Program(
        transport="tcp", mpi="openmpi", path=Path("x"), patterns=(pattern(CASE.test),)
    )
    [resumed] = restore(run.header.plan, {"tcp": program}, run).states
    assert resumed.resolution_ns == run.resolution_ns(run.measured) == 20.0
