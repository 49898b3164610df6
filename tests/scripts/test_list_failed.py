"""The end of the gate's output names the tests that failed, with what they said."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "list-failed"
PYTEST = """\
..F.E [100%]
>       assert 1 == 2
E       assert 1 == 2
SKIPPED [1] tests/test_units.py:12: no such machine
FAILED tests/test_units.py::test_b - assert 1 == 2
ERROR tests/test_units.py::test_c[two words]
1 failed, 1 error, 3 passed in 14.00s
"""
CTEST = """\
99% tests passed, 1 tests failed out of 12
The following tests FAILED:
\t  3 - Content.OfThree (Failed)
\t  4 - Content.OfFour (Timeout)
\t  5 - Content.OfFive (Skipped)
\t  6 - Content.OfSix (Subprocess aborted)
\t  7 - Content.OfSeven (Not Run)
"""


def failed(folder: Path, text: str) -> list[str]:
    (folder / "all").write_text(text)
    done = subprocess.run([SCRIPT, folder / "all"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_each_test_that_failed_is_named_once_behind_what_was_said(tmp_path: Path) -> None:
    assert failed(tmp_path, PYTEST + CTEST + CTEST) == [
        "failed:",
        "E       assert 1 == 2",
        "ERROR tests/test_units.py::test_c[two words]",
        "FAILED tests/test_units.py::test_b - assert 1 == 2",
        "Failed: Content.OfThree",
        "Not Run: Content.OfSeven",
        "Subprocess aborted: Content.OfSix",
        "Timeout: Content.OfFour",
    ]


def test_nothing_is_said_where_nothing_failed(tmp_path: Path) -> None:
    assert failed(tmp_path, "3 passed, 1 skipped in 14.00s\n100% tests passed\n") == []
