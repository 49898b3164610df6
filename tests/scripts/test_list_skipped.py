"""The gate lists what was skipped with the reason, and says so where nothing was."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "list-skipped"
NO_LAB = "SKIPPED [2] tests/lab/test_vm.py:26: no lab: qemu is not installed"
PYTEST = f"""\
..s [100%]
=========================== short test summary info ============================
{NO_LAB}
FAILED tests/test_a.py::test_b - SKIPPED [1] in the middle of a line
1 passed, 2 skipped in 1.00s
"""
CTEST = """\
 3/4 Test #3: Content.Huge .....................***Skipped   0.01 sec

The following tests did not run:
\t  3 - Content.Huge (Skipped)
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            PYTEST + CTEST + PYTEST,
            f"skipped:\n{NO_LAB}\nSkipped: Content.Huge\n",
        ),
        ("3 passed in 1.00s\n", "nothing was skipped\n"),
        ("", "nothing was skipped\n"),
    ],
)
def test_what_was_skipped_is_listed_once(tmp_path: Path, said: str, told: str) -> None:
    (tmp_path / "log").write_text(said)
    done = subprocess.run(
        [SCRIPT, tmp_path / "log"], capture_output=True, text=True, check=True, timeout=60
    )
    assert sorted(done.stdout.splitlines()) == sorted(told.splitlines())
    assert done.stdout.splitlines()[0] == told.splitlines()[0]


def test_pytest_prints_the_lines_that_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(
        "import pytest\n\n\n@pytest.mark.skip(reason='no card')\ndef test_x(): pass\n"
    )
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-ra",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
        ".",
    ]
    said = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    (tmp_path / "log").write_text(said)
    done = subprocess.run(
        [SCRIPT, tmp_path / "log"], capture_output=True, text=True, check=True, timeout=60
    )
    assert "SKIPPED [1] test_x.py:4: no card" in done.stdout
