"""The gate: every step runs and fails it, failures come last, and nothing outlives it."""

import sys
from pathlib import Path

import psutil
import pytest
from _pytest.mark.expression import Expression

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS / "gate"))

import logs  # noqa: E402
from memory import Memory  # noqa: E402
from scheduler import run  # noqa: E402
from steps import PARTS, Step  # noqa: E402


def shell(name: str, script: str, **kept: object) -> Step:
    return Step(name, ("bash", "-c", script), **kept)  # type: ignore[arg-type]


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("WEFT_PASSED_CACHE", str(tmp_path / "passed"))
    return Memory()


@pytest.fixture(autouse=True)
def kept_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that the gate sets for its steps are set back."""
    for name in (
        "CMAKE_CXX_COMPILER_LAUNCHER",
        "CCACHE_BASEDIR",
        "CCACHE_NOHASHDIR",
        "CCACHE_SLOPPINESS",
    ):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr("scheduler.signal.signal", lambda *_: None)


@pytest.mark.parametrize("background", [False, True])
def test_a_failure_fails_the_gate_stops_no_other_step_and_is_printed_last(
    background: bool, tmp_path: Path, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = (
        shell("first", "echo 'the planted reason'; exit 3", background=background),
        shell("second", f"touch {tmp_path}/second; echo 'of no interest'"),
    )
    assert run(steps, memory, tmp_path / "logs") == 1
    assert (tmp_path / "second").exists()
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "the planted reason"
    assert "of no interest" not in lines


def test_a_step_that_would_start_too_late_is_skipped_and_fails_nothing(
    tmp_path: Path, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    late = shell("late", f"touch {tmp_path}/late", latest_start_s=0)
    assert run((shell("one", "true"), late), memory, tmp_path / "logs") == 0
    assert not (tmp_path / "late").exists()
    assert "late: skipped" in capsys.readouterr().out


def test_all_steps_that_pass_pass_the_gate(tmp_path: Path, memory: Memory) -> None:
    steps = (shell("one", "true"), shell("two", "true", background=True, after=("one",)))
    assert run(steps, memory, tmp_path / "logs") == 0


def test_a_step_whose_need_failed_does_not_run_and_fails_the_gate(
    tmp_path: Path, memory: Memory
) -> None:
    steps = (
        shell("build", "exit 1"),
        shell("tests", f"touch {tmp_path}/ran", needs=("build",)),
        shell("apart", f"touch {tmp_path}/apart"),
    )
    assert run(steps, memory, tmp_path / "logs") == 1
    assert [(tmp_path / name).exists() for name in ("ran", "apart")] == [False, True]


def test_front_steps_never_overlap_and_a_step_waits_for_those_before_it(
    tmp_path: Path, memory: Memory
) -> None:
    alone = f"mkdir {tmp_path}/front && rmdir {tmp_path}/front"
    steps = (
        shell("late", f"[ -e {tmp_path}/early ]", after=("early",)),
        shell("early", f"{alone} && touch {tmp_path}/early"),
        *(shell(f"front {number}", alone) for number in range(5)),
    )
    assert run(steps, memory, tmp_path / "logs") == 0


def test_a_step_past_its_deadline_is_killed_with_what_it_started(
    tmp_path: Path, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    # With a process group of its own, as ninja gives to each compiler.
    script = f"set -m; sleep 1000 & echo $! >{tmp_path}/pid; wait"
    assert run((shell("endless", script, deadline_s=1.0),), memory, tmp_path / "logs") == 1
    assert "deadline" in capsys.readouterr().out.splitlines()[-1]
    pid = int((tmp_path / "pid").read_text())
    if psutil.pid_exists(pid):
        psutil.wait_procs([psutil.Process(pid)], timeout=30)
    assert not psutil.pid_exists(pid)


def test_a_step_with_unchanged_files_that_passed_is_not_repeated(
    tmp_path: Path, memory: Memory
) -> None:
    step = shell("lab", f"echo ran >>{tmp_path}/runs", watches=("Makefile", ":!nothing"))
    for again in (memory, Memory(), Memory(forget=True)):
        assert run((step,), again, tmp_path / "logs") == 0
    assert (tmp_path / "runs").read_text().split() == ["ran", "ran"]


def test_a_step_that_failed_runs_again_and_so_does_one_with_other_files(
    tmp_path: Path, memory: Memory
) -> None:
    script = f"echo ran >>{tmp_path}/runs; exit 1"
    for watches in (("Makefile",), ("Makefile",), ("README.md",)):
        run((shell("lab", script, watches=watches),), memory, tmp_path / "logs")
    assert (tmp_path / "runs").read_text().split() == ["ran"] * 3


def test_a_pattern_without_a_file_is_an_error(memory: Memory) -> None:
    with pytest.raises(LookupError, match="no-such-folder"):
        memory.passed("lab", ("no-such-folder",))


def test_the_files_of_every_step_exist(memory: Memory) -> None:
    for step in PARTS["all"]:
        memory.passed(step.name, step.watches)


# Which marks a test can have, by tests/conftest.py, and the step that runs it.
@pytest.mark.parametrize(
    ("marks", "step"),
    [
        ((), "quick tests"),
        (("thorough",), "tests with simulations and a browser"),
        (("engine", "ranks"), "tests with ranks"),
        (("engine", "ranks", "thorough"), "tests with ranks"),
        (("engine", "simulated"), "tests with simulations and a browser"),
        (("browser", "simulated"), "tests with simulations and a browser"),
        (("engine", "lab"), "tests on the cluster"),
        (("engine", "lab", "vm"), "tests in the machine"),
    ],
)
def test_every_test_runs_in_one_step(marks: tuple[str, ...], step: str) -> None:
    chosen = [
        each.name
        for each in PARTS["default"]
        if "-m" in each.command
        and Expression.compile(each.command[-1]).evaluate(lambda name, /, **_: name in marks)
    ]
    assert chosen == [step]


PYTEST = """.F                                                     [100%]
=================================== FAILURES ===================================
_________________________________ test_a _________________________________
>       assert 1 == 2
E       assert 1 == 2
============================= slowest 2 durations ==============================
1.50s call     tests/test_units.py::test_b
0.25s setup    tests/test_units.py::test_a
=========================== short test summary info ============================
SKIPPED [3] tests/test_a.py:12: no InfiniBand here
FAILED tests/test_units.py::test_a - assert 1 == 2
1 failed, 7 passed, 3 skipped in 3.00s
"""
CTEST = """      Start 1: Good
1/2 Test #1: Good .....   Passed    0.01 sec
      Start 2: Bad
2/2 Test #2: Bad ......***Failed    0.52 sec
what the bad test printed
50% tests passed, 1 tests failed out of 2
The following tests did not run:
      3 - Other (Skipped)
The following tests FAILED:
      2 - Bad (Failed)
"""


def test_a_log_of_pytest_is_read() -> None:
    assert logs.summary(PYTEST) == "1 failed, 7 passed, 3 skipped in 3.00s"
    assert logs.passed_and_failed(PYTEST) == (7, 1)
    assert logs.skipped(PYTEST) == ["SKIPPED [3] tests/test_a.py:12: no InfiniBand here"]
    assert logs.slowest(PYTEST, 1) == ["1.50 s tests/test_units.py::test_b"]
    printed = logs.failure(PYTEST).splitlines()
    assert "E       assert 1 == 2" in printed
    assert not [line for line in printed if "slowest" in line or "SKIPPED" in line]


def test_a_log_of_ctest_is_read() -> None:
    assert logs.passed_and_failed(CTEST) == (1, 1)
    assert logs.skipped(CTEST) == ["Skipped: Other"]
    assert logs.slowest(CTEST, 1) == ["0.52 s Bad"]
    assert "what the bad test printed" in logs.failure(CTEST)
    assert "Good" not in logs.failure(CTEST)


def test_a_long_failure_keeps_its_beginning_and_its_end() -> None:
    text = "= FAILURES =\n" + "\n".join(f"line {number}" for number in range(1000))
    lines = logs.failure(text).splitlines()
    assert len(lines) == logs.MOST_LINES + 1
    assert (lines[1], lines[-1]) == ("line 0", "line 999")
