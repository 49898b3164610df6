"""The last line of a run that lacks figures: how many, why, and what to type."""

import io
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
import typer
from rich.console import Console

import weft
from support.builders import LAUNCH_EFFECTS, lost_batch, make_cases, synthetic_record
from weft.analysis.summary import summarise
from weft.cli.measured import end
from weft.plan.budget import REPORT_S, RESERVE
from weft.plan.case import Case
from weft.plan.command import START_S
from weft.record.run import Run
from weft.report.ending import render_ending
from weft.topics import results_of
from weft.units import format_duration

CASES = make_cases(("ping_pong",), ("tcp",), (8, 64, 512))
LOST = [lost_batch(case, 0, 900, "failed", "the link failed in recv") for case in CASES[1:]]


def last_line(run: Run, capsys: pytest.CaptureFixture[str], *, is_said: bool = False) -> str:
    assert run.footer is not None
    with pytest.raises(typer.Exit) as ended:
        end(run, summarise(run), run.footer, asked=None, is_said=is_said)
    assert ended.value.exit_code == 1
    [line] = capsys.readouterr().err.splitlines()
    return line


def needed_budget(run: Run) -> str:
    """The first case had its launches, the two others lack all: as many launches, and more.

    A command takes some seconds to start and to draw its page. Cases take nearly nothing here.
    """
    assert run.footer is not None
    begun = min(one.started_utc for one in run.lines.launches)
    spent = datetime.fromisoformat(run.footer.finished_utc) - datetime.fromisoformat(begun)
    return format_duration(spent.total_seconds() / RESERVE + START_S + REPORT_S)


def of_the_first(case: Case, round_: int) -> list[float]:
    return [1e3 * LAUNCH_EFFECTS[round_]] * 9 if case == CASES[0] else []


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = synthetic_record(tmp_path / "r.jsonl", CASES, times_ns=of_the_first, more=LOST)
    return weft.load(path)


def test_the_first_case_without_a_result_is_named_with_its_reason_and_its_command(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    line = last_line(run, capsys)
    begin = "weft: 2 of 3 cases have no result, the first is tcp/ping_pong/64: the link failed in"
    assert line.startswith(begin), line
    assert "run it alone: weft run ping_pong --sizes 64 --transport tcp" in line


def test_cases_that_timed_out_have_no_result_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = [lost_batch(case, 0, 900, "timeout", "no answer in 20 s") for case in CASES[1:]]
    path = synthetic_record(tmp_path / "r.jsonl", CASES, times_ns=of_the_first, more=lost)
    begin = "weft: 2 of 3 cases have no result, the first is tcp/ping_pong/64: no answer in 20 s"
    assert last_line(weft.load(path), capsys).startswith(begin)


def test_of_cases_that_nobody_tried_it_says_once_how_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = synthetic_record(tmp_path / "r.jsonl", CASES, times_ns=of_the_first, outcome="budget")
    run = weft.load(path)
    go_on = f"weft run --resume {path} --budget {needed_budget(run)}"
    assert last_line(run, capsys) == (
        "weft: 2 of 3 cases have no result, the first is tcp/ping_pong/64: the budget ended before"
        f" this case was measured; finish it with: {go_on}"
    )
    # With the ending above, which says it, the reason stood three times on one screen.
    assert last_line(run, capsys, is_said=True) == "weft: 2 of 3 cases have no result"
    screen = Console(file=io.StringIO(), width=1000, highlight=False)
    screen.print(*render_ending(results_of(run, summarise(run)), screen), sep="\n")
    assert isinstance(screen.file, io.StringIO)
    assert screen.file.getvalue().count(go_on) == 1


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        (("n2",), "n2 does not answer any more"),
        (("n2", "n3"), "n2, n3 do not answer any more"),
    ],
)
def test_a_host_that_is_gone_is_why_and_alone_no_case_would_run(
    run: Run, hosts: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.footer is not None
    footer = msgspec.structs.replace(run.footer, silent_hosts=hosts)
    gone = Run(run.path, msgspec.structs.replace(run.lines, footer=footer))
    assert last_line(gone, capsys) == (
        f"weft: {said}: 2 of 3 cases have no result, {run.path} lists them; go on when all answer:"
        f" weft run --resume {run.path}"
    )


def test_a_case_that_failed_is_named_before_those_that_nobody_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it stands among them: the reason of the others is the budget, said above."""
    for failed in CASES[1:]:
        lost = [lost_batch(failed, 0, 900, "failed", "the link failed in recv")]
        path = tmp_path / f"{failed.bytes}.jsonl"
        synthetic_record(path, CASES, times_ns=of_the_first, more=lost, outcome="budget")
        line = last_line(weft.load(path), capsys, is_said=True)
        assert line.startswith(
            f"weft: 2 of 3 cases have no result, the first is {failed.key}: the link failed in"
        ), line
        assert f"run it alone: weft run ping_pong --sizes {failed.bytes} --transport tcp" in line
