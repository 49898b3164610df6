"""What compare and check show is what they print as JSON, each figure in its own column."""

from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record, usual_times_ns
from support.cells import Shown, shown_of, shows
from support.heads import size_of
from support.pages import Cells, tables_in
from support.printed import result_of
from weft.cli.main import app
from weft.plan.case import Case
from weft.record.run import Run

FIELDS = {"latency": "latency_ns", "bandwidth": "bandwidth_bytes_per_s"}
# What the rows of one table have in common.
TABLE = ("test", "transport", "variant", "quantity", "directions")
# As a verdict stands in a table.
WORDS = {"cannot tell": "not significant", None: ""}


def times_of(case: Case, launch: int) -> list[float]:
    """Unlike those of any other case."""
    slower = 1.2 + 0.013 * (sum(map(ord, case.key)) % 61)
    return [slower * time for time in usual_times_ns(case, launch)]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second side with cases of the first and others."""
    cases = make_cases(sizes=(8, 1024, 65536))
    return synthetic_record(tmp_path_factory.mktemp("other") / "b.jsonl", cases, times_ns=times_of)


def printed(*words: object) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code in (0, 1), done.output
    return result_of(done.stdout)


@pytest.mark.usefixtures("undrawn")
def test_each_cell_of_a_comparison_is_its_sides_figure(
    unlike: Run, other: Path, tmp_path: Path
) -> None:
    sides = (unlike.path, other)
    found = printed("compare", *sides, "--json")
    page = tmp_path / "c.html"
    assert CliRunner().invoke(app, ["compare", *map(str, sides), "-o", str(page)]).exit_code == 0
    shown = [one for one in tables_in(page.read_text()) if "verdict" in one[0]]
    tables = [list(own) for _, own in groupby(found["rows"], key=itemgetter(*TABLE))]
    assert len(shown) == len(tables) >= 6
    for rows, cells in zip(tables, shown, strict=True):
        assert cells[0] == [rows[0]["along"], "unlike", "b", "speed ratio", "verdict"]
        assert_rows(rows, cells[1:])
        swapped = [[row[0], row[2], row[1], *row[3:]] for row in cells[1:]]
        with pytest.raises(AssertionError):
            assert_rows(rows, swapped)


def assert_rows(rows: list[dict[str, Any]], cells: Cells) -> None:
    for row, line in zip(rows, cells, strict=True):
        field = FIELDS[row["quantity"]]
        assert row["side"] == 1
        assert line[0] == (str(row["ranks"]) if row["ranks"] else size_of(row))
        for figure, cell in zip((row["reference"], row["figure"]), line[1:3], strict=True):
            assert shows(cell, shown_of(field, figure) if figure else None), (row, cell)
        of_speeds = shown_of("speed", row["speed"])
        assert isinstance(of_speeds, Shown)
        assert shows(line[3], of_speeds), (line, row["speed"])
        assert line[4].removesuffix("*") == WORDS.get(row["verdict"], row["verdict"])


def test_check_prints_each_outcome_with_its_case_and_why(
    unlike: Run, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("check", unlike.path, "--against", other)
    checks = printed(*words, "--json")["checks"]
    monkeypatch.setattr("weft.report.table.TERMINAL_WIDTH", 1000)
    shown = CliRunner().invoke(app, [str(word) for word in words]).stdout.splitlines()
    lines = [" ".join(line.split()) for line in shown]
    wanted = {
        " ".join(f"{one['outcome']} {one['case']} {one['why']}".split())
        for one in checks
        if one["outcome"] == "fail"
    }
    assert len(wanted) > 5
    assert wanted <= set(lines)
    outcomes = dict.fromkeys(chain.from_iterable([one["outcome"]] for one in checks))
    counts = [f"{sum(o['outcome'] == kind for o in checks)} {kind}" for kind in outcomes]
    assert all(one in lines[-1] for one in counts)
