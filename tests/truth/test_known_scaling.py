"""From known costs to the efficiency that a user reads: weak and strong scaling of the halo."""

import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.drawn import page_plots, page_tables, svg_curves
from support.in_process import weft_here
from support.printed import result_of
from support.virtual import Costs, run_virtual, shared_record

COSTS = Costs(tick_ns=0.4)
# The fabric of memory works a tick for each nanosecond that is typed.
SITE_NS = 100
WORK_NS = SITE_NS * COSTS.tick_ns
BYTES = 36
LAUNCHES = 3
RANKS = (1, 2, 4)


def weak_ns(extent: int, ranks: int) -> float:
    """An iteration that computes behind its exchange: the faces leave by one wire."""
    return exchange_ns(extent**3, {1: 0, 2: 2, 4: 4}[ranks]) + WORK_NS * extent**4


def strong_ns(ranks: int) -> float:
    """8^4 divided: a face has 8^3 sites of two ranks, half as many of four; half the work each."""
    faces = {1: 0, 2: 2 * 8**3, 4: 4 * 4 * 8**2}[ranks]
    exchange = exchange_ns(faces, 1) if faces else 0
    return exchange + WORK_NS * 8**4 / ranks


def exchange_ns(sites: int, faces: int) -> float:
    wire = COSTS.per_byte * BYTES * sites * faces
    ticks = COSTS.send_overhead + wire + COSTS.latency + COSTS.receive_overhead
    return COSTS.tick_ns * ticks if faces else 0


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_record(tmp_path_factory, "scaling", _measure)


def _measure(folder: Path) -> None:
    done = run_virtual(
        folder, ["halo"], "--ranks", "1,2,4", "--extents", "4,6", "--lattice", "8^4",
        "--compute", f"{SITE_NS}ns", "--no-overlap", "--samples", "5", "--launches",
        str(LAUNCHES), "--budget", "100s", costs=COSTS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def output(*words: object) -> str:
    done = weft_here(words, os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rows(record: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result_of(output("show", record, "--table", "scaling", "--json"))
    return found


def truth_of(row: dict[str, Any], ranks: int) -> float:
    if row["is_global"]:
        return strong_ns(ranks)
    return weak_ns(int(row["lattice"][0]), ranks)


def efficiency_of(row: dict[str, Any]) -> float:
    share = truth_of(row, 1) / truth_of(row, row["ranks"])
    return share / row["ranks"] if row["is_global"] else share


def test_the_json_has_the_true_iterations_and_efficiencies(rows: list[dict[str, Any]]) -> None:
    measured = [row for row in rows if "case" in row]
    assert [(row["lattice"], row["ranks"]) for row in measured] == [
        (lattice, ranks) for lattice in ("4^4", "6^4", "8^4") for ranks in RANKS
    ]
    for row in measured:
        assert row["iteration_ns"]["value"] == pytest.approx(truth_of(row, row["ranks"]))
        assert row["launches"] == LAUNCHES
        assert sum(one["value"] for one in row["parts_ns"].values()) == pytest.approx(
            row["iteration_ns"]["value"]
        )
        assert row["parts_ns"]["compute"]["value"] == pytest.approx(WORK_NS * row["sites"])
        assert row["sent_messages"] == {1: 0, 2: 2, 4: 4}[row["ranks"]]
        if row["ranks"] == 1:
            assert row["efficiency"] is None
            assert row["sent_bytes_per_s"] is None
            continue
        assert row["efficiency"]["value"] == pytest.approx(efficiency_of(row))
        assert row["efficiency"]["basis"] == "launches"
        assert row["sent_bytes_per_s"]["value"] == pytest.approx(
            1e9 * row["sent_bytes"] / truth_of(row, row["ranks"])
        )


def test_a_lattice_loses_what_more_ranks_cost_it(rows: list[dict[str, Any]]) -> None:
    costs = [row for row in rows if "verdict" in row]
    assert [row["lattice"] for row in costs] == ["4^4", "6^4", "8^4"]
    for row in costs:
        lost = 1 - efficiency_of(row)
        assert row["cost"]["value"] == pytest.approx(lost)
        assert row["verdict"] == ("costs more" if lost > 0.1 else "costs less")
        over = [n for n in (2, 4) if 1 - efficiency_of(row | {"ranks": n}) > 0.1]
        assert row["first_ranks"] == min(over, default=0)
        assert row["base_ns"]["value"] == pytest.approx(truth_of(row, 1))


def is_shown(percent: float, text: str) -> bool:
    """Whether a text has these per cents before an interval, as far as its digits go."""
    found = re.findall(r"(-?\d+(?:\.(\d+))?) %(?: \[|, 1 launch)", text)
    return any(abs(float(one) - percent) <= 0.51 / 10 ** len(digits) for one, digits in found)


def test_the_terminal_says_them_and_the_verdict(record: Path, rows: list[dict[str, Any]]) -> None:
    told = output("show", record, "--table", "scaling")
    for row in rows:
        if "case" in row and row["ranks"] > 1:
            assert is_shown(100 * efficiency_of(row), told)
        if "verdict" in row:
            assert is_shown(100 - 100 * efficiency_of(row), told)


def test_the_page_draws_and_lists_them(record: Path, rows: list[dict[str, Any]]) -> None:
    text = record.with_name("r.html").read_text(encoding="utf-8")
    plots = page_plots(text)
    weak = [row for row in rows if "case" in row and not row["is_global"]]
    for trace in plots["scaling"]["tracks"]:
        own = [row for row in weak if row["lattice"] == trace["label"]]
        assert trace["x"] == list(RANKS)
        assert trace["y"] == pytest.approx([1e9 / truth_of(row, row["ranks"]) for row in own])
    for trace in plots["scaling-efficiency"]["tracks"]:
        own = [row for row in weak if row["lattice"] == trace["label"]]
        assert trace["y"] == pytest.approx([100 * efficiency_of(row) for row in own])
    bars = plots["scaling-parts"]["tracks"]
    heights = [[top - low for top, low in zip(one["y"], one["base"], strict=True)] for one in bars]
    assert [sum(column) for column in zip(*heights, strict=True)] == (pytest.approx([100, 100]))
    cells = {cell for table in page_tables(text) for line in table for cell in line}
    for row in weak:
        if row["ranks"] > 1:
            assert any(is_shown(100 * efficiency_of(row), cell) for cell in cells)
    assert "messages within the host cost more than 10% at" in text


def test_a_drawing_has_a_curve_a_lattice(record: Path) -> None:
    path = record.with_name("scaling.svg")
    output("figure", record, "-o", path, "--show", "scaling")
    curves = svg_curves(path.read_text())
    truth = [[1e9 / weak_ns(extent, ranks) for ranks in RANKS] for extent in (4, 6)]
    assert [[x for x, _ in curve] for curve in curves] == [pytest.approx(RANKS, rel=0.01)] * 2
    for curve, ys in zip(curves, truth, strict=True):
        assert [y for _, y in curve] == pytest.approx(ys, rel=0.01)


def test_the_summary_as_csv_has_iterations_of_the_slowest_rank(record: Path) -> None:
    path = record.with_name("summary.csv")
    output("export", record, "--csv", path, "--table", "summary")
    for row in pl.read_csv(path).filter(pl.col("variant").str.contains(r"\\^4")).to_dicts():
        if "whole" not in row["variant"]:
            extent = int(row["variant"].partition("^4")[0][-1])
            truth = weak_ns(extent, row["ranks"])
            assert row["latency_ns"] == pytest.approx(truth)
