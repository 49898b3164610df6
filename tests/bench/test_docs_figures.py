"""Commands of a page are run again, and what they print replaces what stood there."""

from types import ModuleType

import pytest

from support.copies import ROOT

PAGE = """# A page

What does it cost?

    $ weft price --nodes 2
    an old line
    another one

Text between.

    $ weft peak
    old
    $ weft list tests
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
    assert asked == ["price --nodes 2", "peak", "list tests"]
    assert "old" not in again
    assert "    $ weft peak\n    now: peak\n      indented\n    $ weft list tests\n" in again
    assert "    weft price is no command that is run\n" in again
    assert docs_figures.made_again(again, run) == again


def test_the_pages_have_commands_to_run(docs_figures: ModuleType) -> None:
    asked: list[str] = []

    def run(words: str) -> str:
        asked.append(words)
        return "x"

    for name in docs_figures.PAGES:
        assert docs_figures.made_again((ROOT / name).read_text(encoding="utf-8"), run)
    assert any(words.startswith("predict ") for words in asked)
