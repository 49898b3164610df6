"""The gate names the ten slowest tests of each kind, and what its runner said at its end."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "list-slowest"
PYTEST = """\
............ [100%]
============================= slowest 10 durations =============================
12.50s call     tests/test_units.py::test_b[two words]
0.51s setup    tests/test_units.py::test_b
3 passed, 1 skipped in 14.00s
"""
CTEST = "".join(
    f" {number}/12 Test #{number}: Content.Of{number} .........   Passed    0.{number:02} sec\n"
    for number in range(1, 13)
)
END = "100% tests passed, 0 tests failed out of 12\n"


def test_each_log_has_its_ten_slowest_and_its_summary(tmp_path: Path) -> None:
    for name, text in (("quick", PYTEST), ("engine", CTEST + END), ("install", "3 s of 4\n")):
        (tmp_path / f"{name}.log").write_text(text)
    logs = sorted(tmp_path.glob("*.log"))
    done = subprocess.run(
        [SCRIPT, *logs, tmp_path / "none.log"], capture_output=True, text=True, check=True
    )
    engine = [f"  0.{number:02} s Content.Of{number}" for number in range(12, 2, -1)]
    assert done.stdout.splitlines() == [
        "slowest of engine:", *engine, END.strip(),
        "slowest of quick:",
        "  12.50 s tests/test_units.py::test_b[two words]",
        "  0.51 s tests/test_units.py::test_b",
        "3 passed, 1 skipped in 14.00s",
    ]  # fmt: skip
