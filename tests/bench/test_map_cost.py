"""What a map takes against what its pairs need, of a record whose times are known."""

from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from support.maps import HOSTS, map_record
from weft.plan.rounds import usual_rounds
from weft.record.run import Run

ROOT = Path(__file__).parents[2]
# A launch's factor, and the share of a rank and a round, of support.maps.
SPREAD = 0.15


@pytest.fixture
def map_cost(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import map_cost

    return map_cost


def test_a_round_takes_as_long_as_one_pair_and_as_its_slowest(
    map_cost: ModuleType, tmp_path: Path
) -> None:
    """Seven hosts, a microsecond each way; n5 sends as slowly as three. In every round but one of
    seven it has a partner."""
    run = map_record(tmp_path / "m.jsonl", {"n5": 3.0})
    found = map_cost.cost_of(run, [*run.cases.values()], "tcp")
    launches = len(run.launches)
    assert found.rounds == launches * usual_rounds(len(HOSTS))
    batch = run.measured[0]
    pair_s = len(batch.ticks) * batch.ops_per_sample * 2e-6
    assert found.ideal_s == pytest.approx(found.rounds * pair_s, rel=SPREAD)
    assert found.slowest_s == pytest.approx(found.rounds * pair_s * (6 * 2 + 1) / 7, rel=SPREAD)
    assert found.engine_s == sum(one.elapsed_ns for one in run.measured) / 1e9


def test_one_pair_is_measured_by_both_of_its_ways(map_cost: ModuleType, tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {"n1": 2.0}, hosts=("n1", "n2"))
    batch = run.measured[0]
    [taken_s] = map_cost.pair_seconds(run, run.cases[batch.case], batch)
    each = len(batch.ticks) * batch.ops_per_sample
    assert taken_s == pytest.approx(each * 3e-6, rel=SPREAD)


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
