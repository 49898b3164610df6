"""Tails: of single operations only, over launches, in the table, on the page and in a paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

import weft
from support.builders import (
    make_batch,
    make_cases,
    make_header,
    make_launch,
    synthetic_record,
    write_lines,
)
from support.shown import paper_tables, render_page, render_tables
from weft.analysis.stats.percentiles import tails
from weft.analysis.summary import CaseSummary, summarise
from weft.plan.case import Case
from weft.record.run import Run
from weft.report.html import in_pieces
from weft.report.table import console
from weft.topics.frames import summary_table
from weft.topics.tails import tail_tables

if TYPE_CHECKING:
    from weft.record.model import Line

[USUAL] = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(8,))
SINGLE = msgspec.structs.replace(USUAL, single=True)


def operations(launch: int, samples: int) -> Sequence[float]:
    """2,000 ns, and a tail of exponential length that is longer from launch to launch."""
    draw = np.random.default_rng(launch)
    tail: np.ndarray = draw.exponential(200 * (1 + 0.01 * launch), samples)
    return [float(time) for time in 2000 + tail]


def record(folder: Path, case: Case, samples: int, ops: int, launches: int = 5) -> Run:
    lines: list[Line] = [make_header((case,), launches=launches)]
    for launch in range(launches):
        lines += [
            make_launch(launch, "tcp"),
            make_batch(case, launch, launch, operations(launch, samples), ops_per_sample=ops),
        ]
    return weft.load(write_lines(folder / f"{case.variant}{samples}-{ops}.jsonl", lines))


def only(run: Run) -> CaseSummary:
    [summary] = summarise(run)
    return summary


def test_a_tail_is_the_median_of_the_launches_own(tmp_path: Path) -> None:
    summary = only(record(tmp_path, SINGLE, 10_000, 1))
    assert set(summary.tails_latency_ns) == {"99", "99.9"}
    own = [np.percentile(operations(launch, 10_000), 99) / 2 for launch in range(5)]
    tail = summary.tails_latency_ns["99"]
    assert tail.value == pytest.approx(np.median(own), rel=1e-3)
    assert tail.launches == 5
    assert tail.low <= min(own) < max(own) <= tail.high
    assert summary.percentiles_latency_ns["99"] == pytest.approx(tail.value, rel=0.05)


def test_too_few_samples_of_a_launch_have_no_tail(tmp_path: Path) -> None:
    assert set(only(record(tmp_path, SINGLE, 1000, 1)).tails_latency_ns) == {"99"}
    assert only(record(tmp_path, SINGLE, 999, 1)).tails_latency_ns == {}


def test_a_tail_that_one_launch_has_too_few_samples_for_is_left_out() -> None:
    launches = [np.array(operations(at, 500 if at == 3 else 1000)) for at in range(5)]
    assert tails(launches) == {}
    assert tails([np.array(operations(at, 1000)) for at in range(5)]).keys() == {"99"}


@pytest.mark.parametrize("ops", [2, 8, 64])
def test_means_of_several_operations_have_no_tail_of_operations(tmp_path: Path, ops: int) -> None:
    summary = only(record(tmp_path, USUAL, 1000, ops))
    assert (summary.tails_latency_ns, summary.percentiles_latency_ns) == ({}, {})
    assert summary.minimum_latency_ns is None
    assert "99" in summary.percentiles_of_means_latency_ns
    assert tail_tables([summary]) == []
    columns = summary_table((summary,)).row(0, named=True)
    assert columns["latency_ns_p99"] is None
    assert columns["latency_of_means_ns_p99"] is not None


@pytest.mark.usefixtures("undrawn")
def test_tails_stand_in_the_terminal_on_the_page_and_in_a_paper(tmp_path: Path) -> None:
    run = record(tmp_path, SINGLE, 10_000, 1)
    summaries = summarise(run)
    [table] = tail_tables(summaries)
    assert table.head == ("", "size", "median", "p99", "p99.9")
    assert table.rows[0][3].startswith("1.4")
    assert "±" in table.rows[0][4]
    screen = console()
    with screen.capture() as capture:
        screen.print(render_tables(run, summaries))
    page = render_page([(run, summaries)])
    assert table.rows[0][4] in capture.get()
    assert f"<td>{in_pieces(table.rows[0][4])}</td>" in page
    assert table in paper_tables(run, summaries)


def test_detectors_say_when_they_did_not_look(tmp_path: Path) -> None:
    def few(case: Case, launch: int) -> Sequence[float]:
        return operations(launch, 40 if case.bytes == 8 else 80 if case.bytes == 1024 else 120)

    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(8, 1024, 65536))
    told = [
        [flag.split(":")[0] for flag in summary.flags if "not checked" in flag]
        for summary in summarise(
            weft.load(synthetic_record(tmp_path / "f.jsonl", cases, times_ns=few))
        )
    ]
    assert told == [["two modes not checked", "a drift not checked"],
                    ["two modes not checked"], []]  # fmt: skip
