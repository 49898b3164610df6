"""Whatever withholds a verdict says how many launches or sessions would tell, and what to type.

All topics, of a record of few launches that leaves something open in several of them, in the
sentences, on the terminal, on the page and in JSON. A topic that is new is held to it too.
"""

import html
import json
import re
from typing import Any

import msgspec
import pytest
from rich.console import Console

from support.every_topic import record_of_every_topic
from weft.analysis.summary import summarise
from weft.record.run import Run
from weft.report.page import render_page
from weft.report.terminal import render_tables
from weft.topics import TOPICS, results_of
from weft.topics.base import Results, Topic

WITHHELD = re.compile(
    r"not significant|no significant|cannot tell|no verdict at|no difference is shown|no interval"
)
WOULD_TELL = re.compile(
    r"to tell .* takes (about [\d,]+ (launches|sessions).*: run weft run --(again|resume) "
    r"|over |more than )"
)
# These are of every topic's record, or of the one whose figures are all unlike.
OPEN = {"completion", "rails", "settings"}
SAYS_NO_INTERVAL = {*OPEN, "pages", "registration"}


@pytest.fixture(scope="module", params=["unlike", "every", "one launch"])
def results(
    request: pytest.FixtureRequest, unlike: Run, tmp_path_factory: pytest.TempPathFactory
) -> Results:
    run = unlike
    if request.param != "unlike":
        launches = 5 if request.param == "every" else 1
        run = run_of_every_topic(tmp_path_factory, launches)
    return results_of(run, summarise(run))


def run_of_every_topic(factory: pytest.TempPathFactory, launches: int) -> Run:
    path = factory.mktemp("verdicts") / "every.jsonl"
    return record_of_every_topic(path, launches=launches)


def words_of(page: str) -> str:
    """What a page says, without its marks."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def printed(results: Results) -> str:
    screen = Console(width=100_000, no_color=True)
    with screen.capture() as found:
        screen.print(render_tables(results))
    return found.get()


def cells_of(topic: Topic[Any], results: Results) -> list[str]:
    tables = topic.wide(results.of(topic))
    return [cell for table in tables for row in table.rows for cell in row]


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_what_is_withheld_has_what_would_tell(topic: Topic[Any], results: Results) -> None:
    said = results.findings(topic)
    is_open = any(WITHHELD.search(one) for one in (*said, *cells_of(topic, results)))
    advised = [one for one in said if WOULD_TELL.search(one)]
    assert len(advised) == is_open, said
    rows: list[dict[str, Any]] = json.loads(msgspec.json.encode(topic.plain(results.of(topic))))
    for row in rows:
        if row.get("verdict") == "cannot tell" and not row.get("is_cheapest"):
            assert row["needed"], row


@pytest.mark.usefixtures("undrawn")
def test_the_advice_is_on_the_terminal_and_on_the_page(results: Results) -> None:
    advised = [one for topic in TOPICS for one in results.findings(topic) if WOULD_TELL.search(one)]
    page, terminal = words_of(render_page([results])), printed(results)
    for one in advised:
        assert one in terminal
        assert WOULD_TELL.search(page)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_one_launch_makes_nothing_significant_or_not(
    topic: Topic[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No test was made of it: what is compared has no interval, and that is what is said."""
    run = run_of_every_topic(tmp_path_factory, 1)
    results = results_of(run, summarise(run))
    said = (*results.findings(topic), *cells_of(topic, results))
    assert not [one for one in said if re.search(r"significan|difference is shown", one)]
    if topic.name in SAYS_NO_INTERVAL:
        assert any("no interval" in one for one in said)


def test_a_record_has_topics_that_withhold_a_verdict(unlike: Run) -> None:
    """Otherwise nothing is tested here."""
    results = results_of(unlike, summarise(unlike))
    found = {
        topic.name
        for topic in TOPICS
        if any(
            WITHHELD.search(one) for one in (*results.findings(topic), *cells_of(topic, results))
        )
    }
    assert found & OPEN
