"""Which tests of the slow part the gate keeps apart, and which run beside each other."""

from pathlib import Path

import pytest

from conftest import group_of


@pytest.mark.parametrize(
    ("path", "group"),
    [
        # These poll the machine's cores.
        ("engine/test_real_ranks.py", "ranks"),
        ("bench/test_loops_beside_bare.py", "ranks"),
        ("plan/test_suites.py", "ranks"),
        ("any/test_new.py", "ranks"),
        ("lab/test_slurm.py", "cluster"),
        ("packaging/test_prefix.py", "cluster"),
        ("sim/test_heads.py", "sim/test_heads.py"),
    ],
)
def test_ranks_run_one_at_a_time_and_so_do_tests_on_the_cluster(path: str, group: str) -> None:
    assert group_of(Path(path), is_vm=False) == group


def test_the_machine_is_booted_once() -> None:
    assert group_of(Path("lab/test_vm.py"), is_vm=True) == "vm"
