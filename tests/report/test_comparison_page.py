"""The page of a comparison: whole, without a browser."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record, usual_times_ns
from support.pages import tables_in
from weft.analysis.compare.comparison import compare
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.case import Case
from weft.report.comparison import write_comparison
from weft.sources.sides import load_sides


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "c.html"
    done = CliRunner().invoke(app, ["compare", "escher", "red-squall", "-o", str(path)])
    assert done.exit_code == 0, done.output
    return path.read_text()


def test_unlike_conditions_come_before_any_figure(page: str) -> None:
    parts = [
        ">Unlike conditions</a></h2>",
        "dual 2.0 GHz Opteron",
        ">Outcome in words</a></h2>",
        ">Curves</a></h2>",
        "4.29",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)


def test_every_table_has_its_curves_words_and_rows(page: str) -> None:
    for number, name in enumerate(("ping_pong", "ping_pong", "sendrecv", "sendrecv")):
        quantity = ("latency", "bandwidth")[number % 2]
        assert f'id="plot-{name}-{quantity}-{number}"' in page
    assert "Red Squall is faster from 2 KiB to 8 KiB" in page
    assert page.count("<td>better</td>") == 13 + 7 + 10 + 3
    assert "chance is not ruled out" in page
    assert "What all of them rest on: see the notes." in page
    assert "The speed ratio is against Escher, of the geometric means" in page
    assert "Red Squall against Escher, of 56 figures: better 33, worse 23." in page
    assert "<strong>Mixed.</strong>" in page
    assert "of published figures, their rounding" in page
    rows = [row for table in tables_in(page) for row in table]
    assert ["128 KiB", "855.4 MB/s", "848.3 MB/s", "0.992", "worse"] in rows


@pytest.mark.usefixtures("undrawn")
def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    found = compare(load_sides(["escher", "red-squall"]))
    with pytest.raises(WeftError, match="is a directory; use the name of a file in it"):
        write_comparison(found, tmp_path)


def test_what_is_seen_in_these_runs_alone_is_said_to_be(tmp_path: Path) -> None:
    """Launches scatter by less than days do: 3 % are seen, and the interval shown holds 1."""
    cases = make_cases(("ping_pong",), ("tcp",), (8,))

    def slower(case: Case, launch: int) -> list[float]:
        return [1.03 * time for time in usual_times_ns(case, launch)]

    records = [
        synthetic_record(tmp_path / "a.jsonl", cases),
        synthetic_record(tmp_path / "b.jsonl", cases, times_ns=slower),
    ]
    [row] = [
        row for table in compare(load_sides([*map(str, records)])).tables for row in table.rows
    ]
    [found], [answer] = row.ratios, row.verdicts
    assert found is not None
    assert (found.low < 1 < found.high, answer) == (True, "cannot tell")
    assert found.in_these_runs
    assert found.in_these_runs[1] < 1
    done = CliRunner().invoke(app, ["compare", *map(str, records)])
    shown = " ".join(done.output.split())
    assert "slower here" in shown
    assert (
        "b is slower in these runs at 8 B; most: 3 % slower at 8 B; whether it holds on other"
        " days is not known (one session a side)."
    ) in shown
    assert "Slower in these runs." in shown


def test_no_interval_is_explained_where_any_ratio_has_none(tmp_path: Path) -> None:
    """Beside one that has an interval, in a comparison with three sides."""
    cases = make_cases(("ping_pong",), ("tcp",), (8,))
    launches = {"a": 5, "b": 5, "c": 1}
    records = {
        name: str(synthetic_record(tmp_path / f"{name}.jsonl", cases, launches=count))
        for name, count in launches.items()
    }

    def explained(*names: str) -> bool:
        page = tmp_path / "p.html"
        write_comparison(compare(load_sides([records[name] for name in names])), page)
        return "how far another launch would be from it is not known" in page.read_text()

    assert [explained("a", *others) for others in ("b", "c", "bc")] == [False, True, True]
