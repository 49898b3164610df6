"""A short form of `python -m bench.decisions`: the error rates of docs/validation/verdicts.md."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from weft.analysis.compare.acceptance import CURVES_FAIL_LEVEL, SIZES_FAIL_LEVEL

ROOT = Path(__file__).parents[2]
TRIALS = 100


@pytest.fixture
def decisions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import decisions

    return decisions


def test_an_unchanged_machine_passes_a_tolerance_of_10_percent_in_one_session(
    decisions: ModuleType,
) -> None:
    """One session a side cannot tell 5 % from another day; it hardly ever fails for it."""
    quiet = decisions.Noise((0.01,))
    assert decisions.rates(TRIALS, quiet, tolerance=0.10)[0] >= 0.95
    assert decisions.rates(TRIALS, decisions.Noise(), tolerance=0.10)[0] >= 0.84
    assert decisions.rates(TRIALS, decisions.Noise())[1] <= 0.02


def test_one_curve_that_is_20_percent_slower_fails_and_10_percent_of_one_session_is_open(
    decisions: ModuleType,
) -> None:
    assert decisions.rates(TRIALS, decisions.Noise(), (0.20,))[1] >= 0.88
    passed, failed, _ = decisions.rates(TRIALS, decisions.Noise(), (0.10,))
    assert passed <= 0.05
    assert failed <= 0.5


def test_a_machine_at_the_tolerance_seldom_fails_by_the_day_it_was_measured_on(
    decisions: ModuleType,
) -> None:
    """A third failed where one session a side took no account of other days."""
    at = (0.05,) * 4
    assert decisions.rates(TRIALS, decisions.Noise((0.01,), session=0.02), at)[1] <= 0.11


def test_all_curves_that_are_10_percent_slower_in_three_sessions_fail(
    decisions: ModuleType,
) -> None:
    noise = decisions.Noise((0.01,), session=0.01)
    assert decisions.rates(60, noise, (0.10,) * 4, sessions=3)[1] >= 0.85
    assert decisions.rates(TRIALS, noise, (0.05,) * 4, sessions=3)[1] <= 0.11


def test_one_size_that_is_20_percent_slower_fails_or_at_least_never_passes(
    decisions: ModuleType,
) -> None:
    passed, failed, _ = decisions.rates(40, decisions.Noise((0.01,), 0.005), single=0.20)
    assert passed == 0
    assert failed >= 0.8
    # Launches that scatter by as much as days are allowed to leave days in doubt.
    passed, failed, _ = decisions.rates(40, decisions.Noise(size=0.005), single=0.20)
    assert passed == 0
    assert failed >= 0.3


@pytest.mark.parametrize("kind", ["normal", "skewed", "modes"])
def test_machines_that_are_slower_by_just_the_tolerance_seldom_fail(
    decisions: ModuleType, kind: str
) -> None:
    failed = decisions.rates(TRIALS, decisions.Noise(kind=kind), (0.05,) * 4)[1]
    assert failed <= CURVES_FAIL_LEVEL + SIZES_FAIL_LEVEL + 0.06


def test_sessions_that_differ_by_1_percent_do_not_fail_an_unchanged_machine(
    decisions: ModuleType,
) -> None:
    passed, failed, _ = decisions.rates(40, decisions.Noise(session=0.01), sessions=4)
    assert failed == 0
    assert passed >= 0.8


def test_a_side_of_one_session_is_judged_by_the_other_sides(decisions: ModuleType) -> None:
    random = np.random.default_rng(1)
    assert (
        decisions.answer(random, decisions.Noise((0.001,), session=0.001), (0.2,), sessions=3)
        == "fail"
    )


@pytest.mark.parametrize(("kind", "least"), [("normal", 0.88), ("skewed", 0.86)])
def test_settled_cases_hold_the_truth_nearly_as_often_as_said(
    decisions: ModuleType, kind: str, least: float
) -> None:
    held, taken = decisions.settled_coverage(300, 0.01, kind)
    assert held >= least
    assert 5 <= taken <= 40


def test_coarse_ticks_do_not_settle_a_case_beside_the_truth(decisions: ModuleType) -> None:
    """All launches fall on one tick of 0.5 %: the interval still holds what lies between ticks."""
    held, _ = decisions.settled_coverage(300, 0.001, ticks=0.005)
    assert held >= 0.95


def test_trends_are_seldom_told_by_chance_and_seldom_missed_over_ten_launches(
    decisions: ModuleType,
) -> None:
    assert decisions.trend_power(300, 10, 0.0, 0.0) <= 0.09
    assert decisions.trend_power(100, 10, 4.0, 0.0) >= 0.8
    assert decisions.trend_power(100, 4, 8.0, 0.0) == 0


def test_steps_are_seldom_found_by_chance_and_a_large_one_seldom_missed(
    decisions: ModuleType,
) -> None:
    assert decisions.step_power(300, 10, 9, 0.0, "normal") <= 0.09
    assert decisions.step_power(100, 10, 5, 6.0, "normal") >= 0.85


def test_the_page_has_the_scenes_of_the_verdicts_and_each_is_as_it_is_to_be(
    decisions: ModuleType,
) -> None:
    """The table of the page is the output of `python -m bench.decisions verdicts`."""
    page = (ROOT / "docs" / "validation" / "verdicts.md").read_text()
    for name, _, aim, _ in decisions.verdicts.rows(1, decisions.fails)[1:]:
        [share] = re.findall(rf"^\| {re.escape(name)} \| ([\d.]+) % \| {aim} \|", page, re.M)
        # A correlation of 0.9 cannot be seen in five launches: the page says so.
        if name.startswith("5 launches") or aim == "said":
            continue
        sign, bound = aim.split()
        assert float(share) <= float(bound) if sign == "<=" else float(share) >= float(bound)


def test_the_page_says_how_right_the_stated_numbers_are(decisions: ModuleType) -> None:
    """The other table of the page is the output of `python -m bench.decisions needed`."""
    page = (ROOT / "docs" / "validation" / "verdicts.md").read_text()
    for one in decisions.needed.statements():
        [over] = re.findall(rf"^\| {re.escape(one.name)} \| \d+ \| ([\d.]+) \| \d+% \|", page, re.M)
        assert 0.5 <= float(over) <= 2.0
