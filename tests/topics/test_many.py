"""Hot spots, message rates and loads where a user looks: the terminal, the page, the JSON."""

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from support.printed import result_of
from support.shown import MANY, charts_of, json_rows, render_page, tables_of
from weft.analysis.compare.conditions import unlike
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.plan.case import Case
from weft.record.model import Batch, Launch
from weft.report.notes import flags_in_words

HOT = tuple(
    Case(test="hot_spot_receive", transport="tcp", bytes=1000, ranks=5, point=peers)
    for peers in (1, 2, 4)
)
PAIRS = Case(test="random_pairs", transport="tcp", bytes=1000, ranks=5)
RATES = tuple(
    Case(test="message_rate", transport="tcp", bytes=8, ranks=5, point=pairs) for pairs in (1, 2)
)
LOADS = tuple(
    Case(test="offered_load", transport="tcp", bytes=8, point=load) for load in (50, 80, 100, 125)
)


def streams(case: Case) -> int:
    return case.point or 2


def times(case: Case, round_: int) -> list[float]:
    if case.test != "offered_load":
        return [400 * LAUNCH_EFFECTS[round_]] * 9
    behind = max(0.0, 1000 - 1e5 / streams(case))
    return [2000 + number * behind for number in range(1000)]


def parts(case: Case, round_: int) -> dict[str, list[float]]:
    if case.test == "offered_load":
        return {"interval": [1e5 / streams(case)] * 1000, "late": [0.0] * 1000}
    own = [400 * LAUNCH_EFFECTS[round_]] * 9
    return {f"rank{peer}": own for peer in range(1, streams(case) + 1)}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "r.jsonl"
    cases = (*HOT, PAIRS, *RATES, *LOADS)
    return synthetic_record(path, cases, times_ns=times, parts_ns=parts)


def test_a_terminal_has_a_table_of_each_and_the_knee(many: Path) -> None:
    shown = CliRunner().invoke(app, ["show", str(many)]).stdout
    assert "Hot spots: time of a message of any peer" in shown
    assert "Message rate: all pairs together" in shown
    assert "Latency under offered load" in shown
    assert "knee: tcp, 8 B: at 100 % of saturation, 1.00 M messages/s" in shown


def test_the_tables_hold_the_records_figures(many: Path) -> None:
    run = weft.load(many)
    hot, rates, loads = tables_of(run, summarise(run), *MANY)
    assert hot.rows[2][:5] == ("tcp, 5 ranks receive", "1000 B", "4", "400 ns", "2.50 GB/s ±0.4%")
    assert hot.rows[2][6] == "1.000 ±0.0%"
    # Four peers move 2.5 GB/s together, a random pair 1.25 GB/s by itself.
    assert hot.rows[2][7].startswith("2.000 [")
    assert rates.rows[1][:4] == ("tcp, 5 ranks", "8 B", "2", "2.50 M ±0.4%")
    assert loads.rows[3][2:5] == ("125 %", "1.250 M", "80 %")


@pytest.mark.usefixtures("undrawn")
def test_the_page_draws_them_against_their_axes_and_not_against_the_size(many: Path) -> None:
    run = weft.load(many)
    summaries = summarise(run)
    charts = {chart.name: chart for chart in charts_of(run, summaries, *MANY)}
    assert set(charts) == {"many-hot_spot_receive", "many-message_rate", "load-tcp-8"}
    assert charts["many-hot_spot_receive"].tracks[0].x == (1.0, 2.0, 4.0)
    assert [mark.text for mark in charts["load-tcp-8"].marks] == ["knee, 100 %"]
    page = render_page([(run, summaries)])
    assert ">Hot spots and random pairs</a></h2>" in page
    assert ">Latency under offered load</a></h2>" in page
    assert 'id="plot-load-tcp-8"' in page
    assert 'id="plot-hot_spot_receive"' not in page


def test_json_has_the_rows_beside_the_cases(many: Path) -> None:
    rows = result_of(CliRunner().invoke(app, ["show", str(many), "--json"]).stdout)
    by_case = {row["case"]: row for row in rows}
    assert by_case[HOT[2].key]["many"]["streams"] == 4
    assert by_case[HOT[2].key]["many"]["fairness"]["value"] == pytest.approx(1)
    assert by_case[LOADS[0].key]["knee"]["load_percent"] == 100


def test_a_record_without_them_has_no_such_part(record: Path) -> None:
    run = weft.load(record)
    assert tables_of(run, summarise(run), *MANY) == []
    assert charts_of(run, summarise(run), *MANY) == []


def between_hosts(record: Path, counts: dict[str, tuple[int, ...]]) -> weft.Run:
    """The record as if its ranks had been on two hosts; by test, crossing pairs of each launch."""

    def with_pairs(batch: Batch) -> Batch:
        own = counts.get(run.cases[batch.case].test)
        if own is None:
            return batch
        crossing = own[batch.launch % len(own)]
        return msgspec.structs.replace(batch, pairs=4, pairs_between_hosts=crossing)

    def on_two(launch: Launch) -> Launch:
        ranks = (msgspec.structs.replace(one, host=f"n{one.rank % 2}") for one in launch.ranks)
        return msgspec.structs.replace(launch, ranks=tuple(ranks))

    run = weft.load(record)
    lines = msgspec.structs.replace(
        run.lines,
        batches=tuple(map(with_pairs, run.lines.batches)),
        launches=tuple(map(on_two, run.lines.launches)),
    )
    return run.part_of(lines, run.part)


def test_tables_and_notes_have_the_pairs_between_hosts(many: Path) -> None:
    counts = {"message_rate": (4,), "hot_spot_receive": (2,), "random_pairs": (1, 3)}
    run = between_hosts(many, counts)
    summaries = summarise(run)
    hot, rates, _ = tables_of(run, summaries, *MANY)
    assert hot.head[2:5] == ("peers", "between hosts", "time")
    assert [row[3] for row in hot.rows] == ["2 of 4"] * 3 + ["1 to 3 of 4"]
    assert rates.head[3] == "between hosts"
    assert [row[3] for row in rates.rows] == ["4 of 4"] * 2
    notes = flags_in_words(summaries)
    assert [note for note in notes if "message_rate" in note] == []
    assert any(
        "pairs of ranks between hosts: 2 of 4; the other pairs share a host" in note
        for note in notes
    )
    page = render_page([(run, summaries)])
    assert ">between hosts</th>" in page
    assert ">1 to 3 of 4</td>" in page
    row = json_rows(run, summaries)[-1 - len(LOADS)]
    assert row["pairs"] == {"pairs": 4, "least": 4, "most": 4}
    assert row["many"]["pairs"] == row["pairs"]


def test_ranks_of_one_host_have_no_such_column(many: Path) -> None:
    run = weft.load(many)
    assert all("between hosts" not in table.head for table in tables_of(run, summarise(run), *MANY))
    assert all(one.pairs is None for one in summarise(run))
    within = between_hosts(many, {"message_rate": (0,)})
    (rates,) = tables_of(within, summarise(within), "message_rate")
    assert [row[3] for row in rates.rows] == ["0 of 4"] * 2


def test_unlike_pairs_are_a_condition_of_comparisons(many: Path) -> None:
    sides = [
        side_of_run(run, summarise(run), "a")
        for run in (
            between_hosts(many, {"message_rate": (4,)}),
            between_hosts(many, {"message_rate": (0,)}),
            weft.load(many),
        )
    ]
    found = unlike([side.conditions for side in sides])
    assert found["pairs between hosts"] == ("4 of 4", "0 of 4", "unknown")
