"""What went wrong stands on top of a page: each reason, with how many cases it holds for."""

import html
from pathlib import Path

import pytest

import weft
from support.builders import lost_batch, make_cases, synthetic_record
from support.shown import render_page
from weft.analysis.summary import summarise
from weft.record.run import Run
from weft.report.notes import troubles_in_words
from weft.report.page import MOST_TROUBLES, _differing
from weft.topics import TOPICS, results_of


@pytest.mark.usefixtures("undrawn")
def test_each_reason_is_among_the_warnings_of_its_page(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("mpi", "tcp"), (8, 1024))
    lost = [
        lost_batch(cases[0], 0, 900, "failed", "byte 3 differs"),
        lost_batch(cases[5], 1, 901, "failed", "byte 3 differs"),
        lost_batch(cases[2], 0, 902, "unsupported", "no such device"),
    ]

    def times_ns(case: object, round_: int) -> list[float]:
        del round_
        return [] if case == cases[2] else [1000.0] * 9

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times_ns, more=lost))
    summaries = summarise(run)
    said = troubles_in_words(summaries)
    assert [line.rpartition(": ")[2] for line in said] == ["byte 3 differs", "no such device"]
    assert "2 cases" in said[0]
    page = render_page([(run, summaries)])
    warnings = page.partition('aria-label="Warnings"')[2].partition("</ul>")[0]
    for line in said:
        assert f"<li>{line}</li>" in warnings


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_two_records_says_first_what_each_topic_has_to_say(
    tmp_path: Path, unlike: Run
) -> None:
    """Of the first record many topics have a headline, of the second few."""
    few = weft.load(synthetic_record(tmp_path / "few.jsonl", make_cases()))
    page = html.unescape(render_page([(one, summarise(one)) for one in (unlike, few)]))
    for run in (unlike, few):
        results = results_of(run, summarise(run))
        heads = [topic.headline(results.of(topic)) for topic in TOPICS]
        said = "; ".join(head for head in heads if head)
        assert said
        assert f": {said}." in page


@pytest.mark.parametrize("reasons", [MOST_TROUBLES, MOST_TROUBLES + 1, MOST_TROUBLES + 5])
def test_of_many_reasons_the_first_stand_there_and_how_many_there_are_more(
    tmp_path: Path, reasons: int
) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), tuple(8 << at for at in range(reasons)))
    lost = [
        lost_batch(case, 0, 900 + at, "failed", f"byte {at} differs")
        for at, case in enumerate(cases)
    ]
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=lambda *_: [], more=lost)
    run = weft.load(path)
    found = _differing([results_of(run, summarise(run))])
    more = reasons - MOST_TROUBLES
    last = [f"and {more} more reasons: see the tables"] if more else []
    assert list(found[MOST_TROUBLES:]) == last
    assert [f"byte {at} differs" in line for at, line in enumerate(found[:MOST_TROUBLES])] == [
        True
    ] * MOST_TROUBLES
