"""compare, fit and check from Python are what the commands print, as tables."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record
from support.nights import night
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError

CASES = make_cases(("ping_pong", "stream"), ("tcp",), (8, 64, 512, 4096, 32768, 262144))


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[weft.Run, weft.Run]:
    folder = tmp_path_factory.mktemp("answers")
    made = (night(folder, 1, cases=CASES), night(folder, 2, 1.25, cases=CASES))
    return weft.load(made[0].path), weft.load(made[1].path)


def told(*words: object) -> Any:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code in (0, 1, 3), done.output
    return result_of(done.stdout)


def test_a_comparison(nights: tuple[weft.Run, weft.Run]) -> None:
    first, second = nights
    found = weft.compare(first, second)
    rows = told("compare", first.path, second.path)["rows"]
    assert found.table["speed"].to_list() == [row["speed"]["value"] for row in rows]
    assert found.table["reference_low"].to_list() == [row["reference"]["low"] for row in rows]
    assert found.table["verdict"].to_list() == ["worse"] * len(rows)
    assert found.table["speed"].to_list() == pytest.approx([0.8] * len(rows), rel=1e-2)
    assert list(found.verdicts.values()) == [
        {"better": 0, "worse": len(rows), "same": 0, "cannot tell": 0}
    ]
    assert f"worse {len(rows)}" in repr(found)
    assert weft.compare(first, second, same=0.6).table["verdict"].to_list() == ["same"] * len(rows)
    only = weft.compare(first, str(second.path), test="stream")
    assert set(only.table["test"]) == {"stream"}
    [axes] = only.plot().axes
    assert len(axes.get_legend_handles_labels()[1]) == 2


def test_each_side_counts_its_own_figures_without_an_interval(
    nights: tuple[weft.Run, weft.Run], tmp_path: Path
) -> None:
    first, second = nights
    single = weft.load(synthetic_record(tmp_path / "one.jsonl", CASES, launches=1))
    of_single, of_second = repr(weft.compare(first, single, second)).splitlines()[:2]
    rows = len(told("compare", first.path, second.path)["rows"])
    assert of_second.endswith(f": worse {rows}"), (of_single, of_second)
    assert "no interval" in of_single


def test_a_fit(nights: tuple[weft.Run, weft.Run]) -> None:
    [found] = weft.fit(nights[0])
    [models] = told("fit", nights[0].path)
    line = found.parameters.filter(model="Hockney, median line", parameter="latency_ns")
    wanted = models["line"]["median_line"]["latency_ns"]
    assert line.select("value", "low", "high").row(0) == (
        wanted["value"], wanted["low"], wanted["high"],
    )  # fmt: skip
    assert found.errors["model"].to_list() == [one["model"] for one in models["predictions"]]
    pieces = found.parameters.filter(model="piecewise")["first_bytes"].drop_nulls()
    assert set(pieces) == {one["first_bytes"] for one in models["piecewise"]["segments"]}
    assert found.plot().axes[0].get_xlabel()
    assert found.name in repr(found)


def test_a_part_by_its_cases_is_that_part_everywhere(nights: tuple[weft.Run, weft.Run]) -> None:
    first, second = nights
    few = [case.key for case in CASES if case.test == "ping_pong" and case.bytes <= 64]
    part = first.only(few)
    assert part.figures["case"].to_list() == few
    assert part.plots == ("ping_pong",)
    for found in (weft.compare(part, second), weft.compare(second, part)):
        assert found.table["bytes"].unique().to_list() == [8, 64]
        assert "with 2 of its 12 cases" in repr(found)
    with pytest.raises(WeftError, match=r"^tcp/ping_pong has 2 sizes"):
        weft.fit(part)
    assert weft.check(part, against=second).table.height < (
        weft.check(first, against=second).table.height
    )
    assert set(weft.check(second, against=part).table["test"]) == {"ping_pong"}
    # It is still of that record.
    for one in (first, first.only([CASES[-1].key])):
        with pytest.raises(WeftError, match="is the record under test itself"):
            weft.check(part, against=one)


def test_a_record_that_was_read_needs_its_file_no_more(tmp_path: Path) -> None:
    run = weft.load(night(tmp_path, 3, cases=CASES).path)
    beside = weft.load(night(tmp_path, 4, cases=CASES).path)
    for one in (run, beside):
        one.path.unlink()
    assert len(weft.fit(run)) == 1
    assert weft.compare(run, beside).table.height == len(CASES)
    assert weft.check(run, against=beside).table.height


def test_cases_that_a_record_does_not_have_are_refused(nights: tuple[weft.Run, weft.Run]) -> None:
    run = nights[0]
    # A key by itself is one case, and not every case whose key is a part of it.
    assert list(run.only("tcp/ping_pong/64").cases) == ["tcp/ping_pong/64"]
    with pytest.raises(WeftError, match="there is no case called tcp/ping_pong/65"):
        run.only(["tcp/ping_pong/65"])
    with pytest.raises(WeftError, match=r"no case of .* is chosen"):
        run.only([])


def test_a_check(nights: tuple[weft.Run, weft.Run], tmp_path: Path) -> None:
    first, second = nights
    found = weft.check(second, against=first)
    assert found.outcome == "fail"
    checks = told("check", second.path, "--against", first.path)["checks"]
    assert found.table["outcome"].to_list() == [one["outcome"] for one in checks]
    assert repr(found).startswith("fail: ")
    assert weft.check([second], against=[first], tolerance=0.4).outcome == "pass"
    limits = tmp_path / "l.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "900 s"\n')
    by_limits = weft.check(first, against=limits)
    assert (by_limits.outcome, by_limits.table.height) == ("pass", 1)
    assert repr(by_limits) == "pass: 1 check"


def test_all_of_the_door_is_what_weft_offers() -> None:
    import weft.notebook

    assert {*weft.notebook.__all__, "__version__"} == set(dir(weft))
    assert all(
        getattr(weft, name) is getattr(weft.notebook, name) for name in weft.notebook.__all__
    )
