"""weft.trend and weft.layers from Python have the figures that the commands print."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record
from support.nights import EVEN, night
from support.printed import result_of
from weft.cli.main import app


def told(*words: object) -> Any:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return result_of(done.stdout)


def test_a_trend(tmp_path: Path) -> None:
    factors = [*EVEN[:6], *(1.1 * factor for factor in EVEN[:4])]
    paths = [night(tmp_path, day, factor).path for day, factor in enumerate(factors, 1)]
    found = weft.trend([*paths[3:], *map(weft.load, paths[:3])])
    history = told("trend", *paths)
    figures = [point["estimate"] for one in history["series"] for point in one["points"]]
    assert found.table.select("figure", "figure_low", "figure_high").rows() == [
        (one["value"], one["low"], one["high"]) for one in figures
    ]
    assert found.table["record"][:10].to_list() == [str(path) for path in paths]
    speeds = [speed for one in history["courses"] for speed in one["speeds"]]
    assert found.speeds["speed"].to_list() == speeds
    steps = [step for one in (*history["courses"], *history["together"]) for step in one["steps"]]
    assert found.steps["speed_low"].to_list() == [step["speed"]["low"] for step in steps]
    assert found.steps["curve"][-1] == "all curves together"
    assert not any(found.steps["is_against_others"])
    assert set(found.steps["record"]) == {str(paths[6])}
    assert found.notes == (*history["notes"], *history["advice"])
    assert repr(found).splitlines()[-1].endswith("2 of 2 curves have a step.")
    assert found.plot().axes[0].get_ylabel()
    with pytest.raises(weft.WeftError, match="there is no plot 1 of this trend, it has 1"):
        found.plot(1)


def test_a_trend_of_one_session_has_no_plot(tmp_path: Path) -> None:
    found = weft.trend(night(tmp_path, 1).path)
    assert found.steps.is_empty()
    with pytest.raises(weft.WeftError, match="it has 0; give two records or more"):
        found.plot()


def test_layers(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "r.jsonl", make_cases(("ping_ping", "ping_pong")))
    found = weft.layers(weft.load(path), order="tcp,mpi")
    plain = told("layers", path, "--order", "tcp,mpi")
    stacked = [row for row in plain["rows"] if row["verdict"] != "apart"]
    assert stacked
    assert found.table["verdict"].to_list() == [row["verdict"] for row in plain["rows"]]
    assert found.table["added_ns_low"].drop_nulls().to_list() == [
        row["added_ns"]["low"] for row in stacked
    ]
    assert [*found.notes] == plain["notes"] == repr(found).splitlines()
    assert found.plot().axes[0].get_xlabel()
    with pytest.raises(weft.WeftError, match="there is no plot 1 of these layers, they have 1"):
        found.plot(1)
