"""The page of a check: the answer, what did not pass, and every figure beside what is asked."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from support.nights import night
from weft.analysis.compare.acceptance import Checked
from weft.cli.main import app
from weft.colours import TRANSPORTS
from weft.estimate import Estimate
from weft.report import checked_page
from weft.report.html import Page
from weft.report.html import render as rendered


def shown(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> Page:
    """The page that a check writes, as data."""
    pages: list[Page] = []

    def kept(page: Page) -> str:
        pages.append(page)
        return rendered(page)

    monkeypatch.setattr(checked_page, "render", kept)
    monkeypatch.setattr(sys, "argv", ["weft", "check", *words])
    done = CliRunner().invoke(app, ["check", *words])
    assert done.exit_code == 1, done.output
    [page] = pages
    return page


def records(tmp_path: Path) -> tuple[str, str]:
    """A machine that is half as fast as the reference."""
    return str(night(tmp_path, 1, 2.0).path), str(night(tmp_path, 0).path)


def test_the_heading_names_what_was_tested_and_then_what_it_is_held_against(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine, reference = records(tmp_path)
    page = shown(monkeypatch, [machine, "--against", reference, "-o", str(tmp_path / "p.html")])
    assert page.heading == f"{Path(machine).name} against {Path(reference).name}"
    assert page.title == f"weft: fail, {page.heading}"


@pytest.mark.usefixtures("undrawn")
def test_what_failed_stands_first_with_its_ratio_and_the_line_that_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, good = records(tmp_path)
    path = tmp_path / "check.html"
    page = shown(monkeypatch, [slow, "--against", good, "-o", str(path)])
    [verdict] = page.verdicts
    assert (verdict.word, verdict.mood) == ("Fail.", "bad")
    by_name = {one.name: one for one in page.sections}
    assert {name: one.title for name, one in by_name.items()} == {
        "answers": "Answers",
        "curves": "Beside what is asked",
        "figures": "Every check",
        "notes": "What the answers rest on",
        "unlike": "Unlike the reference",
    }
    assert all(line.startswith("fail: tcp/") for line in by_name["answers"].findings)
    [table] = by_name["figures"].tables
    answers = [row[1] for row in table.rows]
    assert answers == sorted(answers, key=["fail", "cannot tell", "pass"].index)
    charts = {chart.title: chart for chart in by_name["curves"].charts}
    curves = {track.label: track for track in charts["ping_pong"].tracks}
    assert curves["tcp"].y == pytest.approx([0.5] * len(curves["tcp"].y), rel=0.01)
    assert [mark.at for mark in charts["ping_pong"].marks] == [pytest.approx(1 / 1.05)]
    assert page.commands == (
        shlex.join(["weft", "check", slow, "--against", good, "-o", str(path)]),
    )
    assert "Every check" in path.read_text()


@pytest.mark.usefixtures("undrawn")
def test_the_first_screen_has_what_was_measured_when_and_how_each_curve_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It named the files only."""
    slow, good = records(tmp_path)
    page = shown(monkeypatch, [slow, "--against", good, "-o", str(tmp_path / "c.html")])
    assert page.facts == (
        "the records under test: node1, 2026-11-02 02:00 UTC, 5 launches",
        "the reference: node1, 2026-11-01 02:00 UTC, 5 launches",
    )
    [card] = page.cards
    assert (card.title, card.group) == ("tcp", TRANSPORTS.index("tcp"))
    assert [what for what, _, _ in card.figures] == [
        "ping_pong, times as fast",
        "stream, times as fast",
    ]
    for _, value, interval in card.figures:
        assert float(value) == pytest.approx(0.5, rel=0.01)
        assert re.fullmatch(r"\[0\.\d+, 0\.\d+\] fail", interval)


def test_limits_have_no_ratio_and_no_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, _ = records(tmp_path)
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "1 ns"\n')
    page = shown(monkeypatch, [slow, "--against", str(limits), "-o", str(tmp_path / "c.html")])
    assert page.cards == ()
    assert page.facts == ("the records under test: node1, 2026-11-02 02:00 UTC, 5 launches",)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("limit", "margin"), [("latency_at_most", 2.0), ("other", 0.5)])
def test_a_figure_is_drawn_as_many_times_as_good_as_its_limit(limit: str, margin: float) -> None:
    quantity: Any = "latency" if limit == "latency_at_most" else "bandwidth"
    check = Checked(
        case="tcp/stream/8", test="stream", transport="tcp", bytes=8, asked=limit,
        quantity=quantity, outcome="pass", why="", launches=5,
        estimate=Estimate(value=500.0, low=400.0, high=625.0, coverage=0.95, method="t"),
        bound=1000.0,
    )  # fmt: skip
    [chart] = checked_page._charts([check], None)
    [track] = chart.tracks
    assert track.y == (margin,)
    ends = (1.6, 2.5) if quantity == "latency" else (0.4, 0.625)
    assert (*track.low, *track.high) == pytest.approx(ends)
    assert [mark.at for mark in chart.marks] == [1.0]
    # In no colour of a curve's.
    assert [mark.group for mark in chart.marks] == [3]


@pytest.mark.usefixtures("undrawn")
def test_the_page_says_how_often_each_answer_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, good = records(tmp_path)
    page = shown(monkeypatch, [slow, "--against", good, "-o", str(tmp_path / "c.html")])
    [table] = next(one for one in page.sections if one.name == "figures").tables
    counts = {word: [row[1] for row in table.rows].count(word) for word in ("fail", "pass")}
    said = re.match(r"(\d+) fail, \d+ cannot tell, (\d+) pass", page.verdicts[0].sentence)
    assert said
    assert [int(one) for one in said.groups()] == [counts["fail"], counts["pass"]]


def made(size: int | None, outcome: Any = "fail") -> Checked:
    return Checked(
        case=f"tcp/stream/{size}", test="stream", transport="tcp", bytes=size, asked="other",
        quantity="bandwidth", outcome=outcome, why="too slow", launches=5,
        estimate=Estimate(value=5.0, low=4.0, high=6.0, coverage=0.95, method="t"), bound=10.0,
    )  # fmt: skip


@pytest.mark.parametrize(("more", "word"), [(1, "1 more check"), (3, "3 more checks")])
def test_of_many_that_did_not_pass_the_further_ones_are_folded_with_their_number(
    more: int, word: str
) -> None:
    several = [made(size) for size in range(1, checked_page.MOST_LINES + more + 1)]
    section = checked_page._answers(several)
    assert len(section.findings) == checked_page.MOST_LINES
    [fold] = section.folds
    assert fold.line == f"{word} that did not pass"
    assert len(fold.sentences) == more


@pytest.mark.parametrize("size", [None, 0])
def test_a_figure_without_a_size_is_at_none(size: int | None) -> None:
    point = checked_page._point(made(size), is_limit=True)
    assert point is not None
    assert point.text == "0 B: fail"
