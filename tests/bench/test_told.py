"""What each command says would tell is a command that measures the same plan so often."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import weft
from support.typed import request_of_command

ROOT = Path(__file__).parents[2]
AGAIN = re.compile(r"weft run --again (\S+)(?: --launches \d+ --budget \w+)?")
COMMANDS = (
    "compare, two transports of a record, launches with a tail",
    "compare, sessions with a tail",
    "compare, one session a side",
    "check --against records, sessions with a tail",
    "check --against limits, launches with a tail",
    "check --against limits, sessions with a tail",
    "check, 10 % slower, one session a side",
    "layers, rounds with a tail",
    "scaling, launches with a tail",
    "trend, sessions with a tail",
    "price, launches with a tail",
    "the end of a run, launches with a tail",
)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import told

    return told


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_typed_measures_the_same_plan_as_often_as_it_is_said(
    told: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [scene] = [one for one in told.scenes() if one.name == name]
    random = np.random.default_rng(1)
    with told.inside_a_folder():
        for _ in range(40):
            text = told.weft(scene.typed(random, scene.first))
            said = told.said_by(text)
            if said.unit == scene.unit:
                break
        else:
            pytest.fail("no first look asks for that unit")
        found = told.STATED.search(text)
        commands = list(AGAIN.finditer(text, found.end()))
        assert commands
        assert commands[0].start() == found.end() + 1
        for command in commands[: 2 if " a side" in found.group() else 1]:
            run = weft.load(Path(command[1]))
            request = request_of_command(command[0], monkeypatch)
            assert request.cases == tuple(run.cases.values())
            if said.unit == "session":
                assert request.launches == run.header.plan.launches
                assert request.budget_s == said.seconds == run.header.plan.budget_s
            else:
                assert request.launches == said.number
                assert request.budget_s == said.seconds
                # Each launch of these records took as long, and a command starts and reports.
                taken_s = said.number * told.LAUNCH_S
                assert taken_s <= said.seconds <= 2 * taken_s + 20


def test_nothing_open_and_no_number_are_read_as_what_they_are(told: ModuleType) -> None:
    assert told.said_by("pass: all of 1 check.").is_told
    hopeless = told.said_by("to tell it takes over 10,000 launches, more than can be measured")
    assert not hopeless.is_told
    assert hopeless.number == float("inf")


def test_the_number_that_tells_is_read_off_the_looks(told: ModuleType) -> None:
    """Of 5, 10 and 20 launches none, half and all tell."""
    said = told.Said(is_told=False, unit="launch", number=10)
    looks = [{0.5: (5, False), 1.0: (10, at % 2 == 0), 2.0: (20, True)} for at in range(10)]
    assert told.needed_by_trials([told.Trial(said, own) for own in looks]) == 20


def test_the_page_says_how_right_each_command_is(told: ModuleType) -> None:
    """The table of the page is the output of `python -m bench.decisions commands`: every median of
    what is stated is within a factor of two.
    """
    page = (ROOT / "docs" / "validation" / "verdicts.md").read_text()
    for scene in told.scenes():
        name = re.escape(scene.name)
        row = rf"^\| {name} \| \d+ \| ([\d.]+) \| \d+% \| \d+% \| \d+% \| (\d+)% \|"
        [(over, twice)] = re.findall(row, page, re.M)
        assert 0.5 <= float(over) <= 2.0
        assert float(twice) >= 50
    assert "The median is within a factor of two in every row" in page
