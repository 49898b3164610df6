"""Which tests of the slow part the gate keeps apart, and that it leaves none out."""

import re
from pathlib import Path

import pytest

from conftest import kind_of

GATE = Path(__file__).resolve().parents[2] / "scripts" / "run-tests"
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
    "studies/test_measured_huge_pages.py": "ranks",
}


@pytest.mark.parametrize(("path", "kind"), KINDS.items())
def test_ranks_run_one_at_a_time_and_so_do_tests_in_the_lab(path: str, kind: str) -> None:
    assert kind_of(Path(path)) == kind


def test_the_gate_runs_every_kind_once() -> None:
    ran = re.findall(r'"\$\{slow\[@\]\}".* -m ("[^"]+"|\w+)$', GATE.read_text(), re.MULTILINE)
    assert sorted(ran) == ['"lab and not vm"', '"lab and vm"', "ranks", "simulated"]
    assert set(KINDS.values()) == {"lab", "ranks", "simulated"}
