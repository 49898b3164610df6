"""Which tests of the slow part the gate keeps apart, and that it leaves none out."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from conftest import (
    LONGEST,
    THOROUGH,
    by_length,
    kind_of,
    pytest_collection_modifyitems,
    pytest_itemcollected,
)

TESTS = Path(__file__).resolve().parents[1]
GATE = TESTS.parent / "scripts" / "run-tests"
KINDS = {
    # These poll the machine's cores.
    "engine/test_real_ranks.py": "ranks",
    "bench/test_loops_beside_bare.py": "ranks",
    "plan/test_suites.py": "ranks",
    "any/test_new.py": "ranks",
    "lab/test_slurm.py": "lab",
    "lab/test_vm.py": "lab",
    "packaging/test_prefix.py": "lab",
    "sim/test_heads.py": "simulated",
    "report/test_page_in_browser.py": "simulated",
    "studies/test_reproduction.py": "simulated",
    "studies/test_predicted_figures.py": "simulated",
    "engine/test_refusals.py": "simulated",
    "engine/test_places.py": "simulated",
    "engine/test_lost_ranks.py": "simulated",
    "studies/test_measured_huge_pages.py": "ranks",
}


@pytest.mark.parametrize(("path", "kind"), KINDS.items())
def test_ranks_run_one_at_a_time_and_so_do_tests_in_the_lab(path: str, kind: str) -> None:
    assert kind_of(Path(path)) == kind


def test_the_gate_runs_every_kind_once() -> None:
    text = GATE.read_text()
    ran = re.findall(r'"\$\{slow\[@\]\}".* -m ("[^"]+"|\w+)$', text, re.MULTILINE)
    with_simulations = '"simulated or thorough"'
    assert sorted(ran) == ['"lab and not vm"', '"lab and vm"', with_simulations, "ranks"]
    assert text.count('-m "not engine and not browser and not thorough"') == 1
    assert set(KINDS.values()) == {"lab", "ranks", "simulated"}


@pytest.mark.parametrize("name", THOROUGH)
def test_a_thorough_file_is_none_of_the_quick_ones_and_runs_in_one_part_only(name: str) -> None:
    assert (TESTS / name).is_file()
    for other, expected in ((name, ["thorough"]), (f"other/{name}", [])):
        marks: list[str] = []
        item = SimpleNamespace(
            path=TESTS / other, get_closest_marker=lambda _: None, add_marker=marks.append
        )
        pytest_itemcollected(item)  # type: ignore[arg-type]
        assert marks == expected
    marks = []
    ranks = SimpleNamespace(
        path=TESTS / name, get_closest_marker=lambda _: True, add_marker=marks.append
    )
    pytest_itemcollected(ranks)  # type: ignore[arg-type]
    assert marks == [kind_of(Path(name))]


def test_the_longest_files_come_first_and_tests_of_a_file_stay_as_they_are() -> None:
    paths = [TESTS / name for name in ("test_units.py", LONGEST[1], LONGEST[0])]
    items = [SimpleNamespace(path=path, at=at) for path in paths for at in range(2)]
    pytest_collection_modifyitems(items)  # type: ignore[arg-type]
    assert [(one.path, one.at) for one in items] == [
        (path, at) for path in reversed(paths) for at in range(2)
    ]


def test_files_of_a_name_in_other_folders_are_not_the_longest() -> None:
    assert by_length(Path("launch/test_style.py")) == len(LONGEST)
    assert not [name for name in LONGEST if not (TESTS / name).is_file()]


def test_the_gate_hands_files_out_in_that_order() -> None:
    text = GATE.read_text()
    assert re.findall(r"--dist \w+ ?(\S*)\)", text) == ["--no-loadscope-reorder"]
    assert text.count('-n "$(') == text.count('"${by_file[@]}"') == 2
