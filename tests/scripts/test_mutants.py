"""Drawn changes: what is changed in C++, which tests run, and the share that is reported."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def drawn(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a draw, no secret


@pytest.fixture(scope="module")
def mutants() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts" / "mutants.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


def test_a_change_of_cpp_is_of_code_and_not_of_a_comment_a_text_or_an_include(
    mutants: ModuleType,
) -> None:
    text = '#include <a/b.h>\n// a <= b\nconst char* words = "1 + 1 == 2";\nint f = a + 1;\n'
    made = {mutants.changes_of_cpp("a.cpp", text, drawn(seed)) for seed in range(40)}
    assert {change.line for change in made} == {4}
    assert {change.after for change in made} == {"int f = a - 1;", "int f = a + 2;"}
    assert mutants.changes_of_cpp("a.cpp", "// 1 + 1\n", drawn(1)) is None


def test_a_change_of_python_changes_one_line(mutants: ModuleType) -> None:
    pytest.importorskip("cosmic_ray", reason="make mutants installs it")
    change = mutants.changes_of_python("a.py", "A = 1\n\n\nB = A < 2\n", drawn(1))
    assert change.line in (1, 4)
    assert change.before != change.after


def test_tests_are_not_changed_and_every_source_of_a_folder_may_be(mutants: ModuleType) -> None:
    sources = mutants.sources_under(("src/weft", "engine"))
    assert "src/weft/units.py" in sources
    assert "engine/run/gather.cpp" in sources
    assert not [path for path in sources if "/tests/" in path or path.startswith("tests")]


def test_a_module_is_tried_on_the_tests_that_name_it_in_its_folder_first(
    mutants: ModuleType,
) -> None:
    found = mutants.tests_of_python("src/weft/plan/rounds.py")
    assert found[0] == "tests/plan/test_rounds.py"
    assert len(found) <= mutants.MOST_FILES
    assert "gather" in mutants.tests_of_cpp("engine/run/gather.cpp")


@pytest.mark.parametrize(
    ("noticed", "tried", "low", "high"),
    # Wilson's interval: Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_a_share_has_its_95_percent_interval(
    mutants: ModuleType, noticed: int, tried: int, low: float, high: float
) -> None:
    assert mutants.interval(noticed, tried) == pytest.approx((low, high), abs=1e-4)


def test_a_change_that_cannot_be_tried_is_in_no_share(mutants: ModuleType) -> None:
    fates = {"Python": ["noticed", "missed", "not tried", "noticed"], "C++": ["not tried"]}
    python, engine = mutants.summary(fates)
    assert python.startswith("Python: 2 of 3 noticed, 67% (")
    assert python.endswith("1 not tried")
    assert engine == "C++: 0 of 0 noticed, none tried; 1 not tried"
