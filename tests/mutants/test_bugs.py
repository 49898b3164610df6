"""The list of planted bugs still fits the tree: each can be planted, and its tests are there."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mutants.bugs import Bug, all_bugs

ROOT = Path(__file__).resolve().parents[2]
BUGS = all_bugs()
FEWEST = 120


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_it_can_be_planted_once(bug: Bug) -> None:
    text = (ROOT / bug.path).read_text()
    assert bug.planted(text) != text


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_its_tests_are_there(bug: Bug) -> None:
    assert bug.tests or bug.engine
    for words in bug.tests:
        path, *names = words.split("::")
        text = (ROOT / path).read_text() if (ROOT / path).is_file() else ""
        assert (ROOT / path).exists(), words
        for name in names:
            assert f"def {name.partition('[')[0]}(" in text, words
    for words in bug.engine:
        name, _, chosen = words.partition(": ")
        text = (ROOT / "engine" / "tests" / f"{name}_test.cpp").read_text()
        suites = set(re.findall(r"(?:TEST|TEST_P|TEST_F)\((\w+), ", text))
        for pattern in chosen.split(":"):
            suite = pattern.split(".")[0].rpartition("/")[2].strip("*")
            assert any(known.startswith(suite) for known in suites), words


def test_there_are_enough_and_none_twice() -> None:
    assert len(BUGS) >= FEWEST
    counts = Counter(bug.title for bug in BUGS)
    assert not [title for title, count in counts.items() if count > 1]
    planted = Counter((bug.path, bug.old, bug.new) for bug in BUGS)
    assert not [change for change, count in planted.items() if count > 1]


def test_a_bug_whose_place_is_gone_or_doubtful_is_refused() -> None:
    bug = Bug(path="a", name="b", old="1", new="2", tests=(), engine=(), builds=())
    assert bug.planted("x = 1") == "x = 2"
    for text in ("x = 3", "x = 1 + 1"):
        with pytest.raises(ValueError, match="a: b: its old text stands"):
            bug.planted(text)
