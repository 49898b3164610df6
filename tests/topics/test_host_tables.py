"""What messages cost the host, where a user looks: the terminal, the page, JSON."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import weft
from support.builders import synthetic_record
from support.printed import result_of
from support.shown import HOST, charts_of, render_page, tables_of
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.plan.case import Case
from weft.report.html import in_pieces

SAMPLES = 11


def alone_ns(case: Case) -> float:
    return 4000.0 + case.bytes


def times(case: Case, round_: int) -> list[float]:
    work = alone_ns(case) * (case.point or 0) / 100
    whole = 200 + max(alone_ns(case), work) + 100 * (case.wait == "block")
    return [whole * (1 + 0.001 * round_)] * SAMPLES


def parts(case: Case, round_: int) -> dict[str, list[float]]:
    if case.test == "host_overhead":
        return {"post_send": [300.0] * SAMPLES, "complete_receive": [400.0] * SAMPLES}
    if case.point is None:
        return {}
    work = alone_ns(case) * case.point / 100
    found = {"alone": alone_ns(case), "work": work}
    if case.test == "send_overlap":
        found["call"] = work + 250.0
    return {name: [value * (1 + 0.001 * round_)] * SAMPLES for name, value in found.items()}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    cases = (
        *(Case(test="ping_pong", transport="tcp", bytes=8, wait=wait) for wait in ("", "block")),
        Case(test="host_overhead", transport="tcp", bytes=8),
        *(Case(test="send_overlap", transport="tcp", bytes=8, point=at) for at in (100, 200)),
        *(Case(test="busy_stream", transport="tcp", bytes=8, point=at) for at in (0, 100, 200)),
    )
    return synthetic_record(
        tmp_path / "r.jsonl",
        cases,
        times_ns=times,
        parts_ns=parts,
        cpu_shares=lambda case, _: (1.0, 0.25 if case.wait else 1.0),
    )


def shown(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["show", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("undrawn")
def test_the_terminal_and_the_page_have_every_table(made: Path) -> None:
    run = weft.load(made)
    summaries = summarise(run)
    tables = tables_of(run, summaries, *HOST)
    assert [table.name for table in tables] == [
        "overhead",
        "overlap",
        "availability",
        "completion",
    ]
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)
    page = render_page([(run, summaries)])
    assert ">Host overhead</a></h2>" in page
    assert "Bandwidth while computing" in page
    for table in tables:
        assert in_pieces(table.rows[0][0]) in page
    text = shown(made)
    assert "What a message costs the host, by three methods" in text
    assert "availability: tcp, 8 B:" in text


def test_json_has_the_figures_with_their_intervals(made: Path) -> None:
    (send, receive) = result_of(shown(made, "--table", "overhead", "--json"))
    assert (send["side"], receive["side"]) == ("send", "receive")
    assert send["beside_work_ns"]["value"] == pytest.approx(250, abs=1)
    assert send["beside_work_ns"]["low"] <= send["beside_work_ns"]["high"]
    assert send["delay_ns"] is None
    rows = result_of(shown(made, "--table", "completion", "--json"))
    assert [row["mode"] for row in rows] == ["usual wait", "block"]
    assert rows[1]["added_ns"]["value"] == pytest.approx(50, abs=1)
    assert rows[1]["cpu_percent"][1]["value"] == pytest.approx(25, abs=0.1)
    (curve,) = result_of(shown(made, "--table", "availability", "--json"))
    assert len(curve["points"]) == 3


def test_one_table_alone_and_none(made: Path, record: Path) -> None:
    assert "Latency (ping_pong)" not in shown(made, "--table", "overlap")
    assert "has no measured case for the table overlap" in shown(record, "--table", "overlap")
    assert tables_of(weft.load(record), summarise(weft.load(record)), *HOST) == []
    assert charts_of(weft.load(record), summarise(weft.load(record)), "availability") == []


def test_an_unknown_table_is_one_line(made: Path) -> None:
    result = CliRunner().invoke(app, ["show", str(made), "--table", "nope"])
    assert result.exit_code != 0
    assert "there is no table nope" in str(result.exception)
