"""Commands of a page are run again, and what they print replaces what stood there."""

import os
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from support.copies import ROOT
from support.in_process import weft_here

PAGE = """# A page

What does it cost?

    $ weft price --nodes 2
    an old line
    another one

Text between.

    $ weft peak
    old
    $ python -m bench.costs
    older
    oldest

    weft price is no command that is run

The end.
"""


@pytest.fixture
def docs_figures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import docs_figures

    return docs_figures


def test_what_commands_print_replaces_what_they_printed(docs_figures: ModuleType) -> None:
    asked: list[str] = []

    def run(words: str) -> str:
        asked.append(words)
        return f"now: {words}\n\n  indented  \n"

    again = docs_figures.made_again(PAGE, run)
    assert asked == ["weft price --nodes 2", "weft peak", "python -m bench.costs"]
    assert "old" not in again
    assert "    $ weft peak\n    now: weft peak\n      indented\n    $ python -m" in again
    assert "    weft price is no command that is run\n" in again
    assert docs_figures.made_again(again, run) == again


def test_the_pages_have_commands_to_run(docs_figures: ModuleType) -> None:
    asked: list[str] = []

    def run(words: str) -> str:
        asked.append(words)
        return "x"

    for name in docs_figures.PAGES:
        assert docs_figures.made_again((ROOT / name).read_text(encoding="utf-8"), run)
    for program in ("weft predict ", "weft price ", "python -m bench.simulation_costs"):
        assert any(words.startswith(program) for words in asked)


def test_a_page_says_of_which_day_its_figures_are(docs_figures: ModuleType) -> None:
    page = "Made on 2026-01-02 by it.\n\n    $ weft price # of 2026-01-02\n\ndate = 2026-11\n"
    said = "Made on 2026-03-04 by it.\n\n    $ weft price # of 2026-01-02\n\ndate = 2026-11\n"
    assert docs_figures.of_day(page, "2026-03-04") == said


SHORT = "no interval of the differences: the budget is too short; use --budget 2min"


@pytest.mark.parametrize(("status", "said"), [(2, "weft: no"), (0, SHORT)])
def test_a_command_without_a_whole_answer_has_none(
    docs_figures: ModuleType, status: int, said: str
) -> None:
    docs_figures.check_whole(0, "simulating 4 moved platforms\n")
    with pytest.raises(docs_figures.NoWholeAnswerError, match=said):
        docs_figures.check_whole(status, said)


def test_a_run_goes_on_where_the_one_before_ended(docs_figures: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    asked: list[str] = []
    fails = True

    def run(words: str, prices: str) -> str:
        assert prices == ""
        asked.append(words)
        if fails and words == "weft peak":
            raise docs_figures.NoWholeAnswerError("weft: no")
        page.write_text(page.read_text(encoding="utf-8") + "Meanwhile.\n", encoding="utf-8")
        return f"now: {words}\n"

    def missing(only: str = "", state: str = "today") -> list[str]:
        asked.clear()
        kept = docs_figures.Kept(tmp_path / "kept", state, run)
        found: list[str] = docs_figures.written(page, kept, only, "2026-03-04")
        return found

    assert missing(only="price") == [
        "weft peak\n  not asked for",
        "python -m bench.costs\n  not asked for",
    ]
    assert asked == ["weft price --nodes 2"]
    assert missing() == ["weft peak\n  weft: no"]
    assert asked == ["weft peak", "python -m bench.costs"]
    assert page.read_text(encoding="utf-8") == PAGE + 2 * "Meanwhile.\n"
    fails = False
    assert missing(only="peak") == []
    assert asked == ["weft peak"]
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert text.endswith(3 * "Meanwhile.\n")
    assert all(f"    now: {words}\n" in text for words in docs_figures.commands_of(text))
    assert missing(state="tomorrow") == []
    assert len(asked) == 3


def test_what_is_kept_is_of_the_day_and_of_the_sources(docs_figures: ModuleType) -> None:
    today, tomorrow = (docs_figures._state(day) for day in ("2026-03-04", "2026-03-05"))
    assert today != tomorrow
    assert len(today.split()) >= 1 + len(docs_figures._SOURCES)


def test_what_is_said_of_a_short_budget_is_what_predictions_say(docs_figures: ModuleType) -> None:
    source = (ROOT / "src/weft/studies/simulations.py").read_text(encoding="utf-8")
    assert f": {docs_figures._TOO_SHORT}; use --budget" in source


def test_a_price_list_of_the_page_lies_beside_its_commands(docs_figures: ModuleType) -> None:
    page = "a\n\n```toml\ntitle = 1\n[[part]]\n```\n\n```toml\nother = 2\n```\n"
    assert docs_figures.prices_in(page) == "title = 1\n[[part]]\n"
    assert docs_figures.prices_in("none") == ""


def check_outputs(docs_figures: ModuleType, page: str, folder: Path) -> None:
    """Each output of a page is the one that its command prints today."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (folder / "records").symlink_to(ROOT / "docs" / "records")
    for name in docs_figures._TOML_FILES:
        (folder / name).write_text(docs_figures.prices_in(text), encoding="utf-8")

    def run(words: str) -> str:
        is_plain = {"COLUMNS": "100", "TTY_COMPATIBLE": "0"}
        return weft_here(shlex.split(words)[1:], {**os.environ, **is_plain}).stdout

    assert docs_figures.made_again(text, run) == text, f"run: make docs-figures, for {page}"


@pytest.mark.parametrize("page", ["check.md", "price.md", "simulate.md"])
def test_outputs_on_pages_are_printed_today(
    docs_figures: ModuleType, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_outputs(docs_figures, page, tmp_path)


@pytest.mark.engine
@pytest.mark.parametrize("page", ["map.md", "scaling.md"])
def test_outputs_of_simulations_on_pages_are_printed_today(
    docs_figures: ModuleType, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_outputs(docs_figures, page, tmp_path)
