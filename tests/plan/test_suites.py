"""Suites: what they plan, where a machine is too small, and that they leave no test out."""

import re
from pathlib import Path

import pytest

from support.builders import PATTERNS
from weft.errors import WeftError
from weft.launch.programs import choose_mpi, programs
from weft.plan.cases import RANKS, Experiment, cases_of
from weft.plan.suites import SUITES, follows_osu, placed, suite_called

KNOWN = {pattern.name: pattern for pattern in PATTERNS}


def test_the_first_is_what_a_run_without_a_flag_measures() -> None:
    parts, skipped = placed(suite_called("quick"), 0, 2)
    assert parts == (
        Experiment(tests=("ping_pong", "ping_ping", "stream", "bidirectional_stream")),
    )
    assert skipped == ""


def test_a_name_that_is_no_suite_is_refused_with_the_next_one() -> None:
    with pytest.raises(WeftError, match="no suite called papr") as refused:
        suite_called("papr")
    assert refused.value.fix == "did you mean paper?"


def test_a_name_that_is_like_none_is_refused_with_all_of_them() -> None:
    with pytest.raises(WeftError, match="no suite called xyz") as refused:
        suite_called("xyz")
    assert refused.value.fix == "choose from " + ", ".join(suite.name for suite in SUITES)
    assert [suite_called(f" {suite.name.upper()} ") for suite in SUITES] == list(SUITES)


def test_hot_spots_want_a_core_for_each_rank_unless_ranks_are_asked_for() -> None:
    paper = suite_called("paper")
    asked = ((0, 1, 0), (0, 2, 0), (0, 3, 3), (0, 4, 4), (0, 8, 8), (0, 9, 8), (0, 64, 8))
    for ranks, cores, many in (*asked, (5, 2, 5), (2, 64, 2)):
        parts, skipped = placed(paper, ranks, cores)
        hot = [part for part in parts if "hot_spot_send" in part.tests]
        assert [part.ranks for part in hot] == ([many] if many else [])
        assert bool(skipped) == (many == 0)
        assert {part.ranks for part in parts if part not in hot} == {RANKS}
    assert "figures 14 and 15" in placed(paper, 0, 2)[1]
    assert "(2 cores, and each of at least 3 ranks needs its own;" in placed(paper, 0, 2)[1]


def test_cases_that_two_parts_have_are_planned_once() -> None:
    parts, _ = placed(suite_called("paper"), 4, 4)
    cases = cases_of(parts, ("mpi", "tcp"), KNOWN)
    keys = [case.key for case in cases]
    assert len(set(keys)) == len(keys)
    # The largest queue is in figure 3 and in figure 4.
    assert keys.count("mpi/stream/4096/q256") == 1
    assert [case.transport for case in cases] == sorted(case.transport for case in cases)


@pytest.mark.parametrize("suite", SUITES, ids=[suite.name for suite in SUITES])
def test_a_test_runs_on_one_number_of_ranks(suite: object) -> None:
    """A case's key does not tell its ranks."""
    parts, _ = placed(suite_called(suite.name), 4, 4)  # type: ignore[attr-defined]
    ranks: dict[str, set[int]] = {}
    for part in parts:
        for test in part.tests:
            ranks.setdefault(test, set()).add(part.ranks)
    assert all(len(counts) == 1 for counts in ranks.values())


def test_which_follow_the_paper() -> None:
    assert [suite.name for suite in SUITES if follows_osu(suite.name)] == ["paper", "full"]
    assert not follows_osu("")
    assert not follows_osu("a later one")


def test_the_full_suite_has_every_test_that_the_engines_sources_name() -> None:
    folder = Path(__file__).resolve().parents[2] / "engine" / "patterns"
    text = "".join(path.read_text() for path in folder.glob("*.hpp"))
    named = set(re.findall(r'^      \.name = "(\w+)"', text, re.M))
    full = {test for part in suite_called("full").experiments for test in part.tests}
    assert full == named


@pytest.mark.engine
def test_the_full_suite_is_every_test_of_the_engine() -> None:
    engines = {pattern.name for one in programs(choose_mpi("")) for pattern in one.patterns}
    full = {test for part in suite_called("full").experiments for test in part.tests}
    assert full == engines
