"""What a map takes against what its pairs need, of a record whose times are known."""

from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from support.maps import HOSTS, map_record
from weft.plan.rounds import partners_in
from weft.record.run import Run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def map_cost(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import map_cost

    return map_cost


def timed(run: Run, timed_ns: dict[int, int], elapsed_ns: int) -> Run:
    """The record with these times of the rounds' timed passes on rank 0."""
    batches = [
        msgspec.structs.replace(
            batch, timed_ns=timed_ns[run.cases[batch.case].point or 0], elapsed_ns=elapsed_ns
        )
        for batch in run.lines.batches
    ]
    return Run(run.path, msgspec.structs.replace(run.lines, batches=tuple(batches)))


def test_the_ideal_is_the_rounds_times_one_pair(map_cost: ModuleType, tmp_path: Path) -> None:
    """Of seven hosts rank 0 stands by in one round of seven, which takes a pair's time too."""
    run = map_record(tmp_path / "m.jsonl", {}, rounds=7)
    alone = [partners_in(point, len(HOSTS))[0] == len(HOSTS) for point in range(7)]
    passes = {point: 5 if alone[point] else 1_000_000 * (1 + point % 2) for point in range(7)}
    mean_s = sum(ns for ns in passes.values() if ns > 5) / 6 / 1e9
    assert sum(alone) == 1
    found = map_cost.cost_of(timed(run, passes, 3_000_000), [*run.cases.values()], "tcp")
    assert found.rounds == len(run.launches) * 7
    assert found.ideal_s == pytest.approx(found.rounds * mean_s)
    assert found.engine_s == pytest.approx(found.rounds * 3e-3)


def test_pairs_in_turn_take_as_many_times_as_long(map_cost: ModuleType, tmp_path: Path) -> None:
    run = timed(map_record(tmp_path / "m.jsonl", {}, rounds=1), {0: 1_000_000}, 1)
    cases = [msgspec.structs.replace(one, at_once=2) for one in run.cases.values()]
    run.cases |= {case.key: case for case in cases}
    lines = msgspec.structs.replace(
        run.lines,
        batches=tuple(msgspec.structs.replace(one, case=cases[0].key) for one in run.lines.batches),
    )
    again = Run(run.path, lines)
    found = map_cost.cost_of(again, cases, "tcp")
    # Three pairs, two at a time.
    assert found.ideal_s == pytest.approx(2e-3 * len(run.launches))


def test_the_whole_map_ends_with_its_record(map_cost: ModuleType, tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {})
    assert run.footer is not None
    begun = min(datetime.fromisoformat(one.started_utc) for one in run.lines.launches)
    footer = msgspec.structs.replace(
        run.footer, finished_utc=(begun + timedelta(seconds=12)).isoformat()
    )
    lines = msgspec.structs.replace(run.lines, footer=footer)
    assert map_cost.whole_s(Run(run.path, lines)) == 12
    with pytest.raises(SystemExit, match="has no end"):
        map_cost.whole_s(Run(run.path, msgspec.structs.replace(run.lines, footer=None)))
